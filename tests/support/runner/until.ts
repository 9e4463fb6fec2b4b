import { setTimeout as pause } from 'node:timers/promises'

/** Waits until `isSo` returns true. For hooks, where `expect.poll` is not allowed. Throws after `timeoutMs`. */
export async function until(what: string, isSo: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const deadline = performance.now() + timeoutMs
  // Questions cost the processor that what is waited for needs: they become rarer.
  for (let waitMs = 20; !(await isSo()); waitMs = Math.min(waitMs * 1.5, 250)) {
    if (performance.now() > deadline) throw new Error(`timed out after ${timeoutMs} ms waiting until ${what}`)
    await pause(waitMs)
  }
}
