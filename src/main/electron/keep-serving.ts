import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { findRunningApp } from '../base/running-app.ts'
import { BACKGROUND_FLAG } from './names.ts'

export interface KeepServingOptions {
  readonly dataDir: string
  /** The command that starts this program. */
  readonly command: readonly [string, ...string[]]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The ports that clients use; null if not served. */
  readonly ports: { readonly proxy: number | null; readonly app: number }
  readonly deadlineMs: number
}

/**
 * Starts a separate process that serves the same data on the same ports, and waits until it answers. The data and ports
 * must be free. Resolves with false if it does not start in time.
 */
export async function keepServing({ dataDir, command, env, ports, deadlineMs }: KeepServingOptions): Promise<boolean> {
  const [program, ...args] = command
  const child = spawn(program, [...args, BACKGROUND_FLAG], {
    detached: true,
    stdio: 'ignore',
    cwd: dataDir,
    windowsHide: true,
    env: {
      ...env,
      ASPY_DATA: dataDir,
      ASPY_APP_PORT: String(ports.app),
      ...(ports.proxy === null ? {} : { ASPY_PROXY_PORT: String(ports.proxy) }),
    },
  })
  const ended = new AbortController()
  child.once('exit', () => ended.abort()).once('error', () => ended.abort())
  child.unref()
  for (const started = performance.now(); performance.now() - started < deadlineMs; await pause(50)) {
    if ((await findRunningApp(dataDir)) !== null) return true
    if (ended.signal.aborted) return false
  }
  return false
}
