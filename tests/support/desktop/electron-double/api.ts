import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chromium } from './chromium.ts'
import { allContents, createContents, type DoubleContents } from './contents.ts'
import { protocol, stopProtocols } from './protocol.ts'
import { mayHave, session } from './session.ts'
import { lockInstance, type InstanceLock } from './single-instance.ts'
import { strict } from './strict.ts'
import * as system from './system.ts'

/**
 * The part of Electron's API that the app's main process uses. Every object is strict: what is not here throws, so that
 * no spec passes on an API that was not there.
 */

let startBrowser: (() => Promise<Chromium>) | null = null
let browser: Promise<Chromium> | null = null
let appPath = ''
const switches = new Map<string, string>()

class App extends EventEmitter {
  readonly isPackaged = false
  name = 'Aspy'
  #ready = false
  #lock: InstanceLock | null = null
  readonly #paths = new Map<string, string>()
  readonly #loginItems = new Map<string, boolean>()
  /** As off macOS. */
  readonly dock = undefined
  #quitting = false
  readonly #whenReady = new Promise<object>((resolve) => this.once('double-ready', () => resolve({})))
  readonly commandLine = {
    appendSwitch: (name: string, value = '') => void switches.set(name, value),
    hasSwitch: (name: string) =>
      switches.has(name) || process.argv.some((argument) => argument.startsWith(`--${name}`)),
    getSwitchValue: (name: string) =>
      switches.get(name) ?? process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1] ?? '',
  }

  /** Once the app's code has run: what Electron calls ready. */
  becomeReady(): void {
    this.#ready = true
    this.emit('double-ready')
    this.emit('ready', {}, {})
  }
  isReady(): boolean {
    return this.#ready
  }
  whenReady(): Promise<object> {
    return this.#whenReady
  }
  enableSandbox(): void {}
  setName(name: string): void {
    this.name = name
  }
  getVersion(): string {
    return (JSON.parse(readFileSync(join(appPath, 'package.json'), 'utf8')) as { version: string }).version
  }
  getAppPath(): string {
    return appPath
  }
  getPath(name: string): string {
    const set = this.#paths.get(name)
    if (set !== undefined) return set
    const folders: Record<string, string> = {
      home: homedir(),
      temp: tmpdir(),
      userData: join(process.env['ASPY_DATA'] ?? tmpdir(), 'electron-double'),
    }
    const folder = folders[name]
    if (folder === undefined) throw new Error(`electron (test double): app.getPath('${name}') is not there`)
    mkdirSync(folder, { recursive: true })
    return folder
  }
  setPath(name: string, path: string): void {
    if (this.#ready) throw new Error(`electron (test double): app.setPath('${name}') after it is ready`)
    this.#paths.set(name, path)
  }
  setAppUserModelId(): void {}
  requestSingleInstanceLock(): boolean {
    this.#lock ??= lockInstance(this.getPath('userData'), ({ argv, cwd }) =>
      this.emit('second-instance', {}, argv, cwd, undefined),
    )
    return this.#lock.isHeld
  }
  getLoginItemSettings({ path }: { path: string }): { openAtLogin: boolean } {
    return { openAtLogin: this.#loginItems.get(path) ?? false }
  }
  setLoginItemSettings({ path, openAtLogin }: { path: string; openAtLogin: boolean }): void {
    this.#loginItems.set(path, openAtLogin)
  }
  quit(): void {
    void this.#quit()
  }
  exit(code = 0): void {
    void this.#leave(code)
  }
  get isQuitting(): boolean {
    return this.#quitting
  }
  async #quit(): Promise<void> {
    if (this.#quitting) return
    let prevented = false
    const event = { preventDefault: () => void (prevented = true) }
    this.emit('before-quit', event)
    if (prevented) return
    this.#quitting = true
    for (const window of windows) {
      if (!window.askToClose()) {
        this.#quitting = false
        return
      }
      await window.webContents.close()
    }
    this.emit('will-quit', event)
    if (prevented) {
      this.#quitting = false
      return
    }
    this.emit('quit', {}, 0)
    await this.#leave(0)
  }
  async #leave(code: number): Promise<void> {
    await this.#lock?.handedOver
    this.#lock?.release()
    stopProtocols()
    await (await browser)?.close()
    process.exit(code)
  }
}

const appInstance = new App()
export const app = strict('app', appInstance)

/** Called by the double's entry before the app's code: how to get a browser, and where the app lies. */
export function bootstrap(start: () => Promise<Chromium>, path: string): void {
  startBrowser = start
  appPath = path
}

/** The one browser; started when it is first needed. */
export function openBrowser(): Promise<Chromium> {
  if (startBrowser === null) throw new Error('electron (test double): a window before the app is ready')
  browser ??= startBrowser()
  return browser
}

