import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/window/browser.ts'
import { nodeCount } from '../support/window/page-counters.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { fillYear } from '../support/window/year.ts'

const YEAR = {
  sessions: Number(process.env['ASPY_BENCH_SESSIONS'] ?? 2000),
  events: Number(process.env['ASPY_BENCH_EVENTS'] ?? 1_000_000),
  longest: Number(process.env['ASPY_BENCH_LONGEST'] ?? 100_000),
}
/** Filling the whole year takes minutes: the database is kept, and filling resumes after stopping at this many seconds. */
const FILL_MS = Number(process.env['ASPY_BENCH_FILL_SECONDS'] ?? 3600) * 1000
const ROUNDS = 3

interface ViewFigures {
  /** Median time from navigation to the first data on screen, ms. */
  readonly first_paint_ms: number
  readonly nodes: number
}

/**
 * Measures the window over a year of work, in Chromium: first paint of each view, the slowest interaction, and frame times while
 * scrolling a long transcript.
 */
export async function benchWindow(): Promise<Record<string, unknown>> {
  const folder = join(import.meta.dirname, `../../out/bench/year-${YEAR.events}`)
  const database = join(folder, 'lifestats.db')
  const before = schemaOf(database)
  // Opening the store migrates an older year to the current schema. This may take minutes and must precede all measurements.
  if (!fillYear(folder, YEAR, FILL_MS)) return { filling: 'not all of the year is there yet: run it again' }
  const schema = schemaOf(database)
  if (before !== null && before !== schema) {
    console.error(`the year had schema ${before}, and was brought to ${schema} first`)
    rmSync(`${database}.before-${schema}`, { force: true })
  }
  const app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    page.setDefaultTimeout(120_000)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', { sort: 'tools', limit: 1 })
    const longest = `/sessions/${items[0]?.id}`
    const views: Record<string, ViewFigures> = {}
    for (const [name, address] of Object.entries(viewsOf(longest))) views[name] = await openView(page, app, address)
    return { year: YEAR, views, ...(await interact(page, app, longest)), ...(await scroll(page, app, longest)) }
  } finally {
    await browser.close()
    await app.close()
  }
}

/** Returns a database's schema version; null if there is no database yet. */
function schemaOf(path: string): number | null {
  if (!existsSync(path)) return null
  const db = new Database(path, { readonly: true })
  try {
    return Number(db.pragma('user_version', { simple: true }))
  } finally {
    db.close()
  }
}

const viewsOf = (longest: string): Record<string, string> => ({
  live: '/live',
  sessions: '/sessions',
  transcript: longest,
  timeline: `${longest}?tab=timeline`,
  lineage: `${longest}?tab=lineage`,
  requests: `${longest}?tab=requests`,
  numbers: `${longest}?tab=numbers`,
  recall: '/recall?q=cache+locale',
  prompts: '/recall?tab=prompts',
  costs: '/costs',
  costs_all: '/costs?range=all',
  tools: '/tools',
  health: '/health',
  settings: '/settings',
})

async function shown(page: Page): Promise<void> {
  await page.locator('main :is(h1, h2)').first().waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

async function openView(page: Page, app: TestApp, address: string): Promise<ViewFigures> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.goto('about:blank')
    const before = performance.now()
    await page.goto(app.app + address, { waitUntil: 'commit' })
    await shown(page)
    times.push(performance.now() - before)
  }
  return { first_paint_ms: Math.round(median(times)), nodes: await nodeCount(page) }
}

/** Uses the browser's own measure of each key and click: from the input to the frame with its effect. */
async function interact(page: Page, app: TestApp, longest: string): Promise<Record<string, unknown>> {
  const slowest: Record<string, number> = {}
  const measure = async (name: string, act: () => Promise<void>) => {
    await page.evaluate(() => {
      const place = window as unknown as { aspyEvents: number[] }
      place.aspyEvents = []
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) place.aspyEvents.push(entry.duration)
      }).observe({ type: 'event', durationThreshold: 16 } as PerformanceObserverInit)
    })
    await act()
    await page.waitForTimeout(300)
    const durations = await page.evaluate(() => (window as unknown as { aspyEvents: number[] }).aspyEvents)
    slowest[name] = Math.max(0, ...durations)
  }
  await page.goto(`${app.app}/sessions`)
  await shown(page)
  await measure('sessions: j × 20', () => press(page, 'j', 20))
  await measure('palette', () => press(page, 'Control+k', 1))
  await page.goto(app.app + longest)
  await shown(page)
  await measure('transcript: j × 10', () => press(page, 'j', 10))
  await page.goto(`${app.app}/recall`)
  await shown(page)
  await measure('recall: typing', () => page.keyboard.type('cache key locale', { delay: 60 }))
  return { interaction_ms: slowest }
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) await page.keyboard.press(key, { delay: 30 })
}

/** Measures frames while scrolling the longest transcript for two seconds. */
async function scroll(page: Page, app: TestApp, longest: string): Promise<Record<string, unknown>> {
  await page.goto(app.app + longest)
  await shown(page)
  await page.mouse.move(900, 500)
  const frames = page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        const gaps: number[] = []
        let last = performance.now()
        const end = last + 2000
        const step = (now: number) => {
          gaps.push(now - last)
          last = now
          if (now < end) requestAnimationFrame(step)
          else resolve(gaps.slice(1))
        }
        requestAnimationFrame(step)
      }),
  )
  const until = performance.now() + 2000
  while (performance.now() < until) await page.mouse.wheel(0, 120)
  const gaps = (await frames).toSorted((one, other) => one - other)
  const at = (share: number) => Math.round((gaps[Math.floor((gaps.length - 1) * share)] ?? 0) * 10) / 10
  return { scroll: { frames_a_second: Math.round(gaps.length / 2), gap_p50_ms: at(0.5), gap_p95_ms: at(0.95) } }
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(JSON.stringify(await benchWindow(), null, 2))
}
