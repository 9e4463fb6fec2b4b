import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { draftOf, fillStore } from '../support/store/seeded-store.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { noticed } from '../support/window/notices.ts'

/** A folder for pictures to be looked at. */
const SHOT = process.env['ASPY_SCREENSHOTS']
const LOST = 'We decided on marigold for accents.'
const REWORDED = 'Money is counted in cents, never in floats.'
const start = Date.now() - 10 * 60_000
const at = (minute: number) => ({ at: new Date(start + minute * 60_000).toISOString(), session_id: 'garden' })
const block = { message_id: 'm1', index: 0 }

const test = given({ screen: { permissions: ['clipboard-read', 'clipboard-write'] } })

describe('what a compaction lost', () => {
  test.beforeAll(({ folder }) => {
    fillStore(folder, [
      draftOf('user_prompt', { text: 'Plan the palette' }, { ...at(0), uuid: 'said-1' }),
      draftOf(
        'assistant_text',
        { text: `## Palette\n- ${LOST}\n- ${REWORDED}`, ...block },
        { ...at(1), uuid: 'said-2' },
      ),
      draftOf(
        'compaction',
        { trigger: 'auto', summary: 'They plan a palette. Money: cents.', tokens_before: 90_000, tokens_after: null },
        { ...at(2), uuid: 'compacted' },
      ),
    ])
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })

  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

  test('a card on Live says it, and one key copies the lost texts for Claude', async ({ page }) => {
    const card = page.getByRole('region', { name: 'Compacted' })
    await card.getByText('The summary kept 1 of 2 messages. Lost: 1 decision.').waitFor()
    await card.getByText(LOST).waitFor()
    expect(await accessFaults(page)).toEqual([])
    if (SHOT !== undefined) await page.screenshot({ path: `${SHOT}/tray.png` })
    await page.keyboard.press('c')
    await noticed(page, /^Copied the pack: 1 hit/)
    expect(await clipboard(page)).toContain(LOST)
    await card.getByRole('checkbox', { name: /marigold/ }).waitFor()
    await card.getByRole('button', { name: 'Close this card' }).click()
    await page.reload()
    await page.getByRole('region', { name: 'Active sessions' }).getByText('Plan the palette').waitFor()
    expect(await card.count()).toBe(0)
  })

  test('in the session, whole sentences are lost or kept in other words, and nothing is struck through', async ({
    page,
    app,
  }) => {
    await page.goto(`${app.app}/sessions/garden`)
    await page.getByText('The summary kept 1 of 2 messages. Lost: 1 decision.').waitFor()
    await page.getByText('90k tokens', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'What was dropped', exact: true }).click()
    const decisions = page.getByRole('region', { name: 'Decisions' })
    await decisions.getByText(`Lost ${LOST}`).waitFor()
    await decisions.getByText(`Kept in other words ${REWORDED}`).waitFor()
    expect(await page.locator('del').count()).toBe(0)
    expect(await accessFaults(page)).toEqual([])
  })
})
