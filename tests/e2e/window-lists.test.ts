import { fileURLToPath } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const FOLDER = fileURLToPath(new URL('../../out/renderer', import.meta.url))
const WIDTHS = [420, 1024, 2560] as const

describe.skipIf(lacks(findChromium() !== null))('Sessions and Costs as lists to work with', () => {
  let browser: Browser
  let page: Page
  let harness: Awaited<ReturnType<typeof startWindowHarness>>

  beforeAll(async () => {
    browser = await launchBrowser()
    const context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      locale: 'en-GB',
    })
    page = await context.newPage()
    page.setDefaultTimeout(15_000)
    harness = await startWindowHarness(FOLDER, { mode: 'full' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.stop()
  })

  const field = (name: string) => new URL(page.url()).searchParams.get(name)
  async function open(path: string, width = 1440): Promise<void> {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(harness.url + path)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  }

  test.each(['/sessions', '/costs?compare=yes', '/costs?table=yes'])(
    '%s fits and is accessible from 420 to 2,560 px',
    async (path) => {
      for (const width of WIDTHS) {
        await open(path, width)
        await page.locator('main h1').waitFor()
        const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(wider, `${path} at ${width}`).toBeLessThanOrEqual(0)
        expect(await accessFaults(page), `${path} at ${width}`).toEqual([])
      }
    },
  )

  test('the title takes most of a row, days head the sessions, and none is “open”', async () => {
    await open('/sessions')
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('link') })
      .first()
    const [whole, title] = [await row.boundingBox(), await row.getByRole('cell').nth(1).boundingBox()]
    expect((title?.width ?? 0) / (whole?.width ?? 1)).toBeGreaterThan(0.5)
    await page.getByRole('heading', { name: 'Yesterday' }).waitFor()
    expect(await page.getByText('open', { exact: true }).count()).toBe(0)
    await expect.poll(() => page.getByText(/^idle \d+ (?:min|h)$|^active$/).count()).toBe(1)
  })

  test('clients have their names, in the list and in the filter, and keys in the address', async () => {
    await open('/sessions')
    await page.getByRole('row').getByText('Agent SDK', { exact: true }).first().waitFor()
    const filter = page.getByLabel('Client', { exact: true })
    await filter.waitFor()
    await expect
      .poll(() => filter.locator('option').allInnerTexts())
      .toEqual(['All clients', 'Claude Code', 'Agent SDK'])
    await filter.selectOption('Agent SDK')
    await expect.poll(() => field('client')).toBe('agent-sdk')
    expect(await page.locator('main').innerText()).not.toMatch(/claude-code|agent-sdk/)
  })

  test('filters are in the address and go away together', async () => {
    await open('/sessions')
    await page.getByRole('button', { name: 'With agents' }).click()
    await page.getByLabel('Branch', { exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('When').selectOption('Last 7 days')
    await page.getByRole('button', { name: 'With failures' }).click()
    await expect.poll(() => [field('agents'), field('when'), field('failed')]).toEqual(['yes', '7d', 'yes'])
    await page.getByRole('button', { name: 'Clear 3 filters' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => [field('agents'), field('when'), field('failed')]).toEqual(['yes', '7d', 'yes'])
  })

  test('a search that is still being typed does not lead back from a session that is being opened', async () => {
    await page.clock.install()
    await open('/sessions')
    const release = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    // The view of a session is loaded when it is opened: until then, the address is on its way.
    await page.route('**/*.js', async (route) => {
      held.resolve()
      await release.promise
      await route.continue()
    })
    // The clock stands, so that the text is not yet written to the address.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await page.getByLabel('Search sessions').fill('a')
    await page.getByRole('row').getByRole('link').first().click()
    await held.promise
    await page.clock.fastForward(5000)
    await page.clock.resume()
    release.resolve()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/sessions\/./)
    await page.unroute('**/*.js')
    await page.goBack()
    expect(field('q')).toBe(null)
  })

  test('several sessions are selected, also as a range, and deleted after a question', async () => {
    await open('/sessions')
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
    await boxes.nth(0).check()
    await boxes.nth(3).click({ modifiers: ['Shift'] })
    await page.getByText('4 sessions selected').waitFor()
    await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete sessions' })
    await dialog.getByText('Delete 4 sessions?').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Clear the selection' }).click()
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
  })

  test('a session is renamed in its row; Escape leaves it alone', async () => {
    await open('/sessions')
    const rename = page.getByRole('button', { name: /^Rename/ }).first()
    await rename.focus()
    await page.keyboard.press('Enter')
    const name = page.getByLabel('Session name')
    await name.fill('Another name')
    await name.press('Escape')
    await name.waitFor({ state: 'detached' })
    await rename.focus()
    await page.keyboard.press('Enter')
    const asked = page.waitForRequest((request) => request.url().endsWith('/api/sessions.label'))
    await name.fill('A better name')
    await name.press('Enter')
    expect((await asked).postDataJSON()).toMatchObject({ title: 'A better name' })
  })

  test('cost axes step by 1, 2 or 5 with one number of decimals, and colors stay with their model', async () => {
    await open('/costs')
    const ticks = page.locator('.recharts-yAxis-tick-labels').first().locator('.recharts-cartesian-axis-tick-value')
    await ticks.first().waitFor()
    const labels = await ticks.allTextContents()
    const step = Number((labels[1] ?? '').slice(1))
    expect([1, 2, 5, 10]).toContain(step / 10 ** Math.floor(Math.log10(step)))
    expect(new Set(labels.slice(1).map((label) => label.split('.')[1]?.length ?? 0)).size).toBe(1)
    const colors = () =>
      page
        .getByRole('list', { name: 'Models' })
        .getByRole('listitem')
        .evaluateAll((items) =>
          Object.fromEntries(
            items.map((item) => [item.textContent, item.querySelector('span')?.getAttribute('style') ?? '']),
          ),
        )
    const before = await colors()
    await page.getByRole('button', { name: '7 d' }).click()
    await expect.poll(() => field('range')).toBe('7d')
    expect(await colors()).toEqual(before)
  })

  test('a column and a row of the table lead to the sessions of their day', async () => {
    await open('/costs')
    const columns = page.locator('.recharts-bar-rectangle path')
    await columns.first().waitFor()
    await columns.first().hover()
    await page.getByText('Click to see its sessions').waitFor()
    await columns.first().click()
    await expect.poll(() => field('from')).not.toBeNull()
    const days = () => (Date.parse(field('to') ?? '') - Date.parse(field('from') ?? '')) / 86_400_000
    expect(days()).toBeCloseTo(1, 0)
    expect(field('sort')).toBe('cost')
    await page.goBack()
    await page.getByRole('button', { name: 'Table' }).click()
    await page.getByRole('link', { name: /day/ }).first().click()
    await expect.poll(() => field('from')).not.toBeNull()
    expect(days()).toBeCloseTo(1, 0)
  })

  test('the period before is drawn and told', async () => {
    await open('/costs')
    await page.getByText(/(?:less|more) than the period before/).waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.recharts-line-curve').first().waitFor()
    expect(field('compare')).toBe('yes')
  })
})
