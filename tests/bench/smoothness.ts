import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { LiveBatch } from '../../src/shared/contract/live.ts'
import type { EventSummary } from '../../src/shared/live-feed.ts'
import { startApp } from '../support/app/start-app.ts'
import { draftOf, fillStore } from '../support/store/seeded-store.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { startWindowHarness } from '../support/window/harness.ts'
import { heldByPage } from '../support/window/page-counters.ts'

/** Prompts and answers of the session that is scrolled. */
const LINES = 5000
const SCROLL_MS = 4000
/** Turns of the wheel whose processor time is counted. */
const COUNTED_TURNS = 240
/** Sessions that run at once. */
const SESSIONS = 12
/** Events in each batch of a view that keeps up. */
const LIVE_BATCH = 4
/** An hour of a busy day: ten events a second. */
const LIVE_EVENTS = Number(process.env['ASPY_BENCH_LIVE_EVENTS'] ?? 36_000)
const BATCH = 100
const WINDOW = join(import.meta.dirname, '../../out/renderer')
/** A task over this is felt. */
const LONG_TASK_MS = 50

const text = (at: number): string =>
  `Line ${at}: the cache key of locale ${at % 37} changes with the theme, so that \`total.test.ts\` fails on step ${at % 11}. `

/** Fills a store with one session of 5,000 prompts and answers. */
function fill(folder: string): void {
  const start = Date.parse('2026-11-20T10:00:00.000Z')
  fillStore(
    folder,
    Array.from({ length: LINES }, (_, at) => {
      const place = { at: new Date(start + at * 1000).toISOString(), session_id: 'long', uuid: `line-${at}` }
      return at % 2 === 0
        ? draftOf('user_prompt', { text: text(at) }, place)
        : draftOf('assistant_text', { text: text(at).repeat(3), message_id: null, index: 0 }, place)
    }),
  )
}

interface Busy {
  readonly longest_task_ms: number
  readonly tasks_over_50_ms: number
}

/** Processor time, which other work on the machine hardly changes. */
interface Cost {
  readonly longest_task_cpu_ms: number
  readonly cpu_ms: number
}

interface TraceEvent {
  readonly name: string
  readonly pid: number
  readonly tid: number
  /** Processor time in µs. */
  readonly tdur?: number
}

/** Traces the page's main thread during an action, which makes it slower, and returns what its tasks cost. */
async function costOf(page: Page, act: () => Promise<unknown>): Promise<Cost> {
  const session = await page.context().newCDPSession(page)
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])))
  const traceConfig = { includedCategories: ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'] }
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig })
  await act()
  const complete = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()))
  await session.send('Tracing.end')
  await complete
  await session.detach()
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const paints = new Map<string, number>()
  for (const event of events) {
    if (event.name === 'Paint') paints.set(threadOf(event), (paints.get(threadOf(event)) ?? 0) + 1)
  }
  const [main] = [...paints].toSorted(([, one], [, other]) => other - one)[0] ?? []
  const times = events
    .filter((event) => event.name === 'RunTask' && threadOf(event) === main)
    .map(({ tdur = 0 }) => tdur / 1000)
  return {
    longest_task_cpu_ms: Math.round(Math.max(0, ...times)),
    cpu_ms: Math.round(times.reduce((sum, time) => sum + time, 0)),
  }
}

/** Runs an action and returns the tasks of the page that blocked it meanwhile. */
async function busyDuring(page: Page, act: () => Promise<unknown>): Promise<Busy> {
  await page.evaluate(() => {
    const place = window as unknown as { aspyTasks: number[] }
    place.aspyTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) place.aspyTasks.push(duration)
    }).observe({ entryTypes: ['longtask'] })
  })
  await act()
  await page.waitForTimeout(300)
  const tasks = await page.evaluate(() => (window as unknown as { aspyTasks: number[] }).aspyTasks)
  return {
    longest_task_ms: Math.round(Math.max(0, ...tasks)),
    tasks_over_50_ms: tasks.filter((duration) => duration > LONG_TASK_MS).length,
  }
}

/** Scrolls the element under the pointer. */
async function scrollBy(page: Page, turns: number): Promise<void> {
  await page.mouse.move(800, 500)
  for (let turn = 0; turn < turns; turn += 1) await page.mouse.wheel(0, 120)
}

/** Scrolls the element under the pointer, and returns the share of frames that were not drawn. */
async function droppedWhileScrolling(page: Page): Promise<number> {
  await page.mouse.move(800, 500)
  const gaps = page.evaluate(
    (forMs) =>
      new Promise<number[]>((resolve) => {
        const found: number[] = []
        let last = performance.now()
        const end = last + forMs
        const step = (now: number) => {
          found.push(now - last)
          last = now
          if (now < end) requestAnimationFrame(step)
          else resolve(found.slice(1))
        }
        requestAnimationFrame(step)
      }),
    SCROLL_MS,
  )
  const until = performance.now() + SCROLL_MS
  while (performance.now() < until) await page.mouse.wheel(0, 120)
  const frames = await gaps
  const expected = frames.reduce((sum, gap) => sum + gap, 0) / (1000 / 60)
  return Math.max(0, 1 - frames.length / expected)
}

