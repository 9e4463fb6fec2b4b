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

  test('before anything is recorded, no view speaks of what cannot be there', async () => {
    const page = await browser.newPage()
    await page.goto(app.link)
    await page.getByRole('link', { name: 'Costs' }).click()
    await page.getByRole('link', { name: 'Record or import a session' }).waitFor()
    expect(await page.getByText('older costs').count()).toBe(0)
    await page.getByRole('link', { name: 'Health' }).click()
    const recorder = page.getByRole('main').getByText('Recorder', { exact: true })
    await recorder.waitFor()
    await page.getByText('Queue', { exact: true }).waitFor({ state: 'attached' })
    expect(await page.getByText('Write delay').count()).toBe(0)
    await page.close()
  })

  test('opens the demo beside the app by a click, finds a decision there, and leaves it by a click', async () => {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(app.link)
    const ways = page.getByRole('region')
    await ways.filter({ hasText: 'Start Claude Code through Aspy' }).getByText('run -- claude').waitFor()
    // Commands are whole at every width.
    await page.setViewportSize({ width: 420, height: 900 })
    const isWhole = (code: Element) => code.scrollWidth <= code.clientWidth
    for (const command of ['run -- claude', 'run -- codex'])
      expect(await ways.getByText(command).evaluate(isWhole)).toBe(true)
    await page.setViewportSize({ width: 1440, height: 900 })
    const opening = page.waitForEvent('popup')
    await ways.filter({ hasText: 'Try the demo' }).getByRole('button', { name: 'Open demo' }).click()
    const demo = await opening
    // It opens when its history is there.
    await demo.waitForURL((url) => url.origin !== app.app && url.protocol === 'http:', { timeout: 240_000 })
    await demo.getByRole('navigation', { name: 'Views' }).getByText('Demo', { exact: true }).waitFor()
    await demo.getByRole('link', { name: 'Recall' }).click()
    await demo.getByRole('link', { name: 'why no timer for acknowledged messages' }).click()
    await demo.getByText('Decided: no').first().waitFor()
    // For a moment after the click, one can stay.
    await demo.getByRole('button', { name: 'Leave the demo' }).click()
    await demo.getByRole('button', { name: 'Stay in the demo' }).click()
    const left = Promise.race([demo.waitForEvent('close'), demo.waitForURL((url) => url.origin === app.app)])
    await demo.getByRole('button', { name: 'Leave the demo' }).click()
    await left
    // The app stayed where it was.
    await ways.filter({ hasText: 'Try the demo' }).waitFor()
    expect(await page.getByRole('button', { name: 'Leave the demo' }).count()).toBe(0)
    expect((await app.call<{ items: unknown[] }>('sessions.list')).items).toEqual([])
    expect(problems).toEqual([])
    await page.close()
  })
})
