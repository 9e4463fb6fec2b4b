import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { few } from '../support/runner/heavy.ts'
import { describe, given } from '../support/window/window-test.ts'
import type { AnyDraft } from '../../src/main/decode/draft.ts'
import { faultsAtWidth } from '../support/window/accessibility.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { usageOf } from '../support/store/history.ts'
import { draftOf, fillStore } from '../support/store/seeded-store.ts'

const START = Date.parse('2026-11-20T10:00:00Z')

/** A prompt, the call of an agent for 40 seconds, a search of the agent, and the cost of a call. */
function turn(id: string, second: number): AnyDraft[] {
  const more = (after: number, key: string, parent: string, agent: string | null = null) => ({
    session_id: 'work',
    at: new Date(START + (second + after) * 1000).toISOString(),
    keys: [`${id} ${key}`],
    parents: parent === '' ? [] : [`${id} ${parent}`],
    agent_id: agent,
  })
  const block = { message_id: null, index: 0 }
  const agent = { agent_id: `a-${id}`, agent_type: 'Explore', parent_agent_id: null, call_id: `c-${id}` }
  const result = { call_id: `c-${id}`, tool_name: 'Agent', output: 'ok', is_error: false, rejected: false }
  const usage = { message_id: `m-${id}`, model: 'claude-sonnet-5-5', usage: usageOf({ input_tokens: 1000 }) }
  return [
    draftOf('user_prompt', { text: `${id} question` }, more(0, 'prompt', '')),
    draftOf(
      'tool_call',
      { call_id: `c-${id}`, tool_name: 'Agent', input: { description: `Review the ${id}` }, ...block },
      more(1, 'call', 'prompt'),
    ),
    draftOf('agent_started', agent, more(2, 'agent', 'call', `a-${id}`)),
    draftOf(
      'tool_call',
      { call_id: `g-${id}`, tool_name: 'Grep', input: { pattern: `in ${id}` }, ...block },
      more(3, 'grep', 'agent', `a-${id}`),
    ),
    draftOf('tool_result', result, { ...more(41, 'result', 'call'), duration_ms: 40_000, success: true }),
    draftOf(
      'api_usage',
      { ...usage, request_kind: 'loop', basis: 'measured', ttft_ms: null },
      more(42, 'usage', 'prompt'),
    ),
  ]
}

const test = given({ screen: { locale: 'en-GB' } })

