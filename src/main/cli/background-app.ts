import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { AspyError } from '../../shared/contract/errors.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { readSetupRecord } from '../clients/claude-code/setup/setup-record.ts'
import { createDataDir } from '../base/data-folder.ts'
import type { RunningApp } from '../base/running-app.ts'
import { findApp, refuseMoved } from './wake-app.ts'
import { defaultPorts, otherPortsText, steadyPorts } from './ports-of-run.ts'
import { flagsForServe } from './flags.ts'
import type { CommonFlags, RunSettings } from './settings-of-run.ts'
import { sayAside } from './wrap.ts'

/** Time in ms that a new app has to answer; it may have to migrate its database first. */
const START_MS = 60_000
/** Minutes without a client after which the app exits. */
const LEAVE_AFTER_MINUTES = 5

/** Says why a client runs without Aspy. */
export const sayUnrecorded = (reason: string): void =>
  sayAside(`aspy: ${reason}: nothing of this run is recorded, and no cap of [guard] holds`)

/**
 * Starts an app for a client. If that fails, says so and returns null: the client then runs as without Aspy. Throws instead
 * if the settings refuse that, or if what was typed needs the app.
 */
export async function startForClient(
  settings: Pick<RunSettings, 'dataDir' | 'loaded'>,
  typed: CommonFlags,
  served: Parameters<typeof flagsForServe>[0] = typed,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningApp | null> {
  try {
    return await startBackgroundApp(settings, flagsForServe(served), env)
  } catch (error) {
    const isNeeded = [typed.upstream, typed.port, typed.proxyPort, typed.tunnelPort].some((each) => each !== undefined)
    if (isNeeded || settings.loaded.config.guard.when_away === 'refuse') throw error
    sayUnrecorded(errorMessage(error))
    return null
  }
}

/**
 * Starts an app that outlives this process and exits some minutes after its last client left. Waits until it answers. In place
 * of ports that nobody chose and other programs use, it gets free ones for good, or where that cannot be kept, for now.
 * `flags` are passed to `serve`, `env` are further variables for it. Tries once more if a program took such a port meanwhile.
 * Throws with the end of the app's log if it does not start.
 */
async function startBackgroundApp(
  { dataDir, loaded: before }: Pick<RunSettings, 'dataDir' | 'loaded'>,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
  isAgain = false,
): Promise<RunningApp> {
  await refuseMoved(dataDir)
  const { loaded, left, moved } = await steadyPorts({ dataDir, loaded: before })
  const free = left.flatMap(({ flag }) => [flag, '0'])
  createDataDir(dataDir)
  const logPath = join(dataDir, 'serve.log')
  const log = openSync(logPath, 'w', 0o600)
  // Fails on a full disk, where no app could write its note.
  writeSync(log, '\n')
  const entry = process.argv[1]
  if (entry === undefined) throw new AspyError('internal', 'cannot find the path of the aspy command')
  const child = spawn(
    process.execPath,
    [entry, 'serve', '--json', '--leave-after', String(LEAVE_AFTER_MINUTES), '--data', dataDir, ...flags, ...free],
    // Output is discarded: a pipe would break when this process ends, and the token must not reach another file.
    {
      detached: true,
      stdio: ['ignore', 'ignore', log],
      cwd: dataDir,
      windowsHide: true,
      env: { ...process.env, ...env },
    },
  )
  closeSync(log)
  let hasEnded = false
  child.once('exit', () => (hasEnded = true)).once('error', () => (hasEnded = true))
  child.unref()
  for (const started = performance.now(); performance.now() - started < START_MS; await pause(50)) {
    const endedBefore = hasEnded
    const app = await findApp(dataDir)
    if (app !== null) {
      if (left.length > 0) sayAside(otherPortsText(left, app.ports))
      const isMissed = [...moved, ...left.map(({ key }) => key)].includes('app.port')
      if (isMissed && readSetupRecord(dataDir).plugins.length > 0)
        sayAside(`aspy: hooks still name the port of before: run aspy setup.`)
      return app
    }
    if (endedBefore) break
  }
  const said = readFileSync(logPath, 'utf8')
  if (!isAgain && defaultPorts(loaded).some(({ port }) => said.includes(`port ${port} is taken`)))
    return startBackgroundApp({ dataDir, loaded }, flags, env, true)
  const lastLines = said.trim().split('\n').slice(-3).join('\n')
  throw new AspyError('internal', `the app did not start${lastLines === '' ? '' : `: ${lastLines}`}`)
}
