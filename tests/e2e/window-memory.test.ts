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

/** A session of days ago whose summary kept all that was said. */
function keptAll(days: number) {
  const session_id = `past-${days}`
  const place = (later: number) => ({ at: new Date(start - days * 86_400_000 + later).toISOString(), session_id })
  const text = `Plant the beds of section ${days}`
  const tokens = { tokens_before: 90_000, tokens_after: null }
  return [
    draftOf('user_prompt', { text }, place(0)),
    draftOf('compaction', { trigger: 'auto', summary: text, ...tokens }, place(1000)),
  ]
}

const test = given({ screen: { permissions: ['clipboard-read', 'clipboard-write'] } })

describe('what a compaction lost', () => {
  test.beforeAll(({ folder }) => {
    fillStore(folder, [
      draftOf('session_started', { start: 'startup', model: null }, { ...at(0), source: 'hook' }),
      draftOf('user_prompt', { text: 'Plan the palette' }, { ...at(0), uuid: 'said-1' }),
      draftOf(
        'assistant_text',
        { text: `## Palette\n- ${LOST}\n- ${REWORDED}`, ...block },
        { ...at(1), uuid: 'said-2' },
      ),
      draftOf(
        'compaction',
        { trigger: 'auto', summary: 'They plan a palette. Money: `cents`.', tokens_before: 90_000, tokens_after: null },
        { ...at(2), uuid: 'compacted' },
      ),
      ...[1, 2, 3].flatMap(keptAll),
    ])
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })

  const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

  test('a card on Live says it, and one key copies the lost texts for Claude', async ({ page }) => {
    const card = page.getByRole('region', { name: 'Compacted' })
    await card
      .getByText(
        'The summary kept 1 of the 2 prompts, answers and thoughts it replaced. Lost, in whole or in part: 1 decision.',
      )
      .waitFor()
    await card.getByText(LOST).waitFor()
    expect(await accessFaults(page)).toEqual([])
    if (SHOT !== undefined) await page.screenshot({ path: `${SHOT}/tray.png` })
    await page.keyboard.press('c')
    await noticed(page, /^Copied 1 lost message, about/)
    expect(await clipboard(page)).toContain(LOST)
    await card.getByRole('button', { name: 'Close this card' }).click()
    await page.reload()
    await page.getByRole('region', { name: 'Active sessions' }).getByText('Plan the palette').waitFor()
    expect(await card.count()).toBe(0)
  })

  test('a hit that is packed already stays out of what the card copies and gives', async ({ page, app }) => {
    await page.evaluate(() => sessionStorage.setItem('aspy.pack', JSON.stringify({ hits: [{ uuid: 'said-1' }] })))
    await page.goto(`${app.app}/live`)
    await page.evaluate(() => sessionStorage.removeItem('aspy.closed-tray'))
    await page.reload()
    const card = page.getByRole('region', { name: 'Compacted' })
    await card.getByRole('button', { name: 'Copy 1', exact: true }).waitFor()
    await page.keyboard.press('c')
    await noticed(page, /^Copied 1 lost message, about/)
    expect(await clipboard(page)).not.toContain('Plan the palette')
    expect(await clipboard(page)).toContain(LOST)
  })

  test('one key gives the lost texts to Claude: once with the next prompt, then after each compaction', async ({
    page,
    app,
  }) => {
    const prompted = (session_id: string) =>
      app.call<object>('hooks.post', { hook_event_name: 'UserPromptSubmit', session_id, prompt: 'Go on' })
    const noted = () =>
      app.call<{ text: string | null }>('notices.session_start', { session_id: 'garden', start: 'compact' })
    expect(await prompted('garden')).toEqual({})
    expect((await noted()).text).not.toContain(LOST)
    await page.keyboard.press('i')
    await noticed(page, /gets 1 text with your next prompt. Recall lists it under Remembered./)
    expect(await prompted('another')).toEqual({})
    expect(await prompted('garden')).toEqual({
      hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: expect.stringContaining(LOST) },
    })
    expect(await prompted('garden')).toEqual({})
    const { text } = await noted()
    expect(text?.indexOf(LOST)).toBeLessThan(text?.indexOf('This session was compacted') ?? -1)
    const resumed = await app.call<{ text: string }>('sessions.resume_latest', { session_id: 'garden' })
    expect(resumed.text.indexOf(LOST)).toBeLessThan(resumed.text.indexOf('last prompt'))
    await app.call('memories.remove', { uuid: 'said-2' })
    expect((await noted()).text).not.toContain(LOST)
  })

  test('in the session, whole sentences are lost or kept in other words, and nothing is struck through', async ({
    page,
    app,
  }) => {
    await page.goto(`${app.app}/sessions/garden`)
    await page
      .getByText(
        'The summary kept 1 of the 2 prompts, answers and thoughts it replaced. Lost, in whole or in part: 1 decision.',
      )
      .waitFor()
    await page.getByText('90k tokens', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'What was dropped', exact: true }).click()
    const decisions = page.getByRole('region', { name: 'Decisions' })
    await decisions.getByText(`Lost ${LOST}`).waitFor()
    await decisions.getByText(`Kept in other words ${REWORDED}`).waitFor()
    await page.getByText('It kept 50%, far less than your usual 100%.').waitFor()
    expect(await page.locator('del').count()).toBe(0)
    await page.getByRole('region', { name: 'Summary' }).locator('code', { hasText: 'cents' }).waitFor()
    expect(await accessFaults(page)).toEqual([])
  })
})
