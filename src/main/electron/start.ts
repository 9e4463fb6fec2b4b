import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { app, BrowserWindow, Menu, protocol, session } from 'electron'
import pino from 'pino'
import { WINDOW_ORIGIN } from '../../shared/bridge.ts'
import { createApp } from '../app.ts'
import { loadConfig } from '../config/load-config.ts'
import { createDataDir, defaultDataDir, findRunningApp, readKey } from '../data-folder.ts'
import type { Dispatch } from '../dispatch.ts'
import { createRemoteDispatch } from '../remote-dispatch.ts'
import { createAppProtocol } from './app-protocol.ts'
import { bindIpc } from './ipc.ts'
import { guardNavigation } from './navigation-guards.ts'
import { windowOptions } from './window-options.ts'

const HOME = `${WINDOW_ORIGIN.scheme}://${WINDOW_ORIGIN.host}/live`

/** The desktop app: the window over this process's own app, or over the one that already serves the data folder. */
export async function startDesktop(): Promise<void> {
  app.enableSandbox()
  protocol.registerSchemesAsPrivileged([
    { scheme: WINDOW_ORIGIN.scheme, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
  app.on('web-contents-created', (_event, contents) => guardNavigation(contents))
  await app.whenReady()
  Menu.setApplicationMenu(Menu.buildFromTemplate([{ role: 'appMenu' }, { role: 'editMenu' }, { role: 'viewMenu' }]))
  session.defaultSession.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.defaultSession.setPermissionCheckHandler(() => false)

  const out = join(import.meta.dirname, '..')
  const windowDir = join(out, 'renderer')
  const { dispatch, stop } = await openDispatch(windowDir)
  protocol.handle(WINDOW_ORIGIN.scheme, createAppProtocol(windowDir))
  const unbindIpc = bindIpc(dispatch)
  quitInOrder(async () => {
    unbindIpc()
    await stop()
  })

  const window = new BrowserWindow(windowOptions(join(out, 'preload', 'index.cjs')))
  window.once('ready-to-show', () => window.show())
  await window.loadURL(HOME)
}

/** The door to the data: our own app, or that of the process that serves the folder already. */
async function openDispatch(windowDir: string): Promise<{ dispatch: Dispatch; stop(): Promise<void> }> {
  const dataDir = resolve(process.env['ASPY_DATA'] ?? defaultDataDir())
  const running = await findRunningApp(dataDir)
  const token = running === null ? null : readKey(dataDir, 'token')
  if (running !== null && token !== null) {
    return { dispatch: createRemoteDispatch({ appUrl: running.appUrl, token }), stop: async () => undefined }
  }
  createDataDir(dataDir)
  const config = loadConfig({ file: join(dataDir, 'config.toml'), env: process.env })
  const logger = pino({ level: 'info' }, pino.destination({ dest: join(dataDir, 'aspy.log'), mode: 0o600 }))
  // Electron is no `aspy` that hooks could call.
  const claudeCode = { env: process.env, home: homedir(), aspy: null }
  const own = createApp({ dataDir, config, version: app.getVersion(), windowDir, logger, claudeCode })
  await own.start()
  return { dispatch: own.dispatch, stop: () => own.stop() }
}

/** Holds the quit back until everything has ended; a second request while that goes on changes nothing. */
function quitInOrder(end: () => Promise<void>): void {
  let state: 'running' | 'ending' | 'ended' = 'running'
  app.on('before-quit', (event) => {
    if (state === 'ended') return
    event.preventDefault()
    if (state === 'ending') return
    state = 'ending'
    void end().finally(() => {
      state = 'ended'
      app.quit()
    })
  })
  app.on('window-all-closed', () => app.quit())
}
