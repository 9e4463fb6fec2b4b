import { setTimeout as pause } from 'node:timers/promises'
import type { App } from './app.ts'

/** Resolves when the app has had no client for `idleMs`, or when `signal` aborts. */
export async function leaveWhenIdle(app: Pick<App, 'clients'>, idleMs: number, signal: AbortSignal): Promise<void> {
  const stepMs = Math.min(1000, idleMs / 4)
  let idleSince = performance.now()
  while (!signal.aborted) {
    await pause(stepMs, undefined, { ref: false })
    if (app.clients() > 0) idleSince = performance.now()
    else if (performance.now() - idleSince >= idleMs) return
  }
}
