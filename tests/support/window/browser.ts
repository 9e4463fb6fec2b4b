import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
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

/**
 * A page that tells of console errors, of exceptions and of requests to others than `isOwn`. One for all tests of a file:
 * to go to the next address costs it a third of what a new page costs.
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
