import { homedir } from 'node:os'
import { join } from 'node:path'
import { app, dialog, globalShortcut, Menu, Notification, powerMonitor, protocol, session } from 'electron'
import { WINDOW_ORIGIN } from '../../shared/bridge.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { addressOf, type AppLink } from './app-links.ts'
import { createAppProtocol } from './app-protocol.ts'
import { applicationMenu } from './application-menu.ts'
import { settingsEffects, staysWhenClosed } from './desktop-settings.ts'
import { createDoor } from './door.ts'
import type { IncomingLinks } from './incoming-links.ts'
import { bindIpc } from './ipc.ts'
import { keepServing } from './keep-serving.ts'
import { createShellLog } from './shell-log.ts'
import { applyLoginStart } from './login-start.ts'
import { createMainWindow } from './main-window.ts'
import { HIDDEN_FLAG, LINK_SCHEME } from './names.ts'
import { createNoticeWatch, type Notice } from './notice-watch.ts'
import { openApp } from './open-app.ts'
import { withTerminal } from './open-terminal.ts'
import { createOrderlyQuit } from './orderly-quit.ts'
import { quitQuestion, type QuitAnswer } from './quit-question.ts'
import { createRecallShortcut } from './recall-shortcut.ts'
import { secureSession } from './secure-session.ts'
import { STARTING, watchStatus, type DesktopStatus } from './status-watch.ts'
import { createTrayIcon, type TrayIcon } from './tray-icon.ts'
import type { MenuActions } from './tray-menu.ts'
import { createUpdateCheck } from './update-check.ts'

/** The longest that the end may take, keeping the proxy served included, in ms. */
const END_MS = 60_000
const KEEP_START_MS = 20_000

export interface DesktopOptions {
  readonly dataDir: string
  /** The built bundles. */
  readonly out: string
  /** Where the window keeps its own things. */
  readonly folder: string
  readonly links: IncomingLinks
}