describe('the timeline of a session', () => {
  test.beforeAll(({ folder }) => {
    fillStore(folder, [...turn('first', 0), ...turn('second', 300)])
  })
  test.beforeAll(async ({ page, app }) => {
    page.setDefaultTimeout(20_000)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })

  async function open(page: Page, app: TestApp, path: string, width = 1440): Promise<void> {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(app.app + path)
  }
  const bars = (page: Page) => page.getByRole('region', { name: 'Waterfall' })

  test('shows every turn, and agents below their call, loaded when they are opened', async ({ page, app }) => {
    await open(page, app, '/sessions/work?tab=timeline&turn=2')
    const agent = bars(page).getByRole('button', { name: /Review the second Explore/ })
    await agent.waitFor()
    await bars(page)
      .getByRole('button', { name: /^Turn 1 first question/ })
      .waitFor()
    const names = await bars(page).getByRole('button').allTextContents()
    const call = names.findIndex((name) => name.startsWith('Agent Review the second'))
    expect(names[call + 1]).toContain('Review the secondExplore')
    await expect.poll(() => agent.getAttribute('aria-expanded')).toBe('false')
    expect(await bars(page).getByText('Grep in second').count()).toBe(0)
    await agent.click()
    await bars(page).getByText('Grep in second').waitFor()
    await bars(page)
      .getByRole('button', { name: /^Turn 1/ })
      .click()
    await bars(page).getByText('Agent Review the first').waitFor()
  })

  test('marks the critical path through the agent, and shows it alone', async ({ page, app }) => {
    await open(page, app, '/sessions/work?tab=timeline&turn=2')
    const alone = page.getByRole('button', { name: /^Critical path 41/ })
    await alone.waitFor()
    await page.getByText(/^between steps .* · model /).waitFor()
    const row = (name: RegExp) => bars(page).getByRole('button', { name })
    await row(/Agent Review the second.* on the critical path/).waitFor()
    await row(/^Turn 1 first question/).waitFor()
    await expect.poll(() => row(/second question/).count()).toBe(2)
    expect(await row(/Grep in second/).count()).toBe(0)
    await alone.click()
    await expect.poll(() => alone.getAttribute('aria-pressed')).toBe('true')
    // The agent on the path is open, and the prompt is not on it.
    await row(/Grep in second.* on the critical path/).waitFor()
    await expect.poll(() => row(/second question/).count()).toBe(1)
    await page.keyboard.press('p')
    await expect.poll(() => row(/second question/).count()).toBe(2)
    expect(await row(/Grep in second/).count()).toBe(0)
  })

  test('zooms by buttons, keys and the wheel over the map, and back to the whole session', async ({ page, app }) => {
    await open(page, app, '/sessions/work?tab=timeline&turn=1')
    await bars(page).getByText('Agent Review the first').waitFor()
    const first = () => page.locator('[data-tick]').nth(1).textContent()
    const atTurn = await first()
    await page.getByRole('button', { name: 'Zoom in (+)' }).click()
    await expect.poll(first).not.toBe(atTurn)
    await page.keyboard.press('0')
    const whole = await first()
    await page.locator('[data-minimap]').hover()
    await page.mouse.wheel(0, -400)
    await page.mouse.wheel(0, -400)
    await page.mouse.wheel(0, -400)
    await page.mouse.wheel(0, -400)
    await expect.poll(first).not.toBe(whole)
    await page.getByRole('button', { name: 'Whole session' }).click()
    await expect.poll(first).toBe(whole)
  })

  // The narrowest window has room for one tick. The others show one until they know their width.
  const WIDTHS = [
    [1024, 3],
    [420, 1],
    [2560, 6],
  ] as const
  test.for(few(WIDTHS, 1))(
    'ticks never overlap, and nothing is wider than the window, at %i px',
    async ([width, least], { page, app }) => {
      await open(page, app, '/sessions/work?tab=timeline&turn=1', width)
      await bars(page).getByText('Agent Review the first').waitFor()
      const placesOf = () =>
        page.locator('[data-tick]').evaluateAll((ticks) => ticks.map((tick) => tick.getBoundingClientRect().left))
      await expect.poll(async () => (await placesOf()).length).toBeGreaterThanOrEqual(least)
      const places = await placesOf()
      const gaps = places.slice(1).map((left, at) => left - (places[at] ?? 0))
      expect(gaps.filter((gap) => gap < 60)).toEqual([])
      const cut = await page.locator('[data-tick]').evaluateAll((ticks) =>
        ticks.filter((tick) => {
          const end = tick.parentElement?.getBoundingClientRect().right ?? 0
          return tick.getBoundingClientRect().right > end + 1
        }),
      )
      expect(cut).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
      // A narrow window leaves the room of what the path is made of to the lanes.
      await page.getByRole('button', { name: /^Critical path/ }).waitFor()
      expect(await page.getByTitle(/^Between steps/).isVisible()).toBe(width > 420)
      expect(await faultsAtWidth(page, width === 1024)).toEqual([])
    },
  )

  test('the trace opens to agents, with time and cost of each branch', async ({ page, app }) => {
    await open(page, app, '/sessions/work?tab=lineage')
    const tree = page.getByRole('region', { name: 'Trace tree' })
    await tree
      .getByText(/1 agent · .* · \$0\.00/)
      .first()
      .waitFor()
    await tree
      .getByText(/^1 tool call/)
      .first()
      .waitFor()
    // Once each: on the call that started the agent.
    const agents = tree.getByText('Agent started')
    await expect.poll(() => agents.count()).toBe(2)
    expect(await tree.getByText(/^1 tool call/).count()).toBe(2)
  })
})
