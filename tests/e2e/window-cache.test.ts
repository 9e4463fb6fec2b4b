import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accessFaults } from '../support/window/accessibility.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { type HarnessMode, startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe.skipIf(lacks(findChromium() !== null))('cache misses in the window', () => {
  let browser: Browser
  let page: Page
  const harnesses = new Map<HarnessMode, Awaited<ReturnType<typeof startWindowHarness>>>()
  const open = async (path: string, mode: HarnessMode = 'full') => page.goto(`${harnesses.get(mode)?.url}${path}`)

  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage()
    for (const mode of ['full', 'empty'] as const) harnesses.set(mode, await startWindowHarness({ mode }))
  })
  afterAll(async () => {
    await browser?.close()
    for (const harness of harnesses.values()) await harness.stop()
  })

  test('Costs shows the waste by cause; a cause opens its requests, which lead to what changed', async () => {
    await open('/costs?tab=why')
    const card = page.getByRole('region', { name: 'Cache misses' })
    await card.getByText('Only $790.10 of it could be checked for misses.').waitFor()
    const said =
      'Cache misses cost $40.00 in the last 30 days. That is 5% of the $812.40 spent: for the rest, see Context. $22.00 of it: the cache expired during a pause, 61 times.'
    expect((await card.innerText()).replaceAll(/\s+/g, ' ')).toContain(said)
    const rows = await card.getByRole('row').allInnerTexts()
    expect(rows.map((row) => row.split(/\s*\t\s*/))).toEqual([
      ['Cause', 'Waste', 'Share', 'Requests', 'Missed tokens'],
      ['Expired', '$22.00', '55%', '61', '3.4M'],
      ['Tools changed', '$10.00', '25%', '18', '1.9M'],
      ['System prompt changed', '$6.00', '15%', '9', '900k'],
      ['Not read, though nothing changed', '$2.00', '5%', '2', '800k'],
    ])
    await card.getByText('The cause of 143 requests is unknown. 12 requests without a price').waitFor()
    await card.getByRole('button', { name: 'System prompt changed' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('cause')).toBe('system_changed')
    const requests = card.getByRole('region', { name: 'Requests: System prompt changed' })
    await requests.getByText('system[2]: differs from character 412 on').first().waitFor()
    await expect.poll(() => requests.getByRole('row').count()).toBe(5)
    await requests.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => requests.getByRole('row').count()).toBe(7)
    expect(await accessFaults(page)).toEqual([])
    await requests.getByRole('link').first().click()
    await page.getByRole('region', { name: 'Changes' }).waitFor()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/exchanges/req-2')
    await page.getByRole('heading', { name: 'Tool results of Bash, Read opus-5-5' }).waitFor()
  })

  test('the changes of a request fold what is equal and mark characters', async () => {
    await open('/exchanges/req-2?part=changes')
    const changes = page.getByRole('region', { name: 'Changes' })
    await changes.getByText('14 equal blocks').waitFor()
    const changed = changes.getByRole('article').filter({ hasText: 'system[2]' })
    await expect.poll(() => changed.locator('del').allInnerTexts()).toEqual(['2'])
    expect((await changed.locator('ins').allInnerTexts()).join(' ')).toBe('3  <script>alert(1)</script>')
    await changed.getByText(/equal characters/).waitFor()
    expect(await changes.locator('script').count()).toBe(0)
    await changes.getByText('The text of this block is not stored.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    await changes.getByRole('link', { name: 'request before' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/exchanges/req-3')
    await open('/exchanges/req-29?part=changes')
    await changes.getByText('No earlier request in this conversation').waitFor()
  })

  test('requests and turns that missed the cache are marked with the cause and the waste', async () => {
    await open(`/sessions/${SESSION}?tab=requests`)
    await page.getByRole('row', { name: /Tool results Bash, Read turn 2 opus/ }).waitFor()
    const row = (index: number) =>
      page
        .getByRole('table', { name: 'Requests' })
        .getByRole('row')
        .nth(index + 1)
    await row(0).getByText('Expired · $0.24').waitFor()
    await row(1).getByText('Tools changed · $0.24').waitFor()
    // The seventh miss has no price.
    expect(await row(7).getByText('Not read, though nothing changed').innerText()).not.toContain('$')
    expect(await row(5).getByText('Cache miss').count()).toBe(0)
    expect(await accessFaults(page)).toEqual([])
    await open(`/sessions/${SESSION}?tab=timeline&turn=2`)
    await page.getByRole('region', { name: 'Timeline' }).getByText('Tools changed · $0.24').waitFor()
  })

  test('Health shows how often the API names the same cause', async () => {
    await open('/health')
    const card = page.getByRole('region', { name: 'Cache causes' })
    await card.getByText('39 of 40 as the API says').waitFor()
    await card.getByText('The API and Aspy name the same cause for 39 of 40 cache misses.').waitFor()
    await open('/health', 'empty')
    await page.getByRole('heading', { name: 'Health' }).first().waitFor()
    await card.waitFor({ state: 'detached' })
  })

  test('an empty store says nothing of misses', async () => {
    await open('/costs', 'empty')
    await page.getByRole('heading', { name: 'No requests in' }).waitFor()
    expect(await page.getByRole('region', { name: 'Cache misses' }).count()).toBe(0)
  })
})
