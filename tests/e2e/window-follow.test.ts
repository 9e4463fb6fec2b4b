import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { LiveBatch } from '../../src/shared/contract/live.ts'
import type { EventKind } from '../../src/shared/event.ts'
import { describe, given } from '../support/window/window-test.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

/** Kinds of events that the feed still has to send. */
const due: EventKind[] = []
let id = 1_000_000

function* feed(): Generator<LiveBatch | null> {
  for (;;) {
    const kind = due.shift()
    if (kind === undefined) {
      yield null
      continue
    }
    id += 1
    const event = {
      session_id: SESSION,
      agent_id: null,
      id,
      uuid: `live-${id}`,
      turn_id: 9,
      seq: id,
      parent_uuid: null,
      kind,
      source: 'wire' as const,
      ts_wall: new Date().toISOString(),
      duration_ms: null,
      success: null,
      project: '/work/app',
      text: `${kind} ${id}`,
    }
    yield { events: [event], deltas: [] }
  }
}

const test = given({ live: feed })

describe('a transcript whose session runs', () => {
  const fresh = (page: Page) => page.getByRole('button', { name: /\d+ new$/ })
  /** Pixels below the screen. */
  const distance = (text: Locator) =>
    text.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
  /** Counts how often its pages are read. */
  const countReads = (page: Page) => {
    const reads = { count: 0 }
    page.on('request', (request) => (reads.count += Number(request.url().includes('/api/sessions.events'))))
    return reads
  }

  test('counts what arrives while scrolled up, and a load leaves no rest', async ({ page, harness }) => {
    await page.goto(`${harness.url}/sessions/${SESSION}?at=end`)
    const text = page.getByRole('region', { name: 'Transcript text' })
    await text.locator('li').first().waitFor()
    await text.hover()
    await page.mouse.wheel(0, -600)
    await expect.poll(() => distance(text)).toBeGreaterThan(100)
    const reads = countReads(page)
    // A request and its usage have their own views: they are nothing new here.
    due.push('api_usage', 'model_response', 'user_prompt', 'assistant_text')
    await expect.poll(() => fresh(page).textContent()).toContain('2 new')
    expect(reads.count).toBe(0)
    await fresh(page).click()
    await fresh(page).waitFor({ state: 'detached' })
    expect(reads.count).toBeGreaterThan(0)
  })

  test('follows by itself while its end is on screen', async ({ page, harness }) => {
    await page.goto(`${harness.url}/sessions/${SESSION}?at=end`)
    const text = page.getByRole('region', { name: 'Transcript text' })
    await text.locator('li').first().waitFor()
    await page.keyboard.press('End')
    await expect.poll(() => distance(text)).toBeLessThan(60)
    const reads = countReads(page)
    due.push('tool_call')
    await expect.poll(() => reads.count).toBeGreaterThan(0)
    expect(await fresh(page).count()).toBe(0)
  })
})
