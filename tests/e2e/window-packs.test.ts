import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { draftOf, fillStore } from '../support/store/seeded-store.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { noticed } from '../support/window/notices.ts'

const at = (minute: number) => `2026-11-20T10:${String(minute).padStart(2, '0')}:00.000Z`
const said = (n: number, text: string, session_id: string) =>
  draftOf('user_prompt', { text }, { at: at(n), uuid: `said-${n}`, session_id })
const edit = { file_path: 'src/theme.ts', old_string: 'a', new_string: 'b\nc' }

const test = given({
  answer: () => ({ steps: [{ text: 'an answer' }] }),
  screen: { permissions: ['clipboard-read', 'clipboard-write'] },
})

describe('packs and memories in the window', () => {
  test.beforeAll(({ folder }) => {
    fillStore(folder, [
      said(1, 'The heliotrope theme has too little contrast', 'one'),
      draftOf(
        'tool_call',
        { call_id: 'c1', tool_name: 'Edit', input: edit, message_id: 'm1', index: 0 },
        { at: at(2), session_id: 'one', keys: ['call:c1'] },
      ),
      said(3, 'Rename the heliotrope palette', 'one'),
      said(4, 'Is heliotrope a colour at all?', 'two'),
    ])
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.goto(`${app.app}/recall?q=heliotrope`)
  })

  const pack = (page: Page) => page.getByRole('complementary', { name: 'Pack' })
  /** The quoted prompts of the pack's text, in order. */
  const quoted = async (page: Page) => {
    const text = await pack(page).getByLabel('Pack text').textContent()
    return (text ?? '').split('\n').flatMap((line) => /^> (.*heliotrope.*)$/.exec(line)?.[1] ?? [])
  }

  test('hits are ordered by buttons and keys, titled, and kept over a reload', async ({ page }) => {
    const boxes = page.getByRole('checkbox', { name: 'Add to pack' })
    await expect.poll(() => boxes.count()).toBe(3)
    for (const box of await boxes.all()) await box.check()
    await expect.poll(async () => (await quoted(page)).length).toBe(3)
    const before = await quoted(page)
    await pack(page).getByRole('textbox', { name: 'Title of the pack' }).fill('Why heliotrope')
    const rows = pack(page).getByRole('list', { name: 'Hits of the pack' }).getByRole('listitem')
    await rows
      .nth(0)
      .getByRole('button', { name: /^Move down/ })
      .click()
    await expect.poll(() => quoted(page)).toEqual([before[1], before[0], before[2]])
    await rows
      .nth(2)
      .getByRole('button', { name: /^Move up/ })
      .press('Alt+ArrowUp')
    await expect.poll(() => quoted(page)).toEqual([before[1], before[2], before[0]])
    // The moved row keeps the focus.
    await page.keyboard.press('Alt+ArrowUp')
    await expect.poll(() => quoted(page)).toEqual([before[2], before[1], before[0]])
    expect(await accessFaults(page)).toEqual([])

    await page.reload()
    await expect.poll(() => quoted(page)).toEqual([before[2], before[1], before[0]])
    const removed = rows.filter({ hasText: 'colour' })
    await removed.getByRole('button', { name: /^Remove/ }).press('Delete')
    await expect.poll(() => quoted(page)).toEqual(before.toReversed().filter((text) => !text.includes('colour')))
    await expect.poll(() => pack(page).getByLabel('Pack text').textContent()).toMatch(/^Why heliotrope\n--- past data/)
    await pack(page)
      .getByText(/^2 hits · about \d+ tokens$/)
      .waitFor()
  })

  test('what turns edited and ran is added, and the pack is copied and downloaded', async ({ page }) => {
    const text = pack(page).getByLabel('Pack text')
    await pack(page).getByLabel('Maximum pack size').selectOption('1000')
    await pack(page).getByRole('checkbox', { name: 'Edits and commands' }).check()
    const rows = pack(page).getByRole('list', { name: 'Hits of the pack' }).getByRole('listitem')
    await rows.filter({ hasText: 'contrast' }).waitFor()
    await text.getByText('src/theme.ts +2 −1: no result').waitFor()
    await pack(page).getByRole('button', { name: 'Copy pack' }).click()
    await noticed(page, /^Copied the pack: 2 hits, about \d+ tokens/)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await text.textContent())
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      pack(page).getByRole('button', { name: 'Download' }).click(),
    ])
    expect(file.suggestedFilename()).toBe('why-heliotrope.md')
    const markdown = await readFile(await file.path(), 'utf8')
    expect(markdown).toMatch(/^# Why heliotrope\n\n--- past data/)
    expect(markdown).toContain('\n\n**edits and commands**\n\n> src/theme.ts')
  })

  test('a pack that is copied just after a change is the changed one', async ({ page }) => {
    const title = pack(page).getByRole('textbox', { name: 'Title of the pack' })
    const text = () => pack(page).getByLabel('Pack text').textContent()
    const answers = Promise.withResolvers<void>()
    await page.route('**/api/recall.pack', async (route) => {
      await answers.promise
      await route.continue()
    })
    await title.fill('Heliotrope again')
    await pack(page).getByRole('button', { name: 'Copy pack' }).click()
    expect(await text()).toMatch(/^Why heliotrope\n/)
    answers.resolve()
    await noticed(page, /^Copied the pack: 2 hits/)
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^Heliotrope again\n/)
    await page.unroute('**/api/recall.pack')
    await title.fill('Why heliotrope')
    await expect.poll(text).toMatch(/^Why heliotrope\n/)
  })

  test('a remembered fact lists the turns that support it, and leads to them', async ({ page, app }) => {
    await app.call('memories.add', { uuid: 'said-1', fact: 'Contrast first', category: 'decision', confidence: 0.8 })
    await app.call('memories.add', { uuid: 'said-3', confirms: 'said-1' })
    await page.goto(`${app.app}/recall`)
    const remembered = page.getByRole('region', { name: 'Remembered' })
    await remembered.getByRole('link', { name: 'Contrast first' }).waitFor()
    await remembered.getByText('decision 80%').waitFor()
    await remembered.getByRole('button', { name: '2 turns' }).click()
    const turns = remembered.getByRole('list', { name: 'Turns that support it' }).getByRole('link')
    await expect.poll(() => turns.count()).toBe(2)
    await expect
      .poll(() => turns.nth(0).textContent())
      .toMatch(/app · turn 1 · .* · The heliotrope theme has too little contrast$/)
    expect(await accessFaults(page)).toEqual([])
    await turns.nth(1).click()
    await page.locator('.ring-accent').getByText('Rename the heliotrope palette').waitFor()
    await page.goto(`${app.app}/recall`)
    await remembered.getByRole('button', { name: 'Edit' }).click()
    await remembered.getByLabel('Fact in your words').fill('Contrast before taste')
    await remembered.getByLabel('Category').fill('warning')
    await remembered.getByLabel('Confidence in percent').fill('60')
    expect(await accessFaults(page)).toEqual([])
    await remembered.getByRole('button', { name: 'Save' }).click()
    await remembered.getByRole('link', { name: 'Contrast before taste' }).waitFor()
    await remembered.getByText('warning 60%').waitFor()
    await remembered.getByRole('button', { name: 'Remember this hit', pressed: true }).click()
    await remembered.waitFor({ state: 'detached' })
    expect((await app.call<{ items: unknown[] }>('memories.list')).items).toEqual([])
    await page.goto(`${app.app}/recall?q=heliotrope`)
  })

  test('a hit that was deleted since is named and removed; nothing of its text is stored', async ({
    page,
    app,
    problems,
  }) => {
    const stored = await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))
    expect(stored).toContain('said-')
    expect(stored).not.toContain('contrast')
    await app.call('sessions.delete', { session_id: 'two' })
    await page.getByRole('checkbox', { name: 'Add to pack' }).first().waitFor()
    await page.evaluate(() => {
      const kept = JSON.parse(sessionStorage.getItem('aspy.pack') ?? '{}') as { hits: object[] }
      sessionStorage.setItem('aspy.pack', JSON.stringify({ ...kept, hits: [...kept.hits, { uuid: 'said-4' }] }))
    })
    await page.reload()
    await pack(page)
      .getByText(/hits? no longer stored/)
      .waitFor()
    await pack(page)
      .getByText(/no longer stored/)
      .getByRole('button', { name: 'Remove' })
      .click()
    await pack(page)
      .getByText(/no longer stored/)
      .waitFor({ state: 'detached' })
    await pack(page).getByRole('button', { name: 'Clear' }).click()
    await pack(page).waitFor({ state: 'detached' })
    expect(problems).toEqual([])
  })
})