/** The desktop app, wired, once Electron is ready. Rejects where the app behind the window cannot be opened. */
export async function runDesktop({ dataDir, out, folder, links }: DesktopOptions): Promise<void> {
  const log = createShellLog(join(dataDir, 'desktop.log'))
  // An AppImage runs from a place that is gone after it.
  const program = process.env['APPIMAGE'] || process.execPath
  const command = app.isPackaged ? ([program] as const) : ([process.execPath, app.getAppPath()] as const)
  const icons = join(app.getAppPath(), 'resources', 'icons')
  let tray: TrayIcon | null = null
  let status: DesktopStatus = STARTING
  let isKept = false
  let isUpdating = false
  const notices = new Set<Notification>()

  secureSession(session.defaultSession, app.isPackaged)
  const windowDir = join(out, 'renderer')
  protocol.handle(WINDOW_ORIGIN.scheme, createAppProtocol(windowDir))
  if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)

  const door = createDoor(() =>
    openApp(dataDir, async () => {
      const { openOwnApp } = await import('./own-app.ts')
      return openOwnApp({ dataDir, windowDir, version: app.getVersion() })
    }),
  )
  const unbindIpc = bindIpc(
    withTerminal({ dispatch: door.dispatch, env: process.env, platform: () => process.platform, scripts: folder }),
  )
  const window = createMainWindow({
    preload: join(out, 'preload', 'index.cjs'),
    icon: join(icons, 'icon.png'),
    folder,
    onClosed,
    onSessionEnd: () => quit.request('system'),
    onFault: log,
  })
  const actions: MenuActions = {
    open: (address) => window.show(address),
    recall: () => window.show('/recall'),
    quit: () => quit.request('person'),
    update: () => void update().catch((error: unknown) => log(error, 'the update was not asked about')),
  }
  const openLink = (link: AppLink | null): void => {
    if (link === null) return window.show()
    void addressOf(link, sessionOf).then(window.show, (error: unknown) => log(error, 'a link led nowhere'))
  }

  const shortcut = createRecallShortcut(globalShortcut, actions.recall, (fault) => {
    tell({ title: 'The keys for Recall do nothing', body: `${fault}.`, address: '/settings' })
  })
  const updates = createUpdateCheck({
    load: async () => (await import('electron-updater')).default.autoUpdater,
    isPackaged: app.isPackaged,
    onWaiting: () => showStatus(status),
    onFault: (error) => log(error, 'no new version could be looked for'),
  })
  const applySettings = settingsEffects({
    shortcut,
    updates,
    login: (isWanted) => {
      const { platform, env } = process
      applyLoginStart(isWanted, { platform, env, home: homedir(), command, items: app })
    },
    onFault: (error) => log(error, 'a setting could not be applied'),
  })
  const watch = watchStatus({
    dispatch: door.dispatch,
    onStatus: showStatus,
    onSettings: applySettings,
    onHealth: (health) => noticeWatch.health(health),
    onEvents: (events) => noticeWatch.events(events),
    onBudgets: (reached) => noticeWatch.budgets(reached),
  })
  const noticeWatch = createNoticeWatch({ settings: () => watch.settings(), isLooking: window.isFocused, tell })
  const quit = createOrderlyQuit({
    mayQuit,
    end,
    leave: () => (isUpdating ? updates.install() : app.quit()),
    deadlineMs: END_MS,
    onLate: () => log(null, 'the app did not end in time'),
    onFault: (error) => log(error, 'a part did not end as it should'),
  })

  function showStatus(next: DesktopStatus): void {
    status = next
    const extras = { shortcut: shortcut.keys(), shortcutFault: shortcut.fault(), update: updates.waiting() }
    tray?.update(next, extras)
  }

  function tell({ title, body, address }: Notice): void {
    if (!Notification.isSupported()) return
    const notice = new Notification({ title, body })
    // Kept, or it would be collected before it is clicked.
    notices.add(notice)
    notice.on('click', () => window.show(address))
    notice.on('close', () => notices.delete(notice))
    notice.show()
  }

  async function sessionOf(uuid: string): Promise<string | null> {
    const event = await callOperation(door.dispatch, 'events.get', { uuid }, { access: 'all' }).catch(() => null)
    return event === null ? null : event.session_id
  }

  function onClosed(): void {
    if (!staysWhenClosed(watch.settings(), { hasTray: tray !== null, platform: process.platform })) {
      quit.request('person')
    } else if (tray !== null && watch.settings().app.close_to_tray && window.tellOfTray()) {
      tell({
        title: 'Aspy goes on recording',
        body: 'It sits in the tray; quit it there. Settings has a switch for this.',
        address: '/settings',
      })
    }
  }

  async function asked(purpose: 'quit' | 'update'): Promise<QuitAnswer> {
    const isOwn = await door.opened().then(
      ({ kind }) => kind === 'own',
      () => false,
    )
    const question = isOwn ? quitQuestion(watch.status().clients, purpose) : null
    if (question === null) return 'quit'
    const { message, detail, buttons, answers } = question
    const cancelId = answers.indexOf('stay')
    const { response } = await dialog.showMessageBox({
      type: 'question',
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId,
      noLink: true,
    })
    return answers[response] ?? 'stay'
  }

  async function mayQuit(): Promise<boolean> {
    const answer = await asked('quit')
    isKept = answer === 'keep'
    // Nobody could reach an app without window and tray.
    if (answer === 'stay' && tray === null && !window.isOpen()) window.show()
    return answer !== 'stay'
  }

  async function update(): Promise<void> {
    if ((await asked('update')) === 'stay') return
    isUpdating = true
    quit.request('system')
  }

  async function end(): Promise<void> {
    watch.stop()
    updates.stop()
    globalShortcut.unregisterAll()
    unbindIpc()
    tray?.destroy()
    const { ports } = await door.opened()
    await door.stop()
    if (!isKept) return
    const isServed = await keepServing({ dataDir, command, env: process.env, ports, deadlineMs: KEEP_START_MS })
    if (!isServed) log(null, 'the proxy could not be kept running')
  }

  app.on('before-quit', (event) => {
    // Here macOS tells of its Dock and of other programs, others of a signal or the end of the session.
    if (quit.holdsBack(process.platform === 'darwin' ? 'person' : 'system')) event.preventDefault()
  })
  // With a listener, Electron leaves it to us what happens then.
  app.on('window-all-closed', () => undefined)
  app.on('activate', () => window.show())
  powerMonitor.on('shutdown', () => quit.request('system'))
  powerMonitor.on('resume', () => {
    void door.look()
    void watch.look()
  })
  Menu.setApplicationMenu(
    Menu.buildFromTemplate(applicationMenu(process.platform, { isPackaged: app.isPackaged }, actions)),
  )
  try {
    tray = createTrayIcon(icons, actions)
    showStatus(status)
  } catch (error) {
    log(error, 'there is no tray')
  }
  const firstLink = links.take(openLink)
  if (firstLink !== null) openLink(firstLink)
  else if (!process.argv.includes(HIDDEN_FLAG) || tray === null) window.show()
  await door.opened()
}
