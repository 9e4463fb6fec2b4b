import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import type { createServer } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Chromium } from './chromium.ts'
import { allContents, createContents, type DoubleContents } from './contents.ts'
import { protocol, stopProtocols } from './protocol.ts'

/**
 * The part of Electron's API that the app's main process uses. Every object is strict: what is not here throws, so that
 * no spec passes on an API that was not there.
 */

let chromium: Chromium | null = null
let appPath = ''
const switches = new Map<string, string>()

function strict<T extends object>(name: string, target: T): T {
  return new Proxy(target, {
    get(object, key) {
      const known = key in object || typeof key === 'symbol' || key === 'then' || key === 'default' || key === 'toJSON'
      if (!known) throw new Error(`electron (test double): ${name}.${String(key)} is not there`)
      const value: unknown = Reflect.get(object, key)
      return typeof value === 'function' ? (value.bind(object) as unknown) : value
    },
  })
}

class App extends EventEmitter {
  readonly isPackaged = false
  name = 'Aspy'
  #ready = false
  #lock: ReturnType<typeof createServer> | null = null
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
  setAppUserModelId(): void {}
  quit(): void {
    void this.#quit()
  }
  exit(code = 0): void {
    void this.#leave(code)
  }
  async #quit(): Promise<void> {
    if (this.#quitting) return
    let prevented = false
    const event = { preventDefault: () => void (prevented = true) }
    this.emit('before-quit', event)
    if (prevented) return
    this.#quitting = true
    for (const contents of allContents()) await contents.close()
    this.emit('will-quit', event)
    if (prevented) {
      this.#quitting = false
      return
    }
    this.emit('quit', {}, 0)
    await this.#leave(0)
  }
  async #leave(code: number): Promise<void> {
    this.#lock?.close()
    stopProtocols()
    await chromium?.close()
    process.exit(code)
  }
}

const appInstance = new App()
export const app = strict('app', appInstance)

/** Called by the double's entry before the app's code: the browser, and where the app lies. */
export function bootstrap(browser: Chromium, path: string): void {
  chromium = browser
  appPath = path
  setTimeout(() => appInstance.becomeReady(), 0)
}

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

class DoubleWindow extends EventEmitter {
  readonly webContents: DoubleContents
  readonly id: number
  #visible = false

  constructor(options: { width?: number; height?: number; show?: boolean; webPreferences?: Record<string, unknown> }) {
    super()
    if (chromium === null) throw new Error('electron (test double): a window before the app is ready')
    this.webContents = createContents(chromium, options, ipcMainInstance)
    this.id = this.webContents.id
    this.#visible = options.show !== false
    this.webContents.once('destroyed', () => this.emit('closed'))
    this.webContents.once('did-finish-load', () => this.emit('ready-to-show'))
  }
  loadURL(url: string): Promise<void> {
    return this.webContents.loadURL(url)
  }
  show(): void {
    this.#visible = true
    this.emit('show')
  }
  hide(): void {
    this.#visible = false
    this.emit('hide')
  }
  isVisible(): boolean {
    return this.#visible
  }
  isMinimized(): boolean {
    return false
  }
  restore(): void {}
  focus(): void {}
  isDestroyed(): boolean {
    return this.webContents.isDestroyed()
  }
  close(): void {
    let prevented = false
    this.emit('close', { preventDefault: () => void (prevented = true) })
    if (!prevented) void this.webContents.close()
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
      if (windows.size === 0) app.emit('window-all-closed')
    })
    return strict('BrowserWindow', window)
  },
})

export const webContents = {
  fromDevToolsTargetId: (id: string) => allContents().find((contents) => contents.targetId === id),
  getAllWebContents: () => allContents(),
}

export { protocol }

export const session = {
  defaultSession: strict('session', {
    setPermissionRequestHandler() {},
    setPermissionCheckHandler() {},
  }),
}

export const shell = strict('shell', {
  opened: [] as string[],
  async openExternal(url: string) {
    shell.opened.push(url)
  },
})

export const Menu = strict('Menu', { setApplicationMenu() {}, buildFromTemplate: (template: unknown) => template })

Reflect.set(globalThis, Symbol.for('electron-double'), {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  protocol,
  session,
  shell,
  webContents,
})
