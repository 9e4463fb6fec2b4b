import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import type { LiveBatch } from '../../src/shared/contract/live.ts'
import type { EventKind } from '../../src/shared/event.ts'
import { runs } from '../support/runner/heavy.ts'
import { countInPage, heldByPage, nodeCount, pageCounts } from '../support/window/page-counters.ts'
import { until } from '../support/runner/until.ts'

const EVENTS_A_BATCH = 50
/** One batch per 100 ms. The long run compresses an hour of 500 events per minute into one minute. */
const BATCHES = runs(30, 600)
/** The first batches are large, so that the window's buffers are full before it is measured. */
const WARM = 20
const EVENTS_TO_WARM = 300
const KINDS: readonly EventKind[] = ['user_prompt', 'thinking', 'tool_call', 'tool_result', 'assistant_text']

/** False while the page is measured at rest. */
let isFlowing = true
/** Batches sent and batches read by the page. A page that falls behind gets no more. */
let sent = 0
let taken = 0
const MAX_WAITING = 5

/** Endless batches of many busy sessions: events of all kinds, and text while it is written. */
function* busyBatches(): Generator<LiveBatch | null> {
  let id = 0
  for (let batch = 0; ; batch += 1) {
    // oxlint-disable-next-line no-unmodified-loop-condition -- the tests set it between two batches
    for (; !isFlowing || sent - taken >= MAX_WAITING;) yield null
    const session_id = `session-${batch % 80}`
    const base = { session_id, agent_id: null }
    const exchange = `exchange-${batch}`
    sent += 1
    const delta = { ...base, exchange_id: exchange, message_id: exchange, index: 99, block: 'text' as const }
    yield {
      events: Array.from({ length: batch < WARM ? EVENTS_TO_WARM : EVENTS_A_BATCH }, (_, index) => {
        id += 1
        const kind = KINDS[index % KINDS.length] ?? 'thinking'
        return {
          ...base,
          id,
          uuid: `u-${id}`,
          turn_id: batch,
          seq: index,
          parent_uuid: null,
          kind,
          source: 'wire' as const,
          ts_wall: new Date().toISOString(),
          duration_ms: kind === 'tool_result' ? 40 : null,
          success: kind === 'tool_result' ? true : null,
          project: '/work/app',
          text: `event ${id}, ${'and some more words of it '.repeat(index % 9)}`,
          ...(kind === 'tool_call' || kind === 'tool_result' ? { tool_name: 'Bash' } : {}),
          ...(index === EVENTS_A_BATCH - 1 ? { message_id: exchange, index: 99 } : {}),
        }
      }),
      deltas: [{ ...delta, text: `written in batch ${batch} ` }],
    }
  }
}

const test = given({ live: busyBatches })

describe('the window under 500 events per second', () => {
  let isOver = false
  let looking: Promise<void> | undefined

  test.beforeAll(async ({ page, harness }) => {
    await countInPage(page)
    await page.goto(`${harness.url}/live`)
    looking = (async () => {
      // oxlint-disable-next-line no-unmodified-loop-condition -- the last step sets it
      for (; !isOver; await pause(50)) taken = (await pageCounts(page)).batches
    })()
  })
  test.afterAll(async () => {
    isOver = true
    await looking
  })

  async function resting<T>(page: Page, measure: () => Promise<T>): Promise<T> {
    isFlowing = false
    try {
      await reached(page, sent)
      return await measure()
    } finally {
      isFlowing = true
    }
  }

  const reached = (page: Page, batches: number) =>
    until(`batch ${batches} has come`, async () => (await pageCounts(page)).batches >= batches, 200_000)

  test('it commits at most once per batch, keeps few nodes and does not grow within an hour', async ({ page }) => {
    await reached(page, WARM)
    const before = await resting(page, () => heldByPage(page))
    const from = await pageCounts(page)
    await reached(page, from.batches + BATCHES)
    const to = await pageCounts(page)
    const after = await resting(page, () => heldByPage(page))

    expect(to.feedCommits - from.feedCommits).toBeGreaterThan(0)
    // One batch may have arrived but not been rendered when counting started.
    expect(to.feedCommits - from.feedCommits).toBeLessThanOrEqual(to.batches - from.batches + 1)
    expect(await nodeCount(page)).toBeLessThan(3000)
    expect(after.nodes).toBeLessThan(before.nodes + 2000)
    expect(after.bytes).toBeLessThan(before.bytes + 4 * 2 ** 20)
  })

  test('a pause keeps its place, and "n new" returns to the newest event', async ({ page }) => {
    await page.getByRole('button', { name: 'Pause' }).click()
    const rows = page.getByRole('region', { name: 'Event stream' }).getByRole('listitem')
    const held = await rows.last().innerText()
    const { batches } = await pageCounts(page)
    await reached(page, batches + 10)
    expect(await rows.last().innerText()).toBe(held)
    const more = page.getByRole('button', { name: /\d new$/ })
    await more.click()
    await until('the stream follows again', async () => (await rows.last().innerText()) !== held)
    await page.getByRole('button', { name: 'Pause' }).waitFor()
  })
})
