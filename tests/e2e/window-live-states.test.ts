import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import type { LiveBatch } from '../../src/shared/contract/live.ts'
import type { EventSummary } from '../../src/shared/live-feed.ts'
import { accessFaults } from '../support/window/accessibility.ts'

let id = 0
/** An event of a session, some seconds before now. */
function event(
  session_id: string,
  kind: EventSummary['kind'],
  agoSeconds: number,
  change: Partial<EventSummary> = {},
): EventSummary {
  id += 1
  const ts_wall = new Date(Date.now() - agoSeconds * 1000).toISOString()
  const of = { session_id, agent_id: null, turn_id: 1, parent_uuid: null, project: '/work/shop' }
  return {
    id,
    uuid: `u-${id}`,
    seq: id,
    kind,
    source: 'wire',
    ts_wall,
    duration_ms: null,
    success: null,
    text: '',
    ...of,
    ...change,
  }
}

const AGO = 4 * 60 + 5

function* batches(): Generator<LiveBatch | null> {
  const agent = { agent_id: 'a1', text: 'Look around' }
  yield {
    events: [
      // It counts as starting for fifteen seconds; these are still ahead on a slow machine.
      event('new', 'session_started', -60, { source: 'hook', turn_id: 0 }),
      event('over', 'user_prompt', AGO + 9, { text: 'Count the invoices' }),
      event('over', 'agent_started', AGO + 5, agent),
      event('over', 'session_ended', AGO, { source: 'hook' }),
      ...['left', 'right'].map((name) => event(name, 'user_prompt', AGO + 9, { text: 'Fix the failing test' })),
      event('left', 'assistant_text', AGO + 1, { text: 'It passes' }),
      ...['left', 'right'].map((name) => event(name, 'turn_ended', AGO)),
      // Two of one project that are not stored yet.
      event('tax', 'user_prompt', 8, { text: 'Round the tax' }),
      event('till', 'user_prompt', 7, { text: 'Why is the till slow?' }),
      event('tax', 'assistant_text', 6, { text: 'By half a cent' }),
      event('till', 'assistant_text', 5, { text: 'By its index' }),
    ],
    // The client was killed while it wrote.
    deltas: [
      { session_id: 'over', agent_id: null, exchange_id: 'x', message_id: 'm', index: 0, block: 'text', text: 'So' },
    ],
  }
  for (;;) yield null
}

const test = given({ live: batches })

describe('the states of sessions in Live, and the panel on recording', () => {
  const cards = (page: Page) => page.getByRole('region', { name: 'Active sessions' }).getByRole('article')
  const card = (page: Page, text: string) => cards(page).filter({ hasText: text })

  test('a session is starting before its first prompt, and nothing of an ended one looks alive', async ({
    page,
    harness,
  }) => {
    await page.goto(`${harness.url}/live`)
    await card(page, 'No prompt yet').getByText('Starting', { exact: true }).waitFor()
    const over = card(page, 'Count the invoices')
    await over.getByText('Ended · 4 min ago').waitFor()
    expect(await over.getByText('Look around').count()).toBe(0)
    expect(await over.locator('.breathe').count()).toBe(0)
    expect(await accessFaults(page)).toEqual([])
  })

  test('a session that waits for its user says how long; two with one title have their beginnings', async ({
    page,
  }) => {
    const twins = card(page, 'Fix the failing test')
    expect(await twins.count()).toBe(2)
    // As many are open as cards say no end.
    await page.getByRole('heading', { name: 'Last 30 minutes: 6 · open: 5' }).waitFor()
    for (const twin of await twins.all()) {
      await twin.getByText('Your turn · 4 min').waitFor()
      await twin.getByText(/shop · since \d/).waitFor()
    }
    const colors = await twins.evaluateAll((all) => all.map((one) => getComputedStyle(one).borderLeftColor))
    expect(new Set(colors).size).toBe(2)
    expect(await card(page, 'Count the invoices').getByText(/since/).count()).toBe(0)
  })

  test('rows tell sessions of one project apart from their first prompt on', async ({ page }) => {
    const row = (text: string) =>
      page.getByRole('region', { name: 'Event stream' }).getByRole('listitem').filter({ hasText: text })
    await row('By half a cent').getByText('Round the tax', { exact: true }).waitFor()
    await row('By its index').getByText('Why is the till slow?', { exact: true }).waitFor()
    await row('It passes')
      .getByText(/^since \d.* · Fix the failing test$/)
      .waitFor()
    await card(page, 'Round the tax').getByText('This turn $0', { exact: true }).waitFor()
    const name = row('By half a cent').locator('.line-clamp-2')
    expect((await name.getAttribute('title'))?.split('\n')[0]).toBe('Round the tax')
    const size = page.viewportSize()
    await page.setViewportSize({ width: 420, height: 860 })
    // The name is below its text, which has the width of the stream.
    await expect.poll(async () => (await name.boundingBox())?.x).toBeLessThan(210)
    if (size !== null) await page.setViewportSize(size)
  })

  test('for who asked for less motion, nothing is moved all the time', async ({ page }) => {
    await page.evaluate(() =>
      document.body.append(Object.assign(document.createElement('i'), { className: 'breathe' })),
    )
    const moved = () => page.evaluate(() => document.getAnimations().length)
    await page.emulateMedia({ reducedMotion: 'no-preference' })
    await expect.poll(moved).toBeGreaterThan(0)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await expect.poll(moved).toBe(0)
  })

  test('the footer says since when Aspy records, and how to end it', async ({ page }) => {
    await page.getByRole('contentinfo').getByRole('button', { name: 'Recording' }).click()
    const panel = page.getByRole('dialog', { name: 'Recording' })
    await panel.getByRole('heading', { name: /^Recording since / }).waitFor()
    await panel.getByText(/stop$/).first().waitFor()
    await panel.getByText(/off$/).first().waitFor()
    expect(await accessFaults(page)).toEqual([])
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
  })
})
