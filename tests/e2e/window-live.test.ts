import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import type { LiveBatch } from '../../src/shared/contract/live.ts'
import type { EventSummary } from '../../src/shared/live-feed.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const SESSION = { session_id: 'session-a', agent_id: null }

/** The feed begins when the test says so. */
let isOpen = true
/** Cost of the session in USD: the feed reports each change. */
let spent = 0
let id = 0

function event(kind: EventSummary['kind'], text: string, change: Partial<EventSummary> = {}): EventSummary {
  id += 1
  return {
    ...SESSION,
    id,
    uuid: `u-${id}`,
    turn_id: 1,
    seq: id,
    parent_uuid: null,
    kind,
    source: 'wire',
    ts_wall: new Date().toISOString(),
    duration_ms: null,
    success: null,
    project: '/work/app',
    text,
    ...change,
  }
}

function* batches(): Generator<LiveBatch | null> {
  // oxlint-disable-next-line no-unmodified-loop-condition -- a test sets it between two batches
  while (!isOpen) yield null
  const prompt = event('user_prompt', 'Look for the walrus')
  const run = event('tool_call', 'npm test', { tool_name: 'Bash' })
  const call = event('tool_call', 'Review the rounding', { tool_name: 'Agent' })
  yield {
    events: [
      prompt,
      run,
      call,
      event('agent_started', 'Explore', { agent_id: 'a019bb66422dc49c7', parent_uuid: call.uuid }),
      event('tool_call', '/work/app/total.ts', { tool_name: 'Read', agent_id: 'a019bb66422dc49c7' }),
    ],
    deltas: [],
  }
  const input = JSON.stringify({ file_path: '/work/app/long.ts', content: 'const a = 1\n'.repeat(1200) })
  const delta = { ...SESSION, exchange_id: 'x', message_id: 'm', index: 0, block: 'tool_input' as const }
  for (let at = 0; at < input.length - 10; at += 2000) {
    yield {
      events: [],
      deltas: [{ ...delta, tool_name: 'Write', text: input.slice(at, Math.min(at + 2000, input.length - 10)) }],
    }
  }
  for (let told = 0; ;) {
    const cost = spent - told
    told = spent
    yield cost === 0 ? null : { events: [event('api_usage', 'claude', { cost_usd: cost, tokens: 10 })], deltas: [] }
  }
}

const test = given({ live: batches })

describe('the live stream', () => {
  const stream = (page: Page) => page.getByRole('region', { name: 'Event stream' })

  test('before the first batch, it says neither that nothing is active nor that nothing has happened', async ({
    page,
    harness,
  }) => {
    isOpen = false
    await page.goto(`${harness.url}/live`)
    await page.getByRole('status', { name: 'Loading active sessions' }).waitFor()
    await page.getByRole('status', { name: 'Loading events' }).waitFor()
    expect(await page.getByText(/No active sessions|Listening/).count()).toBe(0)
    isOpen = true
    await stream(page).getByText('Look for the walrus').waitFor()
    expect(await page.getByRole('status', { name: /^Loading/ }).count()).toBe(0)
  })

  test('agents are named after their task, on cards and rows', async ({ page }) => {
    await stream(page).getByText('Started: Review the rounding (Explore)').waitFor()
    await page.getByRole('region', { name: 'Active sessions' }).getByText('Review the rounding').waitFor()
    const row = stream(page)
      .getByRole('link')
      .filter({ has: page.getByText('total.ts', { exact: true }) })
    await row.getByTitle('Review the rounding').waitFor()
    expect(await page.getByText('a019bb66422dc49c7').count()).toBe(0)
  })

  test('an input that is being written names its file, however long it is', async ({ page }) => {
    await stream(page)
      .getByText(/[^/]long\.ts/)
      .waitFor()
    await stream(page).getByText('const a = 1').first().waitFor()
    expect(await stream(page).getByText('file_path').count()).toBe(0)
  })

  test('a search shows the rows that have the text, marks it, and stays in the address', async ({ page }) => {
    await page.keyboard.press('/')
    await page.keyboard.type('walrus')
    await expect.poll(() => stream(page).getByText('npm test').count()).toBe(0)
    await expect
      .poll(() => page.evaluate(() => [...(CSS.highlights.get('found') ?? [])].map(String)))
      .toEqual(['walrus'])
    await expect.poll(() => page.url()).toContain('q=walrus')
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('searchbox', { name: 'Search the stream' }).fill('nothing like it')
    await stream(page).getByText('No matches in the stream.').waitFor()
    await page.getByRole('button', { name: 'Clear search' }).click()
    await stream(page).getByText('npm test').waitFor()
  })

  test('the stream is paused from the palette', async ({ page }) => {
    const choose = async (name: string) => {
      await page.keyboard.press('Control+k')
      await page.keyboard.type(name)
      await page.getByRole('option', { name }).first().waitFor()
      await page.keyboard.press('Enter')
    }
    await choose('Pause the stream')
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor()
    await choose('Follow the stream')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
  })

  test('the cost of today is read again with each cost of the feed, and not only some time later', async ({ page }) => {
    // Without the timers that read the figure anyway, only the feed can be the cause.
    await page.addInitScript(`{
      const { setTimeout: later, setInterval: often } = window
      window.setTimeout = (run, ms, ...more) => (ms >= 10_000 ? 0 : later(run, ms, ...more))
      window.setInterval = (run, ms, ...more) => (ms >= 10_000 ? 0 : often(run, ms, ...more))
    }`)
    await page.route('**/api/stats.summary', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), total_cost_usd: 1 + spent } })
    })
    await page.reload()
    const today = page.getByRole('contentinfo').getByText(/today$/)
    const shown = () => `$${(1 + spent).toFixed(2)} today`
    await expect.poll(() => today.textContent()).toBe(shown())
    spent += 0.25
    await expect.poll(() => today.textContent()).toBe(shown())
    await page.unroute('**/api/stats.summary')
  })

  test('at 420 px, the search and the stream have room', async ({ page }) => {
    await page.setViewportSize({ width: 420, height: 900 })
    const box = await stream(page).boundingBox()
    expect(box?.width).toBeGreaterThan(340)
    const search = page.getByRole('searchbox', { name: 'Search the stream' })
    // Its hint is whole: the room inside holds it as text.
    const hint = await search.evaluate((field: HTMLInputElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(field)
      const canvas = document.createElement('canvas').getContext('2d')
      if (canvas === null) return null
      canvas.font = font
      const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      return canvas.measureText(field.placeholder).width <= room
    })
    expect(hint).toBe(true)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(420)
  })
})
