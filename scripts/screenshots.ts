/**
 * Takes screenshots of every view of the built window with demo data: `npm run screenshots -- [FOLDER [NAME…]]`. All views
 * at 1440×900 in light and dark and at 1024×700; some at 2560×1440 and in the solarized themes. With names, only those
 * views, in light and dark. `npm run screenshots -- --sheets [FOLDER [NAME…]]` takes each view at 420, 1024, 1440 and
 * 2,560 px in light and dark instead, and writes a contact sheet of each to docs/images.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../tests/support/window/browser.ts'
import { type Ready, startDemoApp } from './demo-app.ts'
import { SHEET_SIZES, SHEET_THEMES, shootSizes, writeContactSheet } from './contact-sheet.ts'
import { haveConversation, talkingUpstream } from '../tests/support/app/demo-conversation.ts'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)
const isSheets = words[0] === '--sheets'
const [folder = join(root, 'out/screenshots'), ...names] = words.slice(isSheets ? 1 : 0)

async function ask<Answer>({ app, token }: Ready, operation: string, input: object = {}): Promise<Answer> {
  const response = await fetch(`${app}/api/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  if (!response.ok) throw new Error(`${operation}: ${await response.text()}`)
  return (await response.json()) as Answer
}

interface View {
  readonly name: string
  readonly path: string
  /** Steps before the screenshot. */
  readonly act?: (page: Page) => Promise<void>
}

async function viewsOf(ready: Ready): Promise<readonly View[]> {
  interface Items {
    readonly items: readonly { readonly id: string; readonly uuid: string; readonly session_id: string }[]
  }
  const { items } = await ask<Items>(ready, 'sessions.list', { sort: 'tools', limit: 1 })
  const session = items[0]?.id ?? ''
  const compactions = await ask<Items>(ready, 'events.list', { kind: 'compaction', limit: 1 })
  const compaction = compactions.items[0]
  const requests = await ask<Items>(ready, 'requests.list', { session_id: 'a-conversation' })
  const agent = (await ask<Items>(ready, 'events.list', { kind: 'agent_started', limit: 1 })).items[0]
  await ask(ready, 'sessions.label', { session_id: session, starred: true })
  await ask(ready, 'config.set', { key: 'budgets.daily_usd', value: 3 })
  await ask(ready, 'config.set', { key: 'budgets.monthly_usd', value: 40 })
  return [
    { name: 'live', path: '/live', act: (page) => page.waitForTimeout(3500) },
    { name: 'sessions', path: '/sessions' },
    { name: 'session', path: `/sessions/${session}` },
    {
      name: 'session-dropped',
      path: `/sessions/${compaction?.session_id}?event=${compaction?.uuid}`,
      act: (page) =>
        page
          .getByText(/The summary kept/)
          .first()
          .waitFor(),
    },
    { name: 'session-timeline', path: `/sessions/${agent?.session_id}?tab=timeline&event=${agent?.uuid}` },
    { name: 'session-lineage', path: `/sessions/${session}?tab=lineage` },
    { name: 'session-requests', path: `/sessions/${session}?tab=requests` },
    { name: 'session-numbers', path: `/sessions/${compaction?.session_id}?tab=numbers` },
    { name: 'exchange', path: `/exchanges/${requests.items[0]?.uuid}` },
    {
      name: 'recall',
      path: '/recall?q=invoice+rounding',
      async act(page) {
        await page.locator('mark').first().waitFor()
        for (const key of ['ArrowDown', 'Space', 'j', 'Space']) await page.keyboard.press(key)
      },
    },
    { name: 'recall-start', path: '/recall' },
    { name: 'recall-prompts', path: '/recall?tab=prompts' },
    { name: 'costs', path: '/costs' },
    { name: 'costs-why', path: '/costs?tab=why' },
    { name: 'tools', path: '/tools' },
    { name: 'health', path: '/health' },
    { name: 'settings', path: '/settings' },
  ]
}

async function shoot(
  browser: Browser,
  ready: Ready,
  views: readonly View[],
  /** Without a suffix: all sizes of a contact sheet. */
  look: { readonly theme: string; readonly width: number; readonly height: number; readonly suffix?: string },
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: look.width, height: look.height },
    reducedMotion: 'reduce',
  })
  await context.addInitScript((theme) => localStorage.setItem('aspy.theme', theme), look.theme)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${page.url()}: ${message.text()}`)
  })
  page.on('pageerror', (error) => console.error(`${page.url()}: ${String(error)}`))
  await page.goto(`${ready.app}/health#key=${ready.token}`)
  await page.getByRole('heading', { name: 'Health' }).first().waitFor()
  for (const view of views) {
    await page.goto(`${ready.app}${view.path}`)
    await page.locator('main :is(h1, h2)').first().waitFor()
    await page.waitForTimeout(900)
    await view.act?.(page)
    await page.waitForTimeout(400)
    if (look.suffix === undefined) await shootSizes(page, folder, view.name, look.theme)
    else await page.screenshot({ path: join(folder, `${view.name}-${look.suffix}.png`) })
  }
  await context.close()
}

/** Takes each view in the sizes and themes of a contact sheet, and writes the sheets. */
async function writeSheets(browser: Browser, ready: Ready, views: readonly View[]): Promise<void> {
  for (const theme of SHEET_THEMES) {
    const [[width, height]] = SHEET_SIZES
    await shoot(browser, ready, views, { theme, width, height })
  }
  for (const { name } of views)
    await writeContactSheet(browser, folder, name, join(root, `docs/images/sheet-${name}.jpg`))
}

async function takeAll(browser: Browser, ready: Ready, views: readonly View[]): Promise<void> {
  const small = names.length === 0 ? views : []
  const few = small.filter(({ name }) => ['live', 'session', 'exchange', 'costs', 'sessions', 'recall'].includes(name))
  const large = { width: 1440, height: 900 }
  for (const theme of ['light', 'dark']) await shoot(browser, ready, views, { theme, ...large, suffix: theme })
  await shoot(browser, ready, small, { theme: 'light', width: 1024, height: 700, suffix: 'small' })
  await shoot(browser, ready, few, { theme: 'dark', width: 2560, height: 1440, suffix: 'large' })
  for (const theme of ['solarized-light', 'solarized-dark'])
    await shoot(browser, ready, few, { theme, ...large, suffix: theme })
}

mkdirSync(folder, { recursive: true })
/** Delays the answer, so that a pace is shown. */
const ANSWER_MS = 1200
await using upstream = await talkingUpstream('the answer')
const app = await startDemoApp(upstream.url)
const browser = await launchBrowser()
try {
  const conversation = haveConversation(app.ready.proxy, 'a-conversation')
  await upstream.held('the answer')
  await new Promise((resolve) => setTimeout(resolve, ANSWER_MS))
  upstream.release('the answer')
  await conversation
  const views = (await viewsOf(app.ready)).filter(({ name }) => names.length === 0 || names.includes(name))
  await (isSheets ? writeSheets : takeAll)(browser, app.ready, views)
  console.log(folder)
} finally {
  await browser.close()
  await app.stop()
}
// Closing a browser of `launchBrowser` leaves the Chromium running that test files share.
process.exit()
