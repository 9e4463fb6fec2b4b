import { chromium, type Browser } from 'playwright-core'
import { findChromium } from './chromium.ts'

/** How long a page may take for anything, in ms: the machine may be a slow one. */
const PATIENCE_MS = 60_000

/** Headless Chromium as this project starts it; throws where none was found (the set-up has said so by then). */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('no Chromium was found')
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  const newContext = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    return context
  }
  return browser
}
