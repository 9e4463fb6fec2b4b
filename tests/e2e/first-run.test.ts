import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app/start-app.ts'
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

  test('opens the demo by a click, finds an answer there, and leaves it by a click', async () => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(app.link)
    const ways = page.getByRole('region')
    await ways.filter({ hasText: 'Start Claude Code through Aspy' }).getByText('run -- claude').waitFor()
    await ways.filter({ hasText: 'Try the demo' }).getByRole('button', { name: 'Open demo' }).click()
    // It opens when its history is there.
    await page.waitForURL((url) => url.origin !== app.app, { timeout: 240_000 })
    const demo = new URL(page.url()).origin
    await page.getByRole('navigation', { name: 'Views' }).getByText('Demo', { exact: true }).waitFor()
    await page.goto(`${demo}/recall?q=flaky+upload+test`)
    await page.getByText('race condition').first().waitFor()
    await page.getByRole('button', { name: 'Leave the demo' }).click()
    await page.waitForURL((url) => url.origin === app.app)
    await ways.filter({ hasText: 'Try the demo' }).waitFor()
    expect(await page.getByRole('button', { name: 'Leave the demo' }).count()).toBe(0)
    expect((await app.call<{ items: unknown[] }>('sessions.list')).items).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  })
})
