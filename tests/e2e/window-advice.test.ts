import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { accessFaults } from '../support/window/accessibility.ts'

describe('suggestions', () => {
  test('Sessions shows at most three in a line each, and the way to all of them', async ({ page, harness }) => {
    await page.goto(`${harness.url}/sessions`)
    const next = page.getByRole('region', { name: 'Do next' })
    await next.waitFor()
    const lines = await next.getByRole('listitem').allInnerTexts()
    expect(lines.map((line) => line.replaceAll(/\s+/g, ' ').slice(0, 40))).toEqual([
      '$12.40/month The cache had expired after',
      '$3.10/month 11 of 14 sessions carried ou',
      expect.stringContaining('`npm run lint` failed'),
    ])
    expect(await accessFaults(page, ['light', 'dark'])).toEqual([])
    await next.getByRole('link', { name: 'All suggestions' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/costs/advice')
  })

  test('what was undone is offered again', async ({ context, harness }) => {
    const page = await context.newPage()
    await page.route('**/api/advice.list', async (route) => {
      const response = await route.fetch()
      const { items } = (await response.json()) as { items: { state: string; fix: object | null }[] }
      const undone = items.map(({ fix, ...item }) => ({
        ...item,
        fix: fix && { ...fix, files: [] },
        state: item.state === 'open' ? 'undone' : item.state,
      }))
      await route.fulfill({ response, json: { items: undone } })
    })
    await page.goto(`${harness.url}/costs`)
    const next = page.getByRole('region', { name: 'Do next' })
    await next.getByText('costs more than it needs to').waitFor()
    expect(await next.getByText('$12.40/month').count()).toBe(1)
    // Nothing can be applied where no file is known to change.
    expect(await next.locator('details a').first().textContent()).toMatch(/^Mark it as done in Suggestions/)
    await page.close()
  })

  test('what was tried or dismissed is found from Costs and the palette when nothing is open', async ({
    context,
    harness,
  }) => {
    const page = await context.newPage()
    await page.route('**/api/advice.list', async (route) => {
      const response = await route.fetch()
      const { items } = (await response.json()) as { items: { state: string }[] }
      await route.fulfill({ response, json: { items: items.filter(({ state }) => state !== 'open') } })
    })
    await page.goto(`${harness.url}/costs`)
    await page.getByRole('link', { name: 'All suggestions, 1 applied, 1 dismissed' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/costs/advice')
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/costs')
    await page.goto(`${harness.url}/sessions`)
    await page.getByRole('row').first().waitFor()
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('all suggestions')
    await page.getByRole('option', { name: 'Show all suggestions' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/costs/advice')
    await page.close()
  })

  test('the page has open, tried and dismissed ones; a case is one click away', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs/advice`)
    const group = (name: string) => page.getByRole('region', { name, exact: true }).locator('ul').first()
    await group('Open').waitFor()
    expect(await group('Open').locator('> li').count()).toBe(3)
    expect(await group('Applied').innerText()).toContain(
      'Each cost $0.071 before, and $0 in the 10 since. Chance alone does that fewer than 1 in 1,000 times.',
    )
    expect(await group('Dismissed').innerText()).toContain('22 min/month')
    // The amount is what it cost; a fix saves a part of that.
    expect(await group('Open').innerText()).toContain('what it cost; next month likely $8.10 to $17.90')
    expect(await group('Applied').innerText()).not.toContain('next month')
    expect(await page.getByText('costs more than it needs to').count()).toBe(1)
    expect(await page.getByRole('region', { name: 'Open' }).innerText()).toContain('ENABLE_PROMPT_CACHING_1H": "1"')
    expect(await accessFaults(page, ['light', 'dark'])).toEqual([])
    await group('Open').getByText('24 cases').first().click()
    await group('Open')
      .getByRole('link', { name: /^\$0\.49 .*Comments that are hidden/ })
      .first()
      .click()
    await expect.poll(() => page.url()).toContain('/exchanges/0193a1c4-7c1e-7a10-9d54-000000000002')
  })

  test('a decision is sent, and said', async ({ page, harness }) => {
    await page.goto(`${harness.url}/costs/advice`)
    const sent: string[] = []
    page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname}`))
    const decide = async (button: string, said: string) => {
      await page.getByRole('button', { name: button, exact: true }).first().click()
      await page.getByText(said).first().waitFor()
    }
    await decide('Apply', 'Aspy now checks whether it helps')
    await decide('Undo', 'Undone')
    await decide('Dismiss', 'until there are twice as many cases')
    expect(sent.filter((line) => line.startsWith('POST')).length).toBeGreaterThanOrEqual(3)
  })
})
