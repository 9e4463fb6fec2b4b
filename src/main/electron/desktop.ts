import { homedir } from 'node:os'
import { join } from 'node:path'
import { app, dialog, globalShortcut, Menu, Notification, powerMonitor, protocol, session } from 'electron'
import { WINDOW_ORIGIN } from '../../shared/bridge.ts'
import { callOperation } from '../dispatch/call-operation.ts'
import { chooseFolder } from './choose-folder.ts'
import { addressOf, type AppLink } from './app-links.ts'
import { createAppProtocol } from './app-protocol.ts'
import { applicationMenu } from './application-menu.ts'
import { settingsEffects, staysWhenClosed } from './desktop-settings.ts'
import { createDoor, type Door } from './door.ts'
import type { IncomingLinks } from './incoming-links.ts'
import { bindIpc } from './ipc.ts'
import { keepServing } from './keep-serving.ts'
import { createShellLog, type ShellLog } from './shell-log.ts'
import { applyLoginStart } from './login-start.ts'
import { createMainWindow, type MainWindow } from './main-window.ts'
import { HIDDEN_FLAG, LINK_SCHEME } from './names.ts'
import { createNoticeWatch, type Notice, type NoticeWatch } from './notice-watch.ts'
import { openApp } from './open-app.ts'
import { withTerminal } from './open-terminal.ts'
import { createOrderlyQuit, type OrderlyQuit } from './orderly-quit.ts'
import { questionBox, quitQuestion, type QuitAnswer } from './quit-question.ts'
import { askKeeper } from '../keeper/control.ts'
import { createRecallShortcut, type RecallShortcut } from './recall-shortcut.ts'
import { secureSession } from './secure-session.ts'
import { STARTING, watchStatus, type DesktopStatus, type StatusWatch } from './status-watch.ts'
import { createTrayIcon, type TrayIcon } from './tray-icon.ts'
import type { MenuActions } from './tray-menu.ts'
import { createUpdateCheck, type UpdateCheck } from './update-check.ts'
import { offerUpdates } from './update-offer.ts'

/** Time limits in ms for the whole shutdown, and for the background process that keeps the proxy running. */
const END_MS = 60_000
const KEEP_START_MS = 20_000

export interface DesktopOptions {
  readonly dataDir: string
  /** Folder of the built bundles. */
  readonly out: string
  /** Folder for the window's own files. */
  readonly folder: string
  readonly links: IncomingLinks
}

/** Runs the desktop app once Electron is ready. Rejects if the app behind the window cannot be opened. */
export async function runDesktop(options: DesktopOptions): Promise<void> {
  await new Desktop(options).run()
}

/** The desktop shell: window, tray, links, shortcut, notifications and quit, connected to the app behind the door. */
class Desktop {
  readonly #options: DesktopOptions
  /** The command that starts this program again. */
  readonly #command: readonly [string, ...string[]]
  readonly #icons = join(app.getAppPath(), 'resources', 'icons')
  readonly #log: ShellLog
  readonly #door: Door
  readonly #unbindIpc: () => void
  readonly #window: MainWindow
  readonly #actions: MenuActions
  readonly #shortcut: RecallShortcut
  readonly #updates: UpdateCheck
  readonly #watch: StatusWatch
  readonly #noticeWatch: NoticeWatch
  readonly #quit: OrderlyQuit
  /** Notifications on screen. Without a reference they would be collected before a click. */
  readonly #notices = new Set<Notification>()
  #tray: TrayIcon | null = null
  #status: DesktopStatus = STARTING
  /** True if the proxy keeps running after quitting. */
  #isKept = false
  #isUpdating = false

