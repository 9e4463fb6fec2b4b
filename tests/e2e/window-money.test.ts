import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { startWindowHarness } from '../support/window/harness.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe('money and limits in the window', () => {
  const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

  test('Costs shows this month, its forecast and the last month', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs`)
    const month = card(page, 'This month')
    await month.getByText('25% more than at this point of last month ($120.00)').waitFor()
    await expect
      .poll(() => month.getByRole('definition').allInnerTexts())
      .toEqual(['$150.00', '$300.00', '$260.00 to $345.00', '$240.00'])
    await page.getByText(/^Yesterday cost \$[\d.]+, .* usual \$[\d.]+ on a \w+\./).waitFor()
    await month.getByText('of 12 earlier ones, worked out afterwards, 11 did. Typical error: 8%.').waitFor()
    await month.getByRole('img', { name: /\$150\.00 so far; \$300\.00 expected/ }).waitFor()
    expect(await accessFaults(page)).toEqual([])
  })

  test('what a new store cannot know is left out: a forecast, the last month, who used a limit that was reset', async ({
    page,
    harness,
  }) => {
    let spent = {}
    await page.route('**/api/budgets.forecast', async (route) => {
      const month = (await (await route.fetch()).json()) as { previous: object }
      const previous = { ...month.previous, spent_usd: 0, same_point_usd: 0 }
      await route.fulfill({ json: { ...month, ...spent, previous, change_share: null, forecast: null } })
    })
    await page.route('**/api/limits.now', async (route) => {
      const now = (await (await route.fetch()).json()) as { windows: object[] }
      const windows = [{ ...now.windows[0], used: 0, resets_at: null, forecast: null }]
      await route.fulfill({ json: { ...now, windows } })
    })
    await page.goto(`${harness.url}/costs`)
    const month = card(page, 'This month')
    await expect.poll(() => month.getByRole('definition').allInnerTexts()).toEqual(['$150.00'])
    spent = { spent_usd: 0 }
    await page.reload()
    await card(page, 'Budgets').waitFor()
    await month.waitFor({ state: 'detached' })
    await page.goto(`${harness.url}/costs?tab=limits`)
    const limit = card(page, '5 hours')
    await limit.getByText('0%', { exact: true }).first().waitFor()
    expect(await limit.getByText(/Too early|Used by/).count()).toBe(0)
    await page.unrouteAll()
  })

  test('on the first day of a month, before any answer, the last month is there', async ({ page, harness }) => {
    await page.route('**/api/budgets.forecast', async (route) => {
      const month = (await (await route.fetch()).json()) as object
      await route.fulfill({ json: { ...month, spent_usd: 0, change_share: null, forecast: null } })
    })
    await page.goto(`${harness.url}/costs`)
    const month = card(page, 'This month')
    await expect.poll(() => month.getByRole('definition').allInnerTexts()).toEqual(['$0', '$240.00'])
    await page.unrouteAll()
  })

  test('the part of yesterday that the headline names opens that day, not the range', async ({ page, harness }) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(`${request.url()} ${request.postData() ?? ''}`))
    await page.goto(`${harness.url}/costs?range=90d`)
    await page.getByRole('link', { name: /^calls and outputs of / }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('day')).toMatch(/^\d{4}-\d\d-\d\d$/)
    await page.getByText(/^Input cost \$[\d.]+ on \w+day, /).waitFor()
    const sent = asked.filter((line) => line.includes('/api/carry.list')).at(-1) ?? ''
    expect(JSON.parse(sent.slice(sent.indexOf('{')))).toMatchObject({ until: expect.any(String), by: 'tool' })
    expect(await page.getByRole('group', { name: 'Time range' }).locator('[aria-pressed=true]').count()).toBe(0)
    await page.getByRole('button', { name: '7 d', exact: true }).click()
    await page.getByText(/^Input cost \$[\d.]+ in the last 7 days/).waitFor()
    expect(new URL(page.url()).searchParams.get('day')).toBe(null)
  })

  test('each limit has its curve, forecast and sessions; a session leads to its requests', async ({
    page,
    harness,
  }) => {
    await page.goto(`${harness.url}/costs`)
    await page.getByRole('button', { name: 'Limits', exact: true }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('limits')
    const hours = card(page, '5 hours')
    await hours
      .getByText('4% an hour. 63% expected at the reset, 50% to 76% (27 of 30 forecasts were right).')
      .waitFor()
    await card(page, '7 days, opus')
      .getByText(/Exhausted .* at this rate/)
      .waitFor()
    await hours.getByText('Not recorded here').waitFor()
    expect(await page.getByText(/^The API reports only the total; /).count()).toBe(1)
    await hours.getByRole('link', { name: 'Why is the orbit wrong?' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/sessions/${SESSION}`)
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('requests')
  })

  test('a silent change leads to its first answer', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs?tab=served`)
    const served = card(page, 'Model and tier changes')
    await served.getByText('The requested values are not known for 12 requests.').waitFor()
    const rows = await served.getByRole('row').allInnerTexts()
    expect(rows[1]?.split(/\s*\t\s*/).slice(1)).toEqual(['Model', 'claude-opus-5-5', '–', 'claude-sonnet-5-5', '7'])
    const heads = await card(page, 'What answered').getByRole('columnheader').allInnerTexts()
    expect(heads).toEqual(['Requested', 'Effort', 'Tier', 'Cache', 'Requests'])
    await served.getByRole('link').click()
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('answer-1')
  })

  test('answers that a narrow window cannot tell apart are one row', async ({ page, harness }) => {
    const rows = async (width: number) => {
      await page.setViewportSize({ width, height: 900 })
      const all = await card(page, 'What answered').getByRole('row').allInnerTexts()
      return all.map((row) => row.split(/\s*\t\s*/).join(' '))
    }
    await page.goto(`${harness.url}/costs?tab=served`)
    await expect.poll(() => rows(1440)).toHaveLength(4)
    // Sooner than the rows are read again.
    await expect
      .poll(() => rows(420), { timeout: 5000 })
      .toEqual(['Requested Requests', 'opus-5-5 400', 'haiku-5-5 200'])
    await expect.poll(() => rows(1440), { timeout: 5000 }).toHaveLength(4)
  })

  test('Costs leads to the receipt, whose rows lead to their requests', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs?range=7d`)
    await page.getByRole('link', { name: 'Receipt' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/costs/receipt')
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('7d')
    const headings = page.getByRole('main').getByRole('heading', { level: 2 })
    // Costs has a card 'By model', too, and stays on screen until the receipt is loaded.
    await headings.getByText('By kind of token').waitFor()
    await expect
      .poll(() => headings.allInnerTexts())
      .toEqual([
        'By model',
        'By day',
        'By session',
        'By agent',
        'By kind of token',
        'By service tier',
        'By server tool',
        'The client’s own totals',
        'What is not included',
      ])
    expect((await card(page, 'By kind of token').getByRole('row').allInnerTexts())[2]?.split(/\s*\t\s*/)).toEqual([
      'Cache read',
      '90,000',
      '$1.00',
    ])
    const sum = card(page, 'By agent').getByRole('row').last()
    const texts = (await sum.innerText()).split(/\s*\t\s*/)
    expect([texts[0], texts.at(-1), await sum.getByRole('button').count()]).toEqual(['Total', '$3.50', 0])
    expect(await accessFaults(page)).toEqual([])
    await card(page, 'By agent')
      .getByRole('button', { name: /^Explore/ })
      .click()
    const calls = card(page, 'By agent').getByRole('region', { name: 'Requests' })
    await calls.getByText('2 requests, $3.00. The 1 most expensive:').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('row')).toBe(`agent:${SESSION}:a1`)
    await calls.getByRole('link', { name: 'Why is the orbit wrong?' }).waitFor()
    await calls.getByRole('link').first().click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/exchanges/exchange-1')
  })

  test('a receipt covers chosen days, prints without the frame, and is saved', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs/receipt`)
    await page.getByRole('button', { name: 'Days' }).click()
    await page.getByLabel('First day').fill('2026-11-01')
    await page.getByLabel('Last day').fill('2026-11-20')
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-11-01&to=2026-11-20')
    await page.emulateMedia({ media: 'print' })
    const title = page.getByRole('heading', { level: 1 })
    await title.waitFor()
    await expect.poll(() => page.getByRole('contentinfo').isVisible()).toBe(false)
    await expect.poll(() => page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false)
    const lengths = await page.evaluate(() => [document.documentElement.scrollHeight, window.innerHeight])
    expect(lengths[0]).toBeGreaterThan(lengths[1] ?? 0)
    await page.emulateMedia({ media: null })
    const saved = page.waitForEvent('download')
    await page.getByLabel('Save a receipt').selectOption('html')
    const download = await saved
    expect(download.suggestedFilename()).toBe('receipt.html')
    expect(readFileSync(await download.path(), 'utf8')).toContain('<title>Receipt</title>')
  })

  test('the footer shows the limits', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs`)
    await page.getByRole('contentinfo').getByRole('link', { name: '5h 42%' }).waitFor()
  })

  test('two accounts have their own limits in the footer and on Costs', async ({ page, harness }) => {
    const accounts = [
      ['Home', 0.12],
      ['Work', 0.81],
    ] as const
    await page.route('**/api/limits.latest', async (route) => {
      const latest = (await (await route.fetch()).json()) as { windows: object[] }
      const windows = accounts.map(([account, utilization]) => ({ ...latest.windows[0], account, utilization }))
      await route.fulfill({ json: { ...latest, windows } })
    })
    await page.route('**/api/limits.now', async (route) => {
      const now = (await (await route.fetch()).json()) as { windows: object[] }
      const windows = accounts.map(([account, used]) => ({ ...now.windows[0], account, used, gaps: [] }))
      await route.fulfill({ json: { ...now, windows } })
    })
    await page.goto(`${harness.url}/costs?tab=limits`)
    const footer = page.getByRole('contentinfo')
    await footer.getByRole('link', { name: 'Home 5h 12%' }).waitFor()
    await footer.getByRole('link', { name: 'Work 5h 81%' }).waitFor()
    await card(page, '5 hours · Home').getByText('12%', { exact: true }).waitFor()
    await card(page, '5 hours · Work').getByText('81%', { exact: true }).waitFor()
    expect(await accessFaults(page)).toEqual([])
  })

  test('without reports and history, nothing is guessed', async ({ page }) => {
    const empty = await startWindowHarness({ mode: 'empty' })
    try {
      await page.goto(`${empty.url}/costs`)
      await page.getByText('No requests in').waitFor()
      await page.goto(`${empty.url}/costs/receipt`)
      await page.getByText('No requests in this time').waitFor()
    } finally {
      await empty.stop()
    }
  })
})
