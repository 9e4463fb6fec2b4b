import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { packageRoot } from '../base/app-files.ts'

/** How long fetching Electron's runtime may take, in ms. */
const FETCH_MS = 5 * 60_000

/** Ends the attempt, window included. */
export type CloseDesktop = () => void

/**
 * Opens the desktop window over the app that serves the data folder, in a process of its own. Never blocks: Electron's
 * runtime is fetched in the background where it is missing. `say` gets one line where there will be no window.
 */
export function openDesktop(dataDir: string, say: (line: string) => void): CloseDesktop {
  const ending = new AbortController()
  open(dataDir, say, ending.signal).catch((error: unknown) => {
    say(noWindow(error instanceof Error ? error.message : String(error)))
  })
  return () => ending.abort()
}

async function open(dataDir: string, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const why = await whyNot(signal)
  if (signal.aborted) return
  const binary = electronBinary()
  if (why !== null || binary === null) {
    say(noWindow(why ?? "Electron's runtime could not be fetched"))
    return
  }
  const child = spawn(binary, [packageRoot()], {
    stdio: 'ignore',
    env: { ...process.env, ASPY_DATA: dataDir },
    signal,
  })
  child.on('error', (error) => {
    if (!signal.aborted) say(noWindow(error.message))
  })
}

function noWindow(why: string): string {
  return `No desktop window (${why}): use the link above in a browser.`
}

/** Why there can be no window, once everything has been done to have one; null where there can. */
async function whyNot(signal: AbortSignal): Promise<string | null> {
  if (!existsSync(join(packageRoot(), 'out', 'main', 'index.js'))) return 'the app is not built: npm run build'
  if (process.platform === 'linux' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return 'no display'
  if (electronBinary() !== null) return null
  const folder = electronFolder()
  if (folder === null) return 'Electron is not installed'
  return (await fetchRuntime(folder, signal)) ? null : "Electron's runtime could not be fetched"
}

function electronFolder(): string | null {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}

/** Electron's executable, as its own package finds it; null where it was not fetched yet. */
function electronBinary(): string | null {
  const folder = electronFolder()
  const override = process.env['ELECTRON_OVERRIDE_DIST_PATH']
  if (override) return existing(join(override, process.platform === 'win32' ? 'electron.exe' : 'electron'))
  if (folder === null || !existsSync(join(folder, 'path.txt'))) return null
  return existing(join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8')))
}

function existing(path: string): string | null {
  return existsSync(path) ? path : null
}

function fetchRuntime(folder: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(folder, 'install.js')], { stdio: 'ignore', signal, timeout: FETCH_MS })
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}
