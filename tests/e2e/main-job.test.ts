import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/app/ask.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null))('the main job in the browser', () => {
  let browser: Browser
  let upstream: MessagesUpstream
  let app: TestApp

  beforeAll(async () => {
    upstream = await startMessagesUpstream(() => ({
      steps: [
        { thinking: 'The palette should be solarized because low contrast tires the eyes less.' },
        { text: 'First words of the answer. ' },
        { hold: 'middle' },
        { text: 'And the rest of it, with a marmalade.' },
      ],
      usage: { input_tokens: 1200, output_tokens: 340 },
    }))
    app = await startApp({ upstream: upstream.url })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await upstream?.close()
  })

  test('text appears while the answer is still streaming; then Recall finds it and Costs counts it', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text())
    })
    page.on('pageerror', (error) => problems.push(String(error)))
    page.on('request', (request) => {
      if (!request.url().startsWith(app.app) && !request.url().startsWith('data:')) problems.push(request.url())
    })
    await page.goto(app.link)
    await page.getByRole('navigation').getByText('Live').waitFor()
    expect(page.url()).not.toContain(app.token)

    const answer = ask(app.proxy, { prompt: 'Which theme shall we take?' })
    await upstream.held('middle')
    await page.getByText('First words of the answer.').first().waitFor()
    await page.getByText('Which theme shall we take?').first().waitFor()
    expect(await page.getByText('marmalade').count()).toBe(0)

    upstream.release('middle')
    await (await answer).text()
    await page.getByText('marmalade').first().waitFor()

    await page.getByRole('navigation').getByText('Recall').click()
    await page.getByRole('searchbox').first().fill('solarized')
    await page.locator('mark').first().waitFor()
    await expect.poll(async () => (await page.locator('mark').first().textContent())?.toLowerCase()).toBe('solarized')

    await page.getByRole('navigation').getByText('Costs').click()
    await page.getByText('sonnet-5-5').first().waitFor()
    expect(problems).toEqual([])
    await page.close()
  })
})
