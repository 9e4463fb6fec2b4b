import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'
import { delayAnswers } from './slow-answers.ts'

/** Timeout of page actions in ms, generous for slow machines. */
const PATIENCE_MS = 60_000

const QUIET = ['--disable-background-networking', '--disable-component-update']

/** Without motion, themes change at once, so that contrast is not measured in transition, and a page at rest costs nothing. */
const SCREEN = { viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } as const

let shared: Browser | null = null

/** Launches headless Chromium. Throws if none was found; the test setup has reported that by then. */
function launch(): Promise<Browser> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('no Chromium was found')
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer', ...QUIET],
  })
}

/** Returns the Chromium of this process, which its files share. `close` closes the contexts that were opened by it. */
export async function launchBrowser(): Promise<Browser> {
  if (shared?.isConnected() !== true) shared = await launch()
  const browser = shared
  const contexts: BrowserContext[] = []
  const own: Browser = Object.create(browser) as Browser
  own.newContext = async (options) => {
    const context = await browser.newContext({ ...SCREEN, ...options })
    contexts.push(context)
    context.setDefaultTimeout(PATIENCE_MS)
    if (process.env['ASPY_TEST_SLOW_ANSWERS'] === '1') await delayAnswers(context)
    return context
  }
  own.close = async () => void (await Promise.all(contexts.map(closeContext)))
  return own
}

/** Closes a context. A route that still changes an answer of the app then fails unheard: nobody reads that answer. */
async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
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
