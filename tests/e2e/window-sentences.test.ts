import { expect } from 'vitest'
import { describe, test } from '../support/window/window-test.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe('a sentence above the numbers', () => {
  test('Tools says how many calls failed, and which tool; failures have their message, session and number', async ({
    page,
    harness,
  }) => {
    await page.goto(`${harness.url}/tools`)
    // Without hooks, a duration is at most that long.
    await page
      .getByRole('row')
      .filter({ hasText: /Grep.*≤ 320 ms.*≤ 9\.6 s/ })
      .waitFor()
    expect(await page.getByRole('row').filter({ hasText: '≤' }).count()).toBe(1)
    await page.getByText(/^40 of [\d,]+ calls failed: [\d.<]+%/).waitFor()
    const most = page.getByText(/^\s?Most were \w+: 40\.$/)
    await most.getByRole('link').click()
    await expect.poll(() => new URL(page.url()).searchParams.get('failed')).toBe('yes')
    const row = page.getByRole('link', { name: /✗ rounds half up/ }).first()
    await row.getByText(/^×\d+/).first().waitFor()
    // The failed calls are below the tables; the link brings them into view.
    const list = page.getByRole('region', { name: 'Latest failed calls' })
    const fold = (page.viewportSize()?.height ?? 0) - 100
    await expect.poll(async () => (await list.boundingBox())?.y).toBeLessThan(fold)
    expect(await accessFaults(page)).toEqual([])
  })

  test('Limits, Health and a session say what happened, and it is copied as context', async ({ page, harness }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${harness.url}/costs?tab=limits`)
    await page.getByText(/^\d+% of the .* limit is used.*; \d+% expected at its reset/).waitFor()
    await page.goto(`${harness.url}/health`)
    await page.getByText(/^(All|\d).* requests? since .* recorded/).waitFor()
    // The account in each request is not a secret that somebody let slip.
    const counted = (card: string) => page.getByRole('region', { name: card }).locator('summary').innerText()
    expect(await counted('Secrets removed')).toContain('8,135 before anything was stored')
    expect(await counted('Identifiers replaced')).toContain('485 each by a mark of its own')
    // Sessions that began later do not change what was usual.
    const earlier = page.waitForRequest((request) =>
      /sessions\.list.*"active_before":"2/.test(request.url() + request.postData()),
    )
    await page.goto(`${harness.url}/sessions/${SESSION}`)
    await earlier
    const cost = page.getByText(/^This session cost \$[\d.]+, .* your usual \$[\d.]+ for a session in .+\.$/)
    await cost.waitFor()
    await page
      .getByRole('button', { name: /^Copy (this sentence|these sentences)$/ })
      .first()
      .click()
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    await expect.poll(copied).toContain('This session cost $')
    await cost.getByRole('link', { name: 'This session' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('tab')).toBe('numbers')
    expect(await accessFaults(page)).toEqual([])
  })

  test('nothing is said where nothing is known', async ({ page, emptyHarness }) => {
    for (const view of ['tools', 'costs?tab=limits']) {
      await page.goto(`${emptyHarness.url}/${view}`)
      await page.getByRole('heading').first().waitFor()
      expect(await page.getByRole('button', { name: /^Copy (this sentence|these sentences)$/ }).count()).toBe(0)
    }
  })
})
