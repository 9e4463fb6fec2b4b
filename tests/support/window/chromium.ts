import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { chromium } from 'playwright-core'

/** The first one has no window of its own and starts and draws for less; the engine is the same. */
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome.exe',
  'msedge.exe',
]
const MAC = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** Returns a Chromium to drive: ASPY_CHROMIUM, one on the PATH, or Playwright's own; null if there is none. */
export function findChromium(): string | null {
  const named = process.env['ASPY_CHROMIUM']
  if (named) return existsSync(named) ? named : null
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  const onPath = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)))
  return [...onPath, ...MAC, chromium.executablePath()].find((path) => path !== '' && existsSync(path)) ?? null
}
