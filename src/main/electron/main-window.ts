import { join } from 'node:path'
import { BrowserWindow, screen } from 'electron'
import { pageAddress } from './names.ts'
import { isOwnPage } from './trusted-sender.ts'
import { windowOptions } from './window-options.ts'
import { placeWindow, readRememberedWindow, rememberWindow } from './window-place.ts'

export interface MainWindow {
  /** Brings the window up, at an address or where it was. */
  show(address?: string): void
  isFocused(): boolean
  isOpen(): boolean
  /** Remembers that its owner knows where it goes when it is closed; false: they knew. */
  tellOfTray(): boolean
}

export interface MainWindowOptions {
  /** The built preload, and the window's icon where the system takes it from the window. */
  readonly preload: string
  readonly icon: string
  /** Where size, place and address are kept. */
  readonly folder: string
  readonly onClosed: () => void
  /** The computer's session ends. */
  readonly onSessionEnd: () => void
  readonly onFault: (error: unknown, what: string) => void
}

/** A page that dies again so soon is not loaded once more, in ms. */
const AGAIN_MS = 10_000

/** The one window. Closed it is gone, page and all; shown again it stands where it was, at the same address. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { preload, icon, folder, onClosed, onSessionEnd, onFault } = options
  const file = join(folder, 'window.json')
  let window: BrowserWindow | null = null
  let diedAt = -Infinity

  function create(address: string | undefined): BrowserWindow {
    const was = readRememberedWindow(file)
    const areas = screen.getAllDisplays().map(({ workArea }) => workArea)
    const created = new BrowserWindow({ ...windowOptions(preload), icon, ...placeWindow(was.bounds, areas) })
    if (was.maximized) created.maximize()
    created.once('ready-to-show', () => created.show())
    created.on('close', () => remember(created))
    created.on('session-end', onSessionEnd)
    created.once('closed', () => {
      window = null
      onClosed()
    })
    created.webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit') return
      onFault(reason, 'the page of the window ended')
      const isFirst = performance.now() - diedAt > AGAIN_MS
      diedAt = performance.now()
      if (isFirst) created.webContents.reload()
      else created.destroy()
    })
    load(created, address ?? was.address)
    return created
  }

  function load(into: BrowserWindow, address: string): void {
    into.loadURL(pageAddress(address)).catch((error: unknown) => {
      if (!into.isDestroyed()) onFault(error, 'the window could not be loaded')
    })
  }

  function remember(closing: BrowserWindow): void {
    try {
      const url = closing.webContents.getURL()
      const { pathname, search } = new URL(isOwnPage(url) ? url : pageAddress('/live'))
      const before = readRememberedWindow(file)
      rememberWindow(file, {
        ...before,
        bounds: closing.getNormalBounds(),
        maximized: closing.isMaximized(),
        address: pathname + search,
      })
    } catch (error) {
      onFault(error, 'the place of the window could not be kept')
    }
  }

  return {
    show(address) {
      if (window === null || window.isDestroyed()) {
        window = create(address)
        return
      }
      if (address !== undefined && window.webContents.getURL() !== pageAddress(address)) load(window, address)
      if (window.isMinimized()) window.restore()
      window.show()
      window.focus()
    },
    isFocused: () => window !== null && !window.isDestroyed() && window.isFocused(),
    isOpen: () => window !== null && !window.isDestroyed(),
    tellOfTray() {
      const before = readRememberedWindow(file)
      if (before.told_of_tray) return false
      try {
        rememberWindow(file, { ...before, told_of_tray: true })
      } catch (error) {
        onFault(error, 'the place of the window could not be kept')
      }
      return true
    },
  }
}
