import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { app, BrowserWindow, protocol, session } from 'electron'
import { WINDOW_ORIGIN } from '../../shared/bridge.ts'
import { errorMessage } from '../../shared/error-text.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import type { IpcDispatch } from '../surfaces/ipc/ipc-surface.ts'
import { createAppProtocol } from './app-protocol.ts'
import { bindIpc } from './ipc.ts'
import { pageAddress } from './names.ts'
import type { openOwnApp } from './own-app.ts'
import { fuseFile, readFuses } from './read-fuses.ts'
import { secureSession } from './secure-session.ts'
import { windowOptions } from './window-options.ts'

/** What the app found out about itself. */
export interface SelfCheck {
  readonly version: string
  /** True if its code was read from within an archive. */
  readonly is_archive: boolean
  /** Fuses of the executable, in Electron's order: 1 is on, 0 is off. Null if it has none. */
  readonly fuses: string | null
  readonly checks: readonly { readonly name: string; readonly fault: string | null }[]
}

export interface SelfCheckOptions {
  /** Folder of the built bundles. */
  readonly out: string
  /** An empty folder, which is removed. */
  readonly dataDir: string
  /** File for the result. A window's program has no output on Windows. */
  readonly file: string
}

/** Time limit of each check in ms. */
const CHECK_MS = 60_000
const LOOK_MS = 50

/** `--self-check=FILE`: starts all parts over an empty folder, with a window that is not shown. Returns if they work. */
export async function checkItself({ out, dataDir, file }: SelfCheckOptions): Promise<boolean> {
  const checks: { name: string; fault: string | null }[] = []
  async function check(name: string, look: () => Promise<void>): Promise<void> {
    const late = pause(CHECK_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('it took too long')))
    const fault = await Promise.race([look(), late]).then(() => null, errorMessage)
    checks.push({ name, fault })
  }
  let own: Awaited<ReturnType<typeof openOwnApp>> | null = null
  await check('threads', async () => {
    own = await startApp(out, dataDir)
  })
  await check('window', () => showPage(out, own))
  await check('end', async () => own?.stop())
  const result: SelfCheck = {
    version: app.getVersion(),
    is_archive: app.getAppPath().endsWith('.asar'),
    fuses: readFuses(fuseFile(process.platform, process.execPath)),
    checks,
  }
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  return checks.every(({ fault }) => fault === null)
}

/** Starts the app, and waits until its recorder runs and a reader has read from the database. */
async function startApp(out: string, dataDir: string) {
  // Nothing of the person's own: neither settings nor ports.
  Object.assign(process.env, {
    ASPY_CONFIG: join(dataDir, 'config.toml'),
    ASPY_PROXY_PORT: '0',
    ASPY_APP_PORT: '0',
  })
  const { openOwnApp } = await import('./own-app.ts')
  const own = await openOwnApp({ dataDir, windowDir: join(out, 'renderer'), version: app.getVersion() })
  const state = async () => (await callOperation(own.dispatch, 'health.get', {}, { access: 'all' })).recorder
  // On a busy machine it takes a while to start.
  while ((await state()) === 'restarting') await pause(LOOK_MS)
  const recorder = await state()
  if (recorder !== 'running') throw new Error(`the recorder is ${recorder}`)
  await callOperation(own.dispatch, 'sessions.list', {}, { access: 'all' })
  return own
}

/** Loads the page from the app's own scheme, and waits until it has asked through its preload and was answered. */
async function showPage(out: string, app: { readonly dispatch: IpcDispatch } | null): Promise<void> {
  if (app === null) throw new Error('there is no app to show')
  const { dispatch } = app
  secureSession(session.defaultSession, true)
  protocol.handle(WINDOW_ORIGIN.scheme, createAppProtocol(join(out, 'renderer')))
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  bindIpc({
    stream: (...args) => dispatch.stream(...args),
    async call(...args) {
      const answer = await dispatch.call(...args)
      resolve()
      return answer
    },
  })
  const window = new BrowserWindow(windowOptions(join(out, 'preload', 'index.cjs')))
  await window.loadURL(pageAddress('/live'))
  await answered
}
