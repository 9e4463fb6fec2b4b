import { rmSync } from 'node:fs'
import { constants, homedir } from 'node:os'
import { join } from 'node:path'
import { createApp, type App, type StartedApp } from '../app.ts'
import { packageRoot, packageVersion, windowFolder } from '../base/app-files.ts'
import { findRunningApp } from '../base/running-app.ts'
import { leaveWhenIdle } from '../leave-when-idle.ts'
import { typedCommand } from '../base/typed-command.ts'
import { createLogger } from '../base/log-lines.ts'
import { Kept } from '../keeper/kept.ts'
import { isKept, KEPT_VARIABLE } from '../keeper/protocol.ts'
import { watchProgram } from '../keeper/watch-program.ts'
import { ENDING, keep } from '../keeper/keep.ts'
import { ownCommand } from './own-command.ts'
import { startCommand } from './start-command.ts'
import { defaultPorts, requireOwnPorts } from './ports-of-run.ts'
import type { RunSettings } from './settings-of-run.ts'
import { folderOption } from '../base/folder-of-run.ts'
import { sayAside } from './wrap.ts'

/** Delay between the request to leave a demo and its end, so that the answer still arrives. */
const LEAVING_MS = 100

export interface ServeFlags {
  readonly json?: boolean
  /** It is a service: it tries again until it can start. */
  readonly wait?: boolean
  /** Minutes without a client after which the app exits. */
  readonly leaveAfter?: number
}

/** A running app and how to stop it. */
export interface Served {
  readonly app: App
  readonly started: StartedApp
  /** False if its keeper had started another one before. */
  readonly isFirst: boolean
  /** Resolves once the app has stopped, after a signal, `end()` or an idle timeout. */
  readonly ended: Promise<void>
  /** Asks the app to stop. */
  end(): void
}

interface Serving {
  readonly leaveAfter?: number | undefined
  readonly withKeeper?: boolean
  readonly isForCommand?: boolean
}

/** A keeper of an earlier build starts no other app in the place of one that is asked to end. */
const REPLACED_MS = 30_000

/**
 * Starts the app in this process. SIGINT, SIGTERM or SIGHUP stops it in order; a second signal exits immediately. An app
 * with a keeper goes on until another one has its place, unless the keeper has the signal, too.
 */
export async function serveHere(
  { dataDir, loaded, isDemo }: RunSettings,
  { leaveAfter, withKeeper = false, isForCommand = false }: Serving = {},
): Promise<Served> {
  if (isDemo) sayAside('Preparing the demo …; Ctrl+C ends it')
  const logger = createLogger()
  const stop = new AbortController()
  let isAsked = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (isAsked) process.exit(128 + constants.signals[signal])
    isAsked = true
    if (kept?.replace() === true) setTimeout(() => stop.abort(), REPLACED_MS).unref()
    else stop.abort()
  }
  // Installed first: creating the app writes its keys, and it answers clients before `start` returns.
  const kept = withKeeper ? new Kept(logger) : null
  for (const name of ENDING) process.on(name, onSignal)
  const removeSignalHandlers = () => ENDING.forEach((name) => process.off(name, onSignal))
  // Streams of an app with a keeper end by themselves: its ports are served meanwhile.
  let handing = Promise.resolve()
  const deadline: { ms: number | null | undefined } = { ms: kept === null ? undefined : null }
  if (kept !== null) {
    kept.onEnd = (withinMs, isReplaced) => {
      deadline.ms = withinMs
      if (isReplaced)
        handing = app.handOver().catch((err: unknown) => logger.warn({ err }, 'the store could not be handed over'))
      stop.abort()
    }
  }
  const leaveDemo = () => {
    setTimeout(() => stop.abort(), LEAVING_MS)
    return null
  }
  const app = createApp({
    dataDir,
    config: loaded,
    version: packageVersion(),
    windowDir: windowFolder(),
    logger,
    ...(isDemo ? { leaveDemo, ending: stop.signal } : {}),
    // The demo is left for the usual folder.
    commands: { aspy: `${typedCommand()}${isDemo ? '' : folderOption(dataDir)}`, start: startCommand() },
    kept,
    isForCommand,
    claudeCode: { env: process.env, home: homedir(), aspy: ownCommand() },
  })
  const started = await app.start().catch((error: unknown) => {
    removeSignalHandlers()
    kept?.release()
    // It was asked to end while the demo was written, and has stopped in order.
    if (isDemo && stop.signal.aborted) process.exit(0)
    throw error
  })
  if (kept !== null) watchProgram(join(packageRoot(), 'out/main/aspy.js'), () => kept.replace())
  if (leaveAfter !== undefined) {
    void leaveWhenIdle(app, leaveAfter * 60_000, stop.signal).then(() => {
      if (!stop.signal.aborted) kept?.leave(true)
      stop.abort()
    })
  }
  const ended = new Promise<void>((resolve) => {
    if (stop.signal.aborted) resolve()
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
  }).then(async () => {
    kept?.leave(false)
    kept?.sayWaits(() => app.inUse())
    await handing
    await app.stop(deadline.ms)
    if (isDemo) rmSync(dataDir, { recursive: true, force: true })
    removeSignalHandlers()
    kept?.release()
  })
  return { app, started, isFirst: kept?.isFirst ?? true, ended, end: () => stop.abort() }
}

/** `aspy serve`: runs the app without a window until it is asked to stop. */
export async function serve(settings: RunSettings, flags: ServeFlags): Promise<void> {
  const withKeeper = isKept()
  if (!withKeeper && !settings.isDemo) return keep()
  const own = flags.wait === true ? settings : await withOwnPorts(settings)
  const { started, isFirst, ended } = await serveHere(own, { leaveAfter: flags.leaveAfter, withKeeper })
  const { proxy, app, tunnel, token, data } = started
  if (!isFirst) return ended
  if (flags.json) console.log(JSON.stringify({ ready: true, proxy, app, tunnel, token, data }))
  else console.log(welcome(started))
  await ended
}

/**
 * Chooses other ports in place of default ones that other programs use, before the first start. A service waits for its own:
 * the settings of clients name them.
 */
async function withOwnPorts(settings: RunSettings): Promise<RunSettings> {
  const keys = defaultPorts(settings.loaded).map(({ key }) => key)
  if (process.env[KEPT_VARIABLE] !== 'first' || keys.length === 0) return settings
  const isRunning = (await findRunningApp(settings.dataDir).catch(() => null)) !== null
  return isRunning ? settings : requireOwnPorts(settings, keys)
}

/** Returns the text that is printed when the app is ready. */
export function welcome({ app, token, data }: StartedApp): string {
  return [
    `Dashboard     ${app}/#key=${token}`,
    `Claude Code   ${typedCommand()} run${folderOption(data)} -- claude`,
    `Data          ${data}`,
  ].join('\n')
}
