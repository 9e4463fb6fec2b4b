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

/**
 * Opens a page that reports console errors, exceptions and requests that `isOwn` rejects. Share it within a file:
 * navigating costs a third of opening a new page.
 */
export async function openWindow(
  context: BrowserContext,
  isOwn: (url: string) => boolean,
  onProblem: (problem: string) => void,
): Promise<Page> {
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') onProblem(message.text())
  })
  page.on('pageerror', (error) => onProblem(String(error)))
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !isOwn(request.url())) onProblem(request.url())
  })
  return page
}
