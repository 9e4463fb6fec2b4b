import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { runs } from '../support/runner/heavy.ts'
import { countInPage, nodeCount, pageCounts } from '../support/window/page-counters.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { follow } from '../support/window/follow.ts'
import { fillYear } from '../support/window/year.ts'

/** A small year whose longest session spans several pages. `npm run bench -- window` uses a full year. */
const YEAR = { sessions: 60, events: runs(5000, 50_000), longest: runs(2000, 5000) }

describe('the window with a long history', () => {
  test.beforeAll(({ folder }) => {
    fillYear(folder, YEAR)
  }, 480_000)
  test.beforeAll(async ({ page, app }) => {
    await countInPage(page)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  }, 480_000)

  const VIEWS = ['/live', '/sessions', '/recall?q=cache', '/recall?tab=prompts', '/costs?range=all', '/tools?range=all']
  const TABS = ['transcript', 'timeline', 'lineage', 'requests', 'numbers']

  /** Opens a view and scrolls some screens. Returns the highest node count. */
  async function walk(page: Page, app: TestApp, address: string): Promise<number> {
    await follow(page, app.app + address)
    await page.locator('main :is(h1, h2)').first().waitFor()
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
    let most = await nodeCount(page)
    await page.mouse.move(900, 500)
    for (let screen = 0; screen < runs(3, 10); screen += 1) {
      await page.mouse.wheel(0, 800)
      await page.evaluate(() => new Promise(requestAnimationFrame))
      most = Math.max(most, await nodeCount(page))
    }
    return most
  }

  test('no view exceeds 3,000 nodes, even while scrolling', async ({ page, app, problems }) => {
    const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', { sort: 'tools', limit: 1 })
    const longest = `/sessions/${items[0]?.id}`
    const nodes: Record<string, number> = {}
    for (const address of [...VIEWS, ...TABS.map((tab) => `${longest}?tab=${tab}`)])
      nodes[address] = await walk(page, app, address)
    expect(Object.entries(nodes).filter(([, count]) => count >= 3000)).toEqual([])
    expect(Math.min(...Object.values(nodes))).toBeGreaterThan(100)
    expect(problems).toEqual([])
  }, 480_000)

  test('moving through prompts requests only pages and keeps the old rows until they arrive', async ({
    page,
    app,
    problems,
  }) => {
    const { items } = await app.call<{ items: { id: string }[] }>('sessions.list', { sort: 'tools', limit: 1 })
    await page.goto(`${app.app}/sessions/${items[0]?.id}`)
    const transcript = page.getByRole('region', { name: 'Transcript', exact: true })
    const prompts = page.getByRole('navigation', { name: 'Prompts of this session' })
    await transcript.locator('li').first().waitFor()
    await prompts.getByRole('button').first().waitFor()
    const list = await transcript.locator('ol').first().elementHandle()
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/api/')) asked.push(pathname.slice('/api/'.length))
    })
    for (let step = 1; step <= 12; step += 1) {
      await page.keyboard.press('j')
      await prompts.locator('[aria-current=true]').getByText(String(step), { exact: true }).waitFor()
    }
    // The twelfth prompt is on screen with the rows around it.
    await expect.poll(() => new URL(page.url()).searchParams.get('event') ?? '').not.toBe('')
    await transcript.locator('.ring-accent').waitFor()
    expect(await list?.evaluate((element) => element.isConnected)).toBe(true)
    expect(asked.filter((name) => name === 'events.get')).toEqual([])
    expect(asked).toContain('sessions.events')
    expect(problems).toEqual([])
  })

  test('a burst of 1,000 events arrives in at most ten batches per second and ends with the newest event', async ({
    page,
    app,
    problems,
  }) => {
    await page.goto(`${app.app}/live`)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    await until('the feed is open', async () => (await pageCounts(page)).batches > 0)
    const from = await pageCounts(page)
    const post = (text: string) =>
      app.call('events.post', {
        session_id: 'burst',
        kind: 'assistant_text',
        payload: { text, message_id: null, index: 0 },
      })
    for (let at = 0; at < 1000; at += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, index) => post(`burst ${at + index}`)))
    }
    await page.getByRole('region', { name: 'Event stream' }).getByText('burst 999', { exact: true }).waitFor()
    const to = await pageCounts(page)
    const seconds = (to.atMs - from.atMs) / 1000
    // A 100 ms timer may fire slightly early.
    expect(to.batches - from.batches).toBeLessThanOrEqual(Math.ceil(seconds * 11) + 2)
    expect(to.batches - from.batches).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })
})
