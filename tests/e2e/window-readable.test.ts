import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const OUTPUT = Array.from({ length: 75 }, (_, index) => `line ${index + 1} of the output`).join('\n')
const ANSWER = '## What was wrong\n\nIt counted **twice**.\n\n- first\n- second'
/** One line, whose link is in the part that is folded. */
const THOUGHT = `${'I weigh **this** and that. '.repeat(18)}[the plan](https://example.com/plan)`
const NONE = { message_id: null, index: 0 }

describe('long and structured text', () => {
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    const post = (session_id: string, kind: string, payload: object, more: object = {}) =>
      app.call<{ uuid: string }>('events.post', { session_id, kind, payload, ...more })
    await post('alpha', 'user_prompt', { text: 'first question' })
    await post('beta', 'user_prompt', { text: 'other question' })
    await post('beta', 'thinking', { text: THOUGHT, signature_only: false, ...NONE })
    await post('alpha', 'assistant_text', { text: ANSWER, ...NONE })
    const tool = async (id: string, tool_name: string, input: object, output: unknown, is_error = false) => {
      const { uuid } = await post('alpha', 'tool_call', { call_id: id, tool_name, input, ...NONE })
      await post(
        'alpha',
        'tool_result',
        { call_id: id, tool_name, output, is_error, rejected: false },
        { parent_uuid: uuid },
      )
    }
    const before = Array.from({ length: 40 }, (_, index) => `const value${index} = ${index}`).join('\n')
    const edit = { file_path: '/a.ts', old_string: before, new_string: before.replaceAll('const', 'let') }
    await tool('c1', 'Edit', edit, 'ok')
    const agent = { agent_id: 'a1', agent_type: 'Explore', parent_agent_id: null, call_id: 'c3' }
    const asked = {
      call_id: 'c3',
      tool_name: 'Agent',
      input: { description: 'Review the rounding', prompt: 'Look' },
      ...NONE,
    }
    await post('alpha', 'tool_call', asked)
    await post('alpha', 'agent_started', agent)
    await post('alpha', 'agent_ended', { agent_id: 'a1', agent_type: 'Explore' }, { success: true })
    await tool('c2', 'Bash', { command: 'npm test' }, OUTPUT, true)
  })

  test('in Live, an answer keeps its shape and each row has the color and name of its session', async ({
    page,
    app,
  }) => {
    await page.goto(`${app.app}/live`)
    const stream = page.getByRole('region', { name: 'Event stream' })
    await stream.getByText('What was wrong', { exact: true }).waitFor()
    expect(
      await stream
        .getByRole('listitem')
        .filter({ hasText: /^(first|second)$/ })
        .count(),
    ).toBe(2)
    expect(await stream.getByText('twice', { exact: true }).evaluate((node) => node.tagName)).toBe('STRONG')
    const edge = (text: string) =>
      stream
        .getByRole('link')
        .filter({ hasText: text })
        .evaluate((node) => getComputedStyle(node).borderLeftColor)
    expect(await edge('first question')).not.toBe(await edge('other question'))
    // The first row of a session in a row names it; its project is a tooltip.
    await stream.locator('[title$="alpha"]').first().waitFor()
    expect(await accessFaults(page)).toEqual([])
  })

  test('in Live, thinking of one long line is folded, and no key reaches what is not shown', async ({ page }) => {
    const stream = page.getByRole('region', { name: 'Event stream' })
    const thinking = stream.getByText('I weigh').first()
    const link = stream.getByRole('link', { name: 'the plan' })
    expect(await link.count()).toBe(0)
    const folded = (await thinking.innerText()).length
    await stream.getByRole('button', { name: 'Show all' }).click()
    await link.waitFor()
    expect((await thinking.innerText()).length).toBeGreaterThan(folded)
    await stream.getByRole('button', { name: 'Show less' }).click()
    await link.waitFor({ state: 'detached' })
  })

  test('in a transcript, the line of folded thinking has no signs of Markdown', async ({ page, app }) => {
    await page.goto(`${app.app}/sessions/beta`)
    const fold = page.getByRole('button', { name: /^Thinking/, expanded: true })
    await fold.click()
    await page.getByRole('button', { name: /^Thinking ?I weigh this and that/, expanded: false }).waitFor()
    await page.goto(`${app.app}/live`)
  })

  test('in a narrow window, the stream of Live has the whole width', async ({ page }) => {
    await page.setViewportSize({ width: 420, height: 900 })
    const stream = await page.getByRole('region', { name: 'Event stream' }).boundingBox()
    expect(stream?.width).toBeGreaterThan(340)
    expect(stream?.height).toBeGreaterThan(250)
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  test('the wheel over a diff or output scrolls the transcript, and all lines come on request', async ({
    page,
    app,
  }) => {
    await page.goto(`${app.app}/sessions/alpha`)
    const diff = page.locator('pre').filter({ hasText: 'const value0' })
    await diff.waitFor()
    await page.getByText('+40', { exact: true }).waitFor()
    const scroller = page.getByRole('region', { name: 'Transcript text' })
    const box = await diff.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 100, (box?.y ?? 0) + 60)
    await page.mouse.wheel(0, 300)
    await expect.poll(() => scroller.evaluate((node) => node.scrollTop)).toBeGreaterThan(200)
    const all = page.getByRole('button', { name: 'Show all 75 lines' })
    await all.waitFor()
    expect(await page.getByText('line 21 of the output').count()).toBe(0)
    await all.click()
    await page.getByText('line 75 of the output').waitFor()
  })

  test('an agent is named after its task', async ({ page, app }) => {
    // Only Aspy's own sources can set the agent of an event. Its end is on a page that is not loaded.
    await page.route('**/api/sessions.events', async (route) => {
      const response = await route.fetch()
      const answered = (await response.json()) as { items: { kind: string; agent_id: string | null }[] }
      const items = answered.items.filter(({ kind }) => kind !== 'agent_ended')
      for (const item of items) if (item.kind === 'agent_started') item.agent_id = 'a1'
      await route.fulfill({ response, json: { ...answered, items } })
    })
    await page.goto(`${app.app}/sessions/alpha`)
    const row = page
      .getByRole('region', { name: 'Transcript text' })
      .getByRole('button', { name: /^Review the rounding/ })
    await row.getByText('Explore').waitFor()
    expect(await row.getByText('no end recorded').count()).toBe(0)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
