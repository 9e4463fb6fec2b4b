import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChromium } from '../window/chromium.ts'

const TYPE_THIS = 'npx playwright-core install chromium'

/**
 * Runs before the browser tests: finds a Chromium, or lets Playwright download one. If none is available, the tests are
 * skipped with one line of advice; with CI set, that is a failure.
 */
export default async function setUpBrowser(): Promise<void> {
  if (findChromium() !== null) return
  const named = process.env['ASPY_CHROMIUM']
  const why = named ? `ASPY_CHROMIUM names ${named}, which is not there` : await installChromium()
  if (why === null && findChromium() !== null) return
  const line = `No Chromium was found (${why ?? 'the one that was fetched is not there'}); type: ${TYPE_THIS}`
  if (process.env['CI']) throw new Error(line)
  process.stderr.write(`The browser tests are skipped. ${line}\n`)
}

/** Returns null on success, else the reason in one line. */
async function installChromium(): Promise<string | null> {
  const cli = fileURLToPath(new URL('../../../node_modules/playwright-core/cli.js', import.meta.url))
  try {
    await promisify(execFile)(process.execPath, [cli, 'install', 'chromium'], { timeout: 300_000 })
    return null
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
      .replaceAll(/\s+/g, ' ')
      .slice(0, 300)
  }
}
