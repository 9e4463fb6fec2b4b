import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { ask } from '../support/app/ask.ts'
import { type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { accessFaults, faultsAtWidth } from '../support/window/accessibility.ts'

const SESSION = '0f9b3c1e-5d2a-4c7b-9e8f-0123456789ab'

const test = given({
  answer: () => ({
    steps: [{ text: 'Done.' }],
    // $0.30 per call.
    usage: { input_tokens: 100_000, output_tokens: 10_000 },
  }),
  settings: { 'guard.session_usd': 0.2, 'guard.decide_ms': 10_000, 'guard.fail_open': false },
})

describe('requests that wait, in the window', () => {
  test.beforeAll(async ({ page, app }) => {
    await (await ask(app.proxy, { prompt: 'the first question', session: SESSION })).text()
    await until('the call is priced', async () => (await app.count({ kind: 'api_usage' })) === 1)
    await page.goto(app.link)
    await page.getByRole('navigation').getByText('Live').waitFor()
  })

  const banner = (page: Page) => page.getByRole('region', { name: 'Requests that wait' })
  const askAgain = (app: TestApp, agent?: string) =>
    ask(app.proxy, {
      prompt: 'the next question',
      session: SESSION,
      ...(agent === undefined ? {} : { headers: { 'x-claude-code-agent-id': agent } }),
    })

  test('a banner on every view says who waits, why and how long; it reaches a window that opens later', async ({
    browser,
    page,
    app,
  }) => {
    const answer = askAgain(app)
    await banner(page).waitFor()
    const text = (await banner(page).innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toMatch(/A request of project waits for you:/)
    expect(text).toMatch(
      /With this request, the session is estimated at up to \$0\.\d+ \(\$0\.\d+ without it\); your cap per session is \$0\.20\./i,
    )
    expect(text).toMatch(/Session so far: \$0\.30\. Stops by itself in (?:4 m|3 m \d+ s)\./)
    await page.getByRole('article').getByText('Paused by your limit').waitFor()
    for (const view of ['Sessions', 'Recall', 'Costs', 'Tools', 'Health', 'Settings']) {
      await page.getByRole('navigation').getByText(view, { exact: true }).click()
      expect([view, await banner(page).count()]).toEqual([view, 1])
    }
    const other = await browser.newPage()
    await other.goto(app.link)
    await other.getByRole('region', { name: 'Requests that wait' }).waitFor()
    await other.close()
    await banner(page).getByRole('link', { name: 'project' }).click()
    await page.getByText('the first question').first().waitFor()
    for (const width of [420, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      const shot = process.env['ASPY_SCREENSHOTS']
      if (shot !== undefined) await page.screenshot({ path: `${shot}/guard-${width}.png` })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      for (const button of await banner(page).getByRole('button').all()) {
        const box = await button.boundingBox()
        expect((box?.x ?? width) + (box?.width ?? width)).toBeLessThanOrEqual(width)
      }
      expect(await faultsAtWidth(page, width === 1440)).toEqual([])
    }
    await banner(page).getByRole('button', { name: 'Allow once' }).click()
    expect((await answer).status).toBe(200)
    await (await answer).text()
    await banner(page).waitFor({ state: 'detached' })
  })

  test('a raised cap lets the next request pass, and stopping refuses all of the session', async ({ page, app }) => {
    await until('the second call is priced', async () => (await app.count({ kind: 'api_usage' })) === 2)
    const raised = askAgain(app)
    await banner(page).getByRole('textbox', { name: 'Raise limit to $' }).fill('much')
    await banner(page).getByRole('button', { name: 'Raise' }).click()
    await page.getByText('"much" is not a number').waitFor()
    await banner(page).getByRole('textbox', { name: 'Raise limit to $' }).fill('0.75')
    await banner(page).getByRole('button', { name: 'Raise' }).click()
    expect((await raised).status).toBe(200)
    await (await raised).text()
    await until('the third call is priced', async () => (await app.count({ kind: 'api_usage' })) === 3)
    await banner(page).waitFor({ state: 'detached' })
    const stopped = ['one', 'two', 'three'].map((agent) => askAgain(app, agent))
    await banner(page).getByText('3 requests of').waitFor()
    await banner(page).getByText('(3 subagents)').waitFor()
    await banner(page).getByRole('button', { name: 'Stop' }).click()
    expect((await Promise.all(stopped)).map(({ status }) => status)).toEqual([402, 402, 402])
    await banner(page).waitFor({ state: 'detached' })
    const { items } = await app.call<{ items: readonly { payload: { action: string; raised_to?: number } }[] }>(
      'events.list',
      { kind: 'guard_action' },
    )
    const raises = items.filter(({ payload }) => payload.action === 'raised')
    expect(raises.map(({ payload }) => payload.raised_to)).toEqual([0.75])
  })
  test('Guard names the session of each action, and a cap of a project is typed in at once', async ({ page }) => {
    await page.getByRole('navigation').getByText('Guard', { exact: true }).click()
    await page.getByText('Cap on repeated calls', { exact: true }).waitFor()
    expect(await page.getByText('guard.repeat_calls').count()).toBe(0)
    expect(await page.getByText('When a cap is reached').count()).toBe(1)
    const did = page.getByRole('region', { name: 'What it did' }).getByRole('listitem')
    await page.getByText('450%: $0.90 of $0.20 by the most expensive session of the last 24 hours').waitFor()
    await did.filter({ hasText: 'Stopped by you' }).first().getByText('project · the first question').waitFor()
    await page.setViewportSize({ width: 420, height: 900 })
    const form = page.getByRole('region', { name: 'Projects' })
    await form.getByRole('button', { name: 'Add' }).click()
    const folder = form.getByRole('combobox', { name: 'Project folder' })
    await folder.waitFor()
    expect(await form.getByRole('alert').count()).toBe(0)
    await form.getByRole('textbox', { name: 'Cap per day' }).fill('5')
    await form.getByRole('alert').getByText('Give the full path').waitFor()
    await folder.fill('/home/me/a-long-name-of-a-folder/shop')
    expect(await folder.getAttribute('title')).toBe('/home/me/a-long-name-of-a-folder/shop')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('shop, Cap per day: $5').waitFor()
    await form.getByRole('button', { name: 'Reset to default' }).waitFor()
    expect(await accessFaults(page, ['light', 'dark'])).toEqual([])
  })
})
