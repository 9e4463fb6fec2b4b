import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { ask } from '../support/app/ask.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { noticed } from '../support/window/notices.ts'
import { until } from '../support/runner/until.ts'

const test = given({
  answer: () => ({
    steps: [{ text: 'Done.' }],
    // $0.30 per call.
    usage: { input_tokens: 100_000, output_tokens: 10_000 },
  }),
})

describe('budgets in the window', () => {
  test.beforeAll(async () => {
    await farFromMidnight()
  })
  test.beforeAll(async ({ page, app }) => {
    await (await ask(app.proxy, { prompt: 'the first question' })).text()
    await until('the call is priced', async () => (await app.count({ kind: 'api_usage' })) === 1)
    await page.goto(app.link)
  })

  test('a budget is set from Costs, appears there, and causes notices at 80% and 100%', async ({ page, app }) => {
    await page.getByRole('navigation').getByText('Costs').click()
    await page.getByRole('link', { name: 'Set a budget' }).click()
    await page.getByRole('textbox', { name: 'Budget per day, in $' }).fill('0.7')
    await page.getByRole('textbox', { name: 'Budget per day, in $' }).press('Enter')
    await page.getByText('changed', { exact: true }).first().waitFor()
    const projects = page.getByRole('listitem').filter({ hasText: 'Budgets of individual projects' })
    await projects.getByRole('button', { name: 'Add' }).click()
    await projects.getByLabel('Project folder', { exact: true }).fill('/home/user/project')
    await projects.getByLabel('Budget per month', { exact: true }).fill('12')
    await projects.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('navigation').getByText('Costs').click()
    const card = page.getByRole('region', { name: 'Budgets' })
    await card.getByRole('meter', { name: 'Today: spent' }).waitFor()
    await card.getByText('$0.30 of $0.70').waitFor()
    await card.getByText('This month, project').waitFor()
    await expect.poll(() => card.getByText('of $12.00').count()).toBe(1)

    await (await ask(app.proxy, { prompt: 'the second question' })).text()
    await noticed(page, '86% of today’s budget is spent: $0.60 of $0.70')
    await page.getByRole('contentinfo').getByRole('link', { name: '86% of today’s budget' }).waitFor()
    await (await ask(app.proxy, { prompt: 'the third question' })).text()
    await noticed(page, 'Today’s budget is spent: $0.90 of $0.70')
    await card.getByText('$0.90 of $0.70, $0.20 over').waitFor()
  })
})