/** A list without anything of ours, with the same number of lines: the best that the machine can do. */
const plainList = (): string =>
  `<style>body{font:14px sans-serif}li{padding:8px}</style><ol>${Array.from({ length: LINES }, (_, at) => `<li>${text(at)}</li>`).join('')}</ol>`

async function benchTypingAndScrolling(): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-smoothness-'))
  fill(folder)
  const app = await startApp({ upstream: 'http://127.0.0.1:9', dataDir: folder })
  const browser = await launchBrowser()
  try {
    await app.recorderRuns()
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(app.link)
    await page.goto(`${app.app}/recall`)
    const box = page.getByRole('searchbox', { name: 'Search everything said and done' })
    await box.focus()
    const type = async () => {
      await page.keyboard.type('cache key locale theme', { delay: 70 })
      await page.locator('mark').first().waitFor()
    }
    const typing = await busyDuring(page, type)
    await box.fill('')
    const typingCost = await costOf(page, type)
    await page.goto(`${app.app}/sessions/long`)
    await page.getByRole('region', { name: 'Transcript text' }).getByText('Line 1:').first().waitFor()
    let dropped = 0
    const scrolling = await busyDuring(page, async () => {
      dropped = await droppedWhileScrolling(page)
    })
    const scrollingCost = await costOf(page, () => scrollBy(page, COUNTED_TURNS))
    await page.setContent(plainList())
    const plain = await droppedWhileScrolling(page)
    const plainCost = await costOf(page, () => scrollBy(page, COUNTED_TURNS))
    const share = (part: number) => `${(part * 100).toFixed(1)}%`
    return {
      typing: { ...typing, ...typingCost },
      scrolling: { ...scrolling, ...scrollingCost },
      scrolling_a_plain_list: plainCost,
      dropped_frames: share(dropped),
      dropped_frames_of_a_plain_list: share(plain),
    }
  } finally {
    await browser.close()
    await app.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function liveEvent(id: number): EventSummary {
  return {
    session_id: `session-${id % SESSIONS}`,
    agent_id: null,
    id,
    uuid: `u-${id}`,
    turn_id: Math.floor(id / 500),
    seq: id,
    parent_uuid: null,
    kind: (['tool_call', 'tool_result', 'assistant_text', 'thinking'] as const)[id % 4] ?? 'thinking',
    source: 'wire',
    ts_wall: new Date().toISOString(),
    duration_ms: null,
    success: null,
    project: '/work/app',
    text: text(id),
    ...(id % 4 < 2 ? { tool_name: 'Bash' } : {}),
  }
}

/** Sends an hour of live events as fast as the harness can, and returns the heap after a tenth of them and after all. */
async function benchHeap(): Promise<Record<string, unknown>> {
  let sent = 0
  const countSent = () => sent
  function* batches(): Generator<LiveBatch | null> {
    while (sent < LIVE_EVENTS) {
      const events = Array.from({ length: BATCH }, (_, at) => liveEvent(sent + at + 1))
      sent += BATCH
      yield { events, deltas: [] }
    }
    for (;;) yield null
  }
  const harness = await startWindowHarness({ folder: WINDOW, live: batches })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${harness.url}/live`)
    const heapAt = async (events: number) => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- the harness sends meanwhile
      while (countSent() < events) await page.waitForTimeout(200)
      await page.waitForTimeout(1000)
      return Math.round(((await heldByPage(page)).bytes / 2 ** 20) * 10) / 10
    }
    const [early, half, late] = [
      await heapAt(LIVE_EVENTS / 10),
      await heapAt(LIVE_EVENTS / 2),
      await heapAt(LIVE_EVENTS),
    ]
    return { live_events: LIVE_EVENTS, heap_mb: { after_a_tenth: early, after_half: half, after_all: late } }
  } finally {
    await browser.close()
    await harness.stop()
  }
}

/** Shows twelve sessions at work for five seconds, and returns what the page's tasks cost. */
async function benchLive(): Promise<Cost> {
  function* batches(): Generator<LiveBatch> {
    for (let sent = 0; ; sent += LIVE_BATCH)
      yield { events: Array.from({ length: LIVE_BATCH }, (_, at) => liveEvent(sent + at + 1)), deltas: [] }
  }
  const harness = await startWindowHarness({ folder: WINDOW, live: batches })
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    await page.goto(`${harness.url}/live`)
    await page.getByText(`Last 30 minutes: ${SESSIONS} ·`).waitFor()
    return await costOf(page, () => page.waitForTimeout(5000))
  } finally {
    await browser.close()
    await harness.stop()
  }
}

console.log(
  JSON.stringify({ live: await benchLive(), ...(await benchTypingAndScrolling()), ...(await benchHeap()) }, null, 2),
)
