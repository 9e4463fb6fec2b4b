import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { packageRoot } from '../base/app-files.ts'
import { errorMessage, errorCode } from '../../shared/error-text.ts'

/** Time limit in ms for downloading Electron's runtime. */
const FETCH_MS = 5 * 60_000

/** Closes the window, or cancels opening it. */
export type CloseDesktop = () => void

/**
 * Opens the desktop window in its own process; it attaches to the app that serves the data folder. Never blocks: a
 * missing Electron runtime is downloaded in the background. `say` receives one line if no window can be opened.
 */
export function openDesktop(dataDir: string, say: (line: string) => void): CloseDesktop {
  const ending = new AbortController()
  open(dataDir, say, ending.signal).catch((error: unknown) => {
    say(noWindow(errorMessage(error)))
  })
  return () => ending.abort()
}

async function open(dataDir: string, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const packed = packedProgram()
  const reason = await unavailableReason(signal)
  if (signal.aborted) return
  const binary = packed ?? electronBinary()
  if (reason !== null || binary === null) {
    say(noWindow(reason ?? NO_RUNTIME))
    return
  }
  const child = spawn(binary, packed === null ? [packageRoot()] : [], {
    stdio: 'ignore',
    env: { ...process.env, ASPY_DATA: dataDir },
    signal,
  })
  child.on('error', (error) => {
    if (!signal.aborted) say(noWindow(error.message))
  })
}

const NO_RUNTIME = "Electron's runtime could not be downloaded"

const noWindow = (reason: string): string => `No desktop window (${reason}). Open the link above in a browser.`

/** Prepares the desktop runtime. Returns the reason if a window cannot be opened, else null. */
async function unavailableReason(signal: AbortSignal): Promise<string | null> {
  if (!existsSync(join(packageRoot(), 'out', 'main', 'index.js'))) return 'the app is not built; run npm run build'
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return 'no display'
  if ((packedProgram() ?? electronBinary()) !== null) return null
  const folder = electronFolder()
  if (folder === null) return 'Electron is not installed'
  return (await fetchRuntime(folder, signal)) ? null : NO_RUNTIME
}

function electronFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch (error) {
    if (errorCode(error) === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Returns the path of Electron's executable, found as Electron's own package finds it; null if not downloaded yet. */
function electronBinary(): string | null {
  const folder = electronFolder()
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return existing(join(override, process.platform === 'win32' ? 'electron.exe' : 'electron'))
  if (folder === null || !existsSync(join(folder, 'path.txt'))) return null
  return existing(join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8')))
}

/** Returns the desktop app whose package brings this command; null if it comes from elsewhere. */
function packedProgram(): string | null {
  const root = packageRoot()
  if (basename(root) !== 'command') return null
  const { platform } = process
  const program = platform === 'darwin' ? 'MacOS/Aspy' : platform === 'win32' ? 'Aspy.exe' : 'aspy'
  return existing(join(root, '../..', program))
}

const existing = (path: string): string | null => (existsSync(path) ? path : null)

function fetchRuntime(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', signal, timeout: FETCH_MS })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}
