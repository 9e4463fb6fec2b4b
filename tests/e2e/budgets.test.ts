import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/app/ask.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { farFromMidnight } from '../support/runner/far-from-midnight.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null))('budgets in the window', () => {
  let browser: Browser
  let upstream: MessagesUpstream
  let app: TestApp
  let page: Page

  beforeAll(async () => {
    await farFromMidnight()
    upstream = await startMessagesUpstream(() => ({
      steps: [{ text: 'Done.' }],
      // $0.30 per call.
      usage: { input_tokens: 100_000, output_tokens: 10_000 },
    }))
    app = await startApp({ upstream: upstream.url })
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    await keepNotices(page)
    await (await ask(app.proxy, { prompt: 'the first question' })).text()
    await until('the call is priced', async () => (await app.count({ kind: 'api_usage' })) === 1)
    await page.goto(app.link)
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await upstream?.close()
  })

  test('a budget is set from Costs, appears there, and causes notices at 80% and 100%', async () => {
    await page.getByRole('navigation').getByText('Costs').click()
    await page.getByRole('link', { name: 'Set a budget' }).click()
    await page.getByRole('textbox', { name: 'Budget per day, in $' }).fill('0.7')
    await page.getByRole('textbox', { name: 'Budget per day, in $' }).press('Enter')
    await page.getByText('config.toml').first().waitFor()
    const projects = page.getByRole('listitem').filter({ hasText: 'Budgets of individual projects' })
    await projects.getByRole('button', { name: 'Add' }).click()
    await projects.getByLabel('project', { exact: true }).fill('/home/user/project')
    await projects.getByLabel('monthly usd', { exact: true }).fill('12')
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
