import { join } from 'node:path'
import { BrowserWindow, screen } from 'electron'
import { pageAddress } from './names.ts'
import { isOwnPage } from './trusted-sender.ts'
import { windowOptions } from './window-options.ts'
import { placeWindow, readRememberedWindow, rememberWindow } from './window-place.ts'

export type MainWindow = ReturnType<typeof createMainWindow>

export interface MainWindowOptions {
  /** The built preload script, and the icon for systems that take it from the window. */
  readonly preload: string
  readonly icon: string
  /** Folder for the remembered size, position and address. */
  readonly folder: string
  readonly onClosed: () => void
  /** Called when the operating system's session ends. */
  readonly onSessionEnd: () => void
  readonly onFault: (error: unknown, what: string) => void
}

/** A page that crashes again within this time (ms) is not reloaded. */
const CRASH_LOOP_MS = 10_000

/** Creates the app's only window. Closing destroys it; showing it again restores its position and address. */
export function createMainWindow(options: MainWindowOptions) {
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
      onFault(reason, 'the page of the window crashed')
      const isFirst = performance.now() - diedAt > CRASH_LOOP_MS
      diedAt = performance.now()
      if (isFirst) created.webContents.reload()
      else created.destroy()
    })
    load(created, address ?? was.address)
    return created
  }

  function load(into: BrowserWindow, address: string): void {
    into.loadURL(pageAddress(address)).catch((error: unknown) => {
      if (!into.isDestroyed()) onFault(error, 'could not load the window')
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
      onFault(error, 'could not remember the window')
    }
  }

  return {
    /** Shows the window, at an address or at the last one. */
    show(address?: string) {
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
    /** Returns true the first time only, so that the user learns once that the app stays in the tray. */
    isFirstCloseToTray(): boolean {
      const before = readRememberedWindow(file)
      if (before.told_of_tray) return false
      try {
        rememberWindow(file, { ...before, told_of_tray: true })
      } catch (error) {
        onFault(error, 'could not remember the window')
      }
      return true
    },
  }
}
