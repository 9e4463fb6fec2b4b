import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { lacks } from '../support/runner/lacks.ts'

describe.skipIf(lacks(findChromium() !== null))('the first start in a browser', () => {
  let browser: Browser
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({ upstream: 'http://127.0.0.1:9' })
    browser = await launchBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
  })

  test('opens the demo by a click, and a search in it finds an answer', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(app.link)
    const ways = page.getByRole('region')
    await ways.filter({ hasText: 'Start Claude Code through Aspy' }).getByText('run -- claude').waitFor()
    await ways.filter({ hasText: 'Try the demo' }).getByRole('button', { name: 'Open demo' }).click()
    await page.waitForURL((url) => url.origin !== app.app)
    const demo = new URL(page.url()).origin
    // Its history is still being recorded when it opens.
    await until(
      'a search in the demo shows the answer',
      async () => {
        await page.goto(`${demo}/recall?q=flaky+upload+test`)
        const answer = page.getByText('race condition').first()
        return answer.waitFor({ timeout: 10_000 }).then(
          () => true,
          () => false,
        )
      },
      240_000,
    )
    expect((await app.call<{ items: unknown[] }>('sessions.list')).items).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  })
})
