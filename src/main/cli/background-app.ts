import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { createDataDir, findRunningApp } from '../base/data-folder.ts'
import type { RunningApp } from '../base/data-folder.ts'

/** How long a started app may take to answer, in ms: a database may have to be brought up to date first. */
const START_MS = 60_000
/** Minutes without a client after which a started app leaves. */
const LEAVE_AFTER = 5

/**
 * Starts an app that outlives this process and leaves some minutes after its last client; waits until it answers.
 * `flags` are those of this command that `serve` has too. Throws with what the app said, where it does not come up.
 */
export async function startBackgroundApp(dataDir: string, flags: readonly string[]): Promise<RunningApp> {
  createDataDir(dataDir)
  const logPath = join(dataDir, 'serve.log')
  const log = openSync(logPath, 'w', 0o600)
  const entry = process.argv[1]
  if (entry === undefined) throw new AspyError('internal', 'this command does not know where its own file lies')
  const child = spawn(
    process.execPath,
    [entry, 'serve', '--json', '--leave-after', String(LEAVE_AFTER), '--data', dataDir, ...flags],
    // No output of its own: a pipe would break when this process ends, and the token belongs in no file but its own.
    { detached: true, stdio: ['ignore', 'ignore', log], cwd: dataDir, windowsHide: true },
  )
  closeSync(log)
  let hasEnded = false
  child.once('exit', () => (hasEnded = true)).once('error', () => (hasEnded = true))
  child.unref()
  for (const started = performance.now(); performance.now() - started < START_MS; await pause(50)) {
    const wasOver = hasEnded
    const app = await findRunningApp(dataDir)
    if (app !== null) return app
    if (wasOver) break
  }
  const said = readFileSync(logPath, 'utf8').trim().split('\n').slice(-3).join('\n')
  throw new AspyError('internal', `the app did not start${said === '' ? '' : `: ${said}`}`)
}
