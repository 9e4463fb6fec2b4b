import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'
import { delayAnswers } from './slow-answers.ts'

/** Timeout of page actions in ms, generous for slow machines. */
const PATIENCE_MS = 60_000

/** Launches headless Chromium. Throws if none was found; the test setup has reported that by then. */
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
    if (process.env['ASPY_TEST_SLOW_ANSWERS'] === '1') await delayAnswers(context)
    return context
  }
  return browser
}

/** Opens a page that reports console errors, exceptions and requests to any origin but those of its own servers. */
export async function openWindow(
  context: BrowserContext,
  own: ReadonlySet<string>,
  onProblem: (problem: string) => void,
): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') onProblem(message.text())
  })
  page.on('pageerror', (error) => onProblem(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (!own.has(origin) && !['data:', 'blob:'].includes(protocol)) onProblem(request.url())
  })
  return page
}