  constructor(options: DesktopOptions) {
    const { dataDir, out, folder } = options
    this.#options = options
    // An AppImage runs from a temporary mount, so its own path must be used to start it again.
    const program = process.env['APPIMAGE'] || process.execPath
    this.#command = app.isPackaged ? [program] : [process.execPath, app.getAppPath()]
    this.#log = createShellLog(join(dataDir, 'desktop.log'))
    secureSession(session.defaultSession, app.isPackaged)
    const windowDir = join(out, 'renderer')
    protocol.handle(WINDOW_ORIGIN.scheme, createAppProtocol(windowDir))
    if (app.isPackaged) app.setAsDefaultProtocolClient(LINK_SCHEME)
    this.#door = createDoor(() =>
      openApp(dataDir, async () => {
        const { openOwnApp } = await import('./own-app.ts')
        return openOwnApp({ dataDir, windowDir, version: app.getVersion() })
      }),
    )
    const { dispatch } = this.#door
    this.#unbindIpc = bindIpc(
      withTerminal({
        dispatch,
        env: process.env,
        platform: () => process.platform,
        scripts: folder,
        chooseFolder,
      }),
    )
    this.#window = createMainWindow({
      preload: join(out, 'preload', 'index.cjs'),
      icon: join(this.#icons, 'icon.png'),
      folder,
      onClosed: () => this.#onClosed(),
      onSessionEnd: () => this.#quit.request('system'),
      onFault: this.#log,
    })
    this.#actions = {
      open: (address) => this.#window.show(address),
      recall: () => this.#window.show('/recall'),
      quit: () => this.#quit.request('person'),
      decide: (id, decision) => {
        callOperation(dispatch, 'guard.release', { id, decision }, { access: 'all' }).catch((error: unknown) =>
          this.#log(error, 'could not decide about a request that waits'),
        )
      },
      update: () => void this.#update().catch((error: unknown) => this.#log(error, 'could not ask about the update')),
    }
    this.#shortcut = createRecallShortcut(globalShortcut, this.#actions.recall, (fault) => {
      this.#notify({ title: 'The Recall shortcut does not work', body: `${fault}.`, address: '/settings' })
    })
    this.#updates = createUpdateCheck({
      load: async () => (await import('electron-updater')).default.autoUpdater,
      isPackaged: app.isPackaged,
      onWaiting: () => this.#showStatus(this.#status),
      onFault: (error) => this.#log(error, 'could not check for updates'),
    })
    this.#watch = this.#watchStatus()
    this.#noticeWatch = createNoticeWatch({
      settings: () => this.#watch.settings(),
      isLooking: this.#window.isFocused,
      notify: (notice) => this.#notify(notice),
    })
    this.#quit = createOrderlyQuit({
      mayQuit: () => this.#mayQuit(),
      end: () => this.#end(),
      leave: () => (this.#isUpdating ? this.#updates.install() : app.quit()),
      deadlineMs: END_MS,
      onLate: () => this.#log(null, 'the app did not stop in time'),
      onFault: (error) => this.#log(error, 'a part failed to stop'),
    })
  }

  #watchStatus(): StatusWatch {
    const applySettings = settingsEffects({
      shortcut: this.#shortcut,
      updates: this.#updates,
      login: (isWanted) => {
        const { platform, env } = process
        applyLoginStart(isWanted, { platform, env, home: homedir(), command: this.#command, items: app })
      },
      onFault: (error) => this.#log(error, 'could not apply a setting'),
    })
    return watchStatus({
      dispatch: this.#door.dispatch,
      waits: async () => (await askKeeper(this.#options.dataDir, 'status'))?.waits ?? 0,
      onStatus: (status) => this.#showStatus(status),
      onSettings: applySettings,
      onHealth: (health) => this.#noticeWatch.health(health),
      onEvents: (events) => this.#noticeWatch.events(events),
      onNews: (news) => this.#noticeWatch.news(news),
      onHeld: (held) => this.#noticeWatch.held(held),
      onBudgets: (reached) => this.#noticeWatch.budgets(reached),
    })
  }

  /** Listens to Electron, shows tray and window, and waits until the app behind them is open. */
  async run(): Promise<void> {
    app.on('before-quit', (event) => {
      // On macOS this comes from the Dock or another program; elsewhere from a signal or the end of the session.
      if (this.#quit.holdsBack(process.platform === 'darwin' ? 'person' : 'system')) event.preventDefault()
    })
    // Without a listener, Electron would quit here.
    app.on('window-all-closed', () => undefined)
    app.on('activate', () => this.#window.show())
    powerMonitor.on('shutdown', () => this.#quit.request('system'))
    powerMonitor.on('resume', () => {
      void this.#door.check()
      void this.#watch.refresh()
    })
    Menu.setApplicationMenu(
      Menu.buildFromTemplate(applicationMenu(process.platform, { isPackaged: app.isPackaged }, this.#actions)),
    )
    try {
      this.#tray = createTrayIcon(this.#icons, this.#actions)
      this.#showStatus(this.#status)
    } catch (error) {
      this.#log(error, 'the system has no tray')
    }
    const openLink = (link: AppLink | null): void => this.#openLink(link)
    const firstLink = this.#options.links.take(openLink)
    if (firstLink !== null) openLink(firstLink)
    else if (!process.argv.includes(HIDDEN_FLAG) || this.#tray === null) this.#window.show()
    await this.#door.opened()
    if (app.isPackaged && this.#window.isOpen()) this.#offerUpdates()
  }

  #offerUpdates(): void {
    const { dispatch } = this.#door
    const ask = (box: Electron.MessageBoxOptions) => dialog.showMessageBox(box)
    const offer = { resources: process.resourcesPath, folder: this.#options.folder, dispatch, ask }
    offerUpdates(offer).catch((error: unknown) => this.#log(error, 'could not ask about updates'))
  }

  #openLink(link: AppLink | null): void {
    if (link === null) return this.#window.show()
    void addressOf(link, (uuid) => this.#sessionOf(uuid)).then(this.#window.show, (error: unknown) =>
      this.#log(error, 'could not open a link'),
    )
  }

  async #sessionOf(uuid: string): Promise<string | null> {
    const { dispatch } = this.#door
    const event = await callOperation(dispatch, 'events.get', { uuid }, { access: 'all' }).catch(() => null)
    return event === null ? null : event.session_id
  }

  #showStatus(status: DesktopStatus): void {
    this.#status = status
    this.#tray?.update(status, {
      shortcut: this.#shortcut.keys(),
      shortcutFault: this.#shortcut.fault(),
      update: this.#updates.waiting(),
    })
  }

  #notify({ title, body, address }: Notice): void {
    if (!Notification.isSupported()) return
    const notice = new Notification({ title, body })
    this.#notices.add(notice)
    notice.on('click', () => this.#window.show(address))
    notice.on('close', () => this.#notices.delete(notice))
    notice.show()
  }

  #onClosed(): void {
    const settings = this.#watch.settings()
    const hasTray = this.#tray !== null
    if (!staysWhenClosed(settings, { hasTray, platform: process.platform })) {
      this.#quit.request('person')
    } else if (hasTray && settings.app.close_to_tray && this.#window.isFirstCloseToTray()) {
      this.#notify({
        title: 'Aspy is still recording',
        body: 'It runs in the tray. To quit, use the tray menu. You can change this in Settings.',
        address: '/settings',
      })
    }
  }

  /** Asks whether to quit if sessions still use the proxy of this process. */
  async #ask(purpose: 'quit' | 'update'): Promise<QuitAnswer> {
    const isOwn = await this.#door.opened().then(
      ({ kind }) => kind === 'own',
      () => false,
    )
    // Someone may quit before the feed has reported a session that has just begun, or before it could be opened.
    if (isOwn) await this.#watch.catchUp()
    const question = isOwn ? quitQuestion(this.#watch.status().clients, purpose) : null
    if (question === null) return 'quit'
    const { response } = await dialog.showMessageBox(questionBox(question))
    return question.answers[response] ?? 'stay'
  }

  async #mayQuit(): Promise<boolean> {
    const answer = await this.#ask('quit')
    this.#isKept = answer === 'keep'
    // Without a tray or window the user could no longer reach the app.
    if (answer === 'stay' && this.#tray === null && !this.#window.isOpen()) this.#window.show()
    return answer !== 'stay'
  }

  async #update(): Promise<void> {
    if ((await this.#ask('update')) === 'stay') return
    this.#isUpdating = true
    this.#quit.request('system')
  }

  async #end(): Promise<void> {
    this.#watch.stop()
    this.#updates.stop()
    globalShortcut.unregisterAll()
    this.#unbindIpc()
    this.#tray?.destroy()
    const { ports } = await this.#door.opened()
    await this.#door.stop()
    if (!this.#isKept) return
    const isServed = await keepServing({
      dataDir: this.#options.dataDir,
      command: this.#command,
      env: process.env,
      ports,
      deadlineMs: KEEP_START_MS,
    })
    if (!isServed) this.#log(null, 'could not keep the proxy running')
  }
}