/** Called once the app's main module has been evaluated: Electron is never ready before. */
export const becomeReady = () => appInstance.becomeReady()

// Electron ends in order when it is asked to from outside.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => appInstance.quit())

class IpcMain extends EventEmitter {
  readonly handlers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>()
  handle(channel: string, handler: (event: unknown, ...args: unknown[]) => unknown): void {
    if (this.handlers.has(channel)) throw new Error(`Attempted to register a second handler for '${channel}'`)
    this.handlers.set(channel, handler)
  }
  removeHandler(channel: string): void {
    this.handlers.delete(channel)
  }
}
const ipcMainInstance = new IpcMain()
export const ipcMain = strict('ipcMain', ipcMainInstance)

interface WindowOptions {
  readonly x?: number
  readonly y?: number
  readonly width?: number
  readonly height?: number
  readonly show?: boolean
  readonly webPreferences?: Record<string, unknown>
}

class DoubleWindow extends EventEmitter {
  readonly webContents: DoubleContents
  readonly id: number
  readonly #bounds: { x: number; y: number; width: number; height: number }
  #visible = false
  #maximized = false
  #focused = false

  constructor(options: WindowOptions) {
    super()
    if (!app.isReady()) throw new Error('electron (test double): a window before the app is ready')
    this.webContents = createContents(openBrowser(), options, ipcMainInstance, mayHave)
    this.id = this.webContents.id
    const { x = 10, y = 10, width = 800, height = 600 } = options
    this.#bounds = { x, y, width, height }
    this.#visible = options.show !== false
    this.webContents.once('destroyed', () => this.emit('closed'))
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'))
    // Electron tells of every page it makes.
    app.emit('web-contents-created', {}, this.webContents)
  }
  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }
  show(): void {
    this.#visible = true
    this.#focused = true
    this.emit('show')
  }
  hide(): void {
    this.#visible = false
    this.#focused = false
    this.emit('hide')
  }
  blur(): void {
    this.#focused = false
  }
  isVisible(): boolean {
    return this.#visible
  }
  isFocused(): boolean {
    return this.#focused
  }
  isMinimized(): boolean {
    return false
  }
  restore(): void {}
  focus(): void {
    this.#focused = true
  }
  maximize(): void {
    this.#maximized = true
  }
  isMaximized(): boolean {
    return this.#maximized
  }
  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { ...this.#bounds }
  }
  setBounds(bounds: { x: number; y: number; width: number; height: number }): void {
    Object.assign(this.#bounds, bounds)
  }
  isDestroyed(): boolean {
    return this.webContents.isDestroyed()
  }
  /** Whether nobody keeps it from closing. */
  askToClose(): boolean {
    let prevented = false
    this.emit('close', { preventDefault: () => void (prevented = true) })
    return !prevented
  }
  close(): void {
    if (this.askToClose()) this.destroy()
  }
  destroy(): void {
    void this.webContents.close()
  }
  static getAllWindows(): DoubleWindow[] {
    return [...windows].filter((window) => !window.isDestroyed())
  }
  static fromWebContents(contents: DoubleContents): DoubleWindow | null {
    return [...windows].find((window) => window.webContents === contents) ?? null
  }
}
const windows = new Set<DoubleWindow>()

export const BrowserWindow = new Proxy(DoubleWindow, {
  construct(target, args: ConstructorParameters<typeof DoubleWindow>) {
    const window = new target(...args)
    windows.add(window)
    window.once('closed', () => {
      windows.delete(window)
      if (windows.size > 0 || appInstance.isQuitting) return
      if (!appInstance.emit('window-all-closed')) appInstance.quit()
    })
    return strict('BrowserWindow', window)
  },
})

export const webContents = {
  fromDevToolsTargetId: (id: string) => allContents().find((contents) => contents.targetId === id),
  getAllWebContents: () => allContents(),
}

const { dialog, globalShortcut, Menu, nativeImage, Notification, powerMonitor, screen, shell, Tray } = system

Reflect.set(globalThis, Symbol.for('electron-double'), {
  app,
  BrowserWindow,
  dialog,
  globalShortcut,
  ipcMain,
  Menu,
  nativeImage,
  Notification,
  powerMonitor,
  protocol,
  screen,
  session,
  shell,
  Tray,
  webContents,
})
/** Addresses of the modules that were asked for, how many of them when, and how long the app's main module took, in ms. */
export const modules = { loaded: [] as string[], beforeApp: 0, beforeReady: 0, evaluationMs: 0 }
Reflect.set(globalThis, 'electronDouble', { modules })
