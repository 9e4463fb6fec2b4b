import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startWindowHarness } from '../support/window/harness.ts'

const FOLDER = fileURLToPath(new URL('../../out/renderer', import.meta.url))
const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe.skipIf(findChromium() === null)('money and limits in the window', () => {
  let browser: Browser
  let page: Page
  let harness: Awaited<ReturnType<typeof startWindowHarness>>

  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' })
    harness = await startWindowHarness(FOLDER, { mode: 'full' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.stop()
  })
  const card = (name: string) => page.getByRole('region', { name, exact: true })

  test('Costs shows this month, its forecast and the last month', async () => {
    await page.goto(`${harness.url}/costs`)
    const month = card('This month')
    await month.getByText('25% more than at this point of last month ($120.00)').waitFor()
    expect(await month.getByRole('definition').allInnerTexts()).toEqual([
      '$150.00',
      '$300.00',
      '$260.00 to $345.00',
      '$240.00',
    ])
    await month.getByText('it held in 11 of 12 past forecasts. Typical error: 8%.').waitFor()
    await month.getByRole('img', { name: /\$150\.00 so far; \$300\.00 expected/ }).waitFor()
    expect(await accessFaults(page)).toEqual([])
  })

  test('each limit has its curve, forecast and sessions; a session leads to its requests', async () => {
    await page.goto(`${harness.url}/costs`)
    const hours = card('5 hours')
    await hours.getByText('4% an hour. 63% expected at the reset, 50% to 76% (27 of 30 past bands held).').waitFor()
    await card('7 days, opus')
      .getByText(/Exhausted .* at this rate/)
      .waitFor()
    await hours.getByText('Not recorded here').waitFor()
    await hours.getByRole('link', { name: 'Why is the orbit wrong?' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/sessions/${SESSION}`)
    expect(new URL(page.url()).searchParams.get('tab')).toBe('requests')
  })

  test('a silent change leads to its first answer', async () => {
    await page.goto(`${harness.url}/costs`)
    const served = card('What was served')
    await served.getByText('What was asked is not known for 12 answers.').waitFor()
    const rows = await served.getByRole('row').allInnerTexts()
    expect(rows[1]?.split(/\s*\t\s*/).slice(1)).toEqual(['Model', 'claude-opus-5-5', '–', 'claude-sonnet-5-5', '7'])
    await served.getByRole('link').click()
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('answer-1')
  })

  test('a receipt is saved as a page to print', async () => {
    await page.goto(`${harness.url}/costs`)
    const saved = page.waitForEvent('download')
    await page.getByLabel('Save a receipt').selectOption('html')
    const download = await saved
    expect(download.suggestedFilename()).toBe('receipt.html')
    expect(readFileSync(await download.path(), 'utf8')).toContain('<title>Receipt</title>')
  })

  test('the footer shows the limits', async () => {
    await page.goto(`${harness.url}/costs`)
    await page.getByRole('contentinfo').getByRole('link', { name: '5h 42%' }).waitFor()
  })

  test('without reports and history, nothing is guessed', async () => {
    const empty = await startWindowHarness(FOLDER, { mode: 'empty' })
    try {
      await page.goto(`${empty.url}/costs`)
      await page.getByText('No calls in').waitFor()
    } finally {
      await empty.stop()
    }
  })
})
