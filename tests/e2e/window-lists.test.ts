import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'

const test = given({ screen: { locale: 'en-GB' } })

describe('Sessions and Costs as lists to work with', () => {
  test.beforeAll(({ page }) => {
    page.setDefaultTimeout(15_000)
  })

  const field = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)
  async function open(page: Page, harness: { readonly url: string }, path: string): Promise<void> {
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.goto(harness.url + path)
    await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  }

  test('the title takes nearly half of a row, days head the sessions, and none is “open”', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '/sessions')
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('link') })
      .first()
    const [whole, title] = [await row.boundingBox(), await row.getByRole('cell').nth(1).boundingBox()]
    expect((title?.width ?? 0) / (whole?.width ?? 1)).toBeGreaterThan(0.46)
    await page.getByRole('heading', { name: 'Yesterday' }).waitFor()
    expect(await page.getByText('open', { exact: true }).count()).toBe(0)
    await expect.poll(() => page.getByText(/^idle \d+ (?:min|h)$|^active$/).count()).toBe(1)
  })

  test('clients have their names, in the list and in the filter, and keys in the address', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '/sessions')
    await page.getByRole('row').getByText('Agent SDK', { exact: true }).first().waitFor()
    const filter = page.getByLabel('Client', { exact: true })
    await filter.waitFor()
    await expect
      .poll(() => filter.locator('option').allInnerTexts())
      .toEqual(['All clients', 'Claude Code', 'Agent SDK'])
    await filter.selectOption('Agent SDK')
    await expect.poll(() => field(page, 'client')).toBe('agent-sdk')
    expect(await page.locator('main').innerText()).not.toMatch(/claude-code|agent-sdk/)
  })

  test('filters are in the address and go away together', async ({ page, harness }) => {
    await open(page, harness, '/sessions')
    await page.getByRole('button', { name: 'With agents' }).click()
    await page.getByLabel('Branch', { exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('When').selectOption('Last 7 days')
    await page.getByRole('button', { name: 'With failures' }).click()
    await expect
      .poll(() => [field(page, 'agents'), field(page, 'when'), field(page, 'failed')])
      .toEqual(['yes', '7d', 'yes'])
    await page.getByRole('button', { name: 'Clear 3 filters' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect
      .poll(() => [field(page, 'agents'), field(page, 'when'), field(page, 'failed')])
      .toEqual(['yes', '7d', 'yes'])
  })

  test('a search that is still being typed does not lead back from a session that is being opened', async ({
    page,
    harness,
  }) => {
    await page.clock.install()
    await open(page, harness, '/sessions')
    const release = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    // The view of a session is loaded when it is opened: until then, the address is on its way.
    await page.route('**/*.js', async (route) => {
      held.resolve()
      await release.promise
      await route.continue()
    })
    // The clock is stopped, so that the text is not yet written to the address.
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
    expect(field(page, 'q')).toBe(null)
  })

  test('several sessions are selected, also as a range, and deleted after a question', async ({ page, harness }) => {
    await open(page, harness, '/sessions')
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

  test('a session is renamed in its row; Escape leaves it alone', async ({ page, harness }) => {
    await open(page, harness, '/sessions')
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

  test('cost axes step by 1, 2 or 5 with one number of decimals, and colors stay with their model', async ({
    page,
    harness,
  }) => {
    await open(page, harness, '/costs')
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
    await expect.poll(() => field(page, 'range')).toBe('7d')
    expect(await colors()).toEqual(before)
  })

  test('a column and a row of the table lead to the sessions of their day', async ({ page, harness }) => {
    await open(page, harness, '/costs')
    const columns = page.locator('.recharts-bar-rectangle path')
    await columns.first().waitFor()
    await columns.first().hover()
    await page.getByText('Click to see its sessions').waitFor()
    await columns.first().click()
    await expect.poll(() => field(page, 'from')).not.toBeNull()
    const days = () => (Date.parse(field(page, 'to') ?? '') - Date.parse(field(page, 'from') ?? '')) / 86_400_000
    expect(days()).toBeCloseTo(1, 0)
    expect(field(page, 'sort')).toBe('cost')
    await page.goBack()
    await page.getByRole('button', { name: 'Table' }).click()
    await page
      .getByRole('link', { name: /^(?!Yesterday$).*day/ })
      .first()
      .click()
    await expect.poll(() => field(page, 'from')).not.toBeNull()
    expect(days()).toBeCloseTo(1, 0)
  })

  test('the period before is drawn and told', async ({ page, harness }) => {
    await open(page, harness, '/costs')
    await page.getByText(/(?:less|more) than the previous period/).waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.recharts-line-curve').first().waitFor()
    expect(field(page, 'compare')).toBe('yes')
  })
})
