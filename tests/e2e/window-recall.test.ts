import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { draftOf, fillStore } from '../support/store/seeded-store.ts'
import { accessFaults } from '../support/window/accessibility.ts'

const said = (n: number, text: string) =>
  draftOf('user_prompt', { text }, { at: `2026-11-20T10:0${n}:00.000Z`, uuid: `said-${n}`, project: '/work/shop' })

const test = given({ answer: () => ({ steps: [{ text: 'an answer' }] }) })

describe('the search syntax in the window', () => {
  test.beforeAll(({ folder }) => {
    fillStore(folder, [
      said(1, 'The heliotrope theme has too little contrast'),
      said(2, 'Rename the heliotrope palette'),
      said(3, 'Go on.'),
      said(4, 'Go on.'),
      said(5, 'Question 164: what about a decimal library in total.test.ts, and who keeps it?'),
      draftOf(
        'assistant_text',
        { text: 'We decided on SQLite.', message_id: 'm', index: 0 },
        { at: '2026-11-20T10:07:00.000Z', uuid: 'decided', project: '/work/shop' },
      ),
      said(6, 'Question 17: what about a decimal library in total.test.ts, and who keeps it?'),
    ])
  })
  test.beforeAll(async ({ page, app }) => {
    await page.goto(app.link)
    await page.goto(`${app.app}/recall`)
  })

  const box = (page: Page) => page.getByRole('searchbox', { name: 'Search everything said and done' })
  const hits = (page: Page) => page.getByRole('list', { name: 'Hits' }).getByRole('listitem')
  const note = (page: Page) => page.getByRole('note')

  test('starts with what was decided and asked again, and an example that finds something', async ({ page, app }) => {
    const linksOf = (name: string) => page.getByRole('region', { name }).getByRole('link')
    await expect.poll(() => linksOf('Decided recently').allTextContents()).toEqual(['We decided on SQLite.'])
    const wrap = linksOf('Decided recently')
      .locator('span')
      .evaluate((element) => getComputedStyle(element).whiteSpace)
    expect(await wrap).toBe('normal')
    await expect.poll(() => linksOf('Asked again and again').allTextContents()).toEqual(['Go on.2 times'])
    expect(await accessFaults(page)).toEqual([])
    await page.getByText('For example').getByRole('link').click()
    await expect.poll(() => hits(page).count()).toBeGreaterThan(0)
    await box(page).fill('')
    await linksOf('Decided recently').click()
    const find = page.getByRole('searchbox', { name: 'Find in this session' })
    await find.waitFor()
    await page.getByText('We decided on SQLite.').first().waitFor()
    await page.keyboard.press('Control+f')
    await page.keyboard.type('heliotrope')
    await expect.poll(() => find.inputValue()).toBe('heliotrope')
    await page.goto(`${app.app}/recall`)
  })

  test('prompts are narrowed to a time, and leave it again', async ({ page, app }) => {
    await page.goto(`${app.app}/recall?tab=prompts`)
    const prompts = page.getByRole('status').filter({ hasText: /prompt/ })
    await expect.poll(() => prompts.innerText()).toMatch(/^[1-9]/)
    // Four prompts name their session, which has the words of the first.
    await expect.poll(() => page.getByText('The heliotrope theme has too little contrast').count()).toBe(5)
    await app.call('sessions.label', { session_id: 's1', title: 'Themes of the shop' })
    await page.reload()
    await page.getByText('Themes of the shop').first().waitFor()
    const all = await prompts.innerText()
    await page.getByRole('combobox', { name: 'Time range' }).selectOption('today')
    await page
      .getByText(/No (?:matching )?prompts/)
      .first()
      .waitFor()
    await page.getByRole('combobox', { name: 'Time range' }).selectOption('all')
    await expect.poll(() => prompts.innerText()).toBe(all)
    await page.goto(`${app.app}/recall`)
  })

  test('a hit leads to its copy in a fork', async ({ page }) => {
    const copy = { uuid: 'decided', match_type: 'user_prompt', session_id: 'fork-of-said', turn_id: 1 }
    await page.route('**/api/recall.search', async (route) => {
      const response = await route.fetch()
      const found = (await response.json()) as { items: object[] }
      const items = found.items.flatMap((hit) => [
        { ...hit, copies: 3, copies_in: [copy] },
        { ...hit, uuid: 'nearly', session_id: 'fork-2', session_title: 'The other attempt' },
        { ...hit, uuid: 'again' },
      ])
      await route.fulfill({ response, json: { ...found, items } })
    })
    await box(page).fill('rename palette')
    const place = hits(page).first().getByRole('link', { name: 'prompt of turn 1 in fork-of-' })
    await expect.poll(() => place.getAttribute('href'), { timeout: 9000 }).toMatch(/fork-of-said\?event=decided/)
    await hits(page).first().getByText('2 more').waitFor()
    // A copy whose excerpt differs is folded, and its session named.
    await hits(page).first().getByRole('button', { name: 'similar hits, also in “The other attempt”' }).waitFor()
    await page.unroute('**/api/recall.search')
    await box(page).fill('')
  })

  test('is behind a question mark, with examples to try', async ({ page }) => {
    const help = page.getByRole('button', { name: 'Search syntax' })
    await help.click()
    const examples = page.getByRole('list', { name: 'Search syntax' })
    await expect.poll(() => examples.getByRole('listitem').count()).toBeGreaterThan(10)
    expect(await accessFaults(page)).toEqual([])
    await examples.getByRole('button', { name: 'theme kind:prompt' }).click()
    await expect.poll(() => box(page).inputValue()).toBe('theme kind:prompt')
    await expect.poll(() => hits(page).count()).toBe(1)
    await help.press('Enter')
    await examples.waitFor({ state: 'detached' })
  })

  test('chips exclude a word, name values that exist, and correct a spelling', async ({ page }) => {
    await box(page).fill('heliotrope -contrast')
    await note(page).getByText('“-contrast” was searched as text.').waitFor()
    await note(page).getByRole('button', { name: 'Exclude “contrast” instead' }).click()
    await expect.poll(() => box(page).inputValue()).toBe('heliotrope NOT contrast')
    await expect
      .poll(() => hits(page).allTextContents())
      .toEqual([expect.stringContaining('Rename the heliotrope palette')])

    await box(page).fill('palette project:shpo')
    await note(page).getByText('Nothing recorded has project “shpo”, so it was searched as text.').waitFor()
    await note(page).getByRole('button', { name: '/work/shop' }).click()
    await expect.poll(() => box(page).inputValue()).toBe('palette project:/work/shop')
    await expect.poll(() => hits(page).count()).toBe(1)

    await box(page).fill('(heliotrope theme) OR palette')
    await note(page).getByText('Parentheses do not group: OR joins only what is next to it.').waitFor()

    await box(page).fill('heliotrpoe')
    await note(page).getByText('No matches as typed.').waitFor()
    await note(page).getByRole('button', { name: 'heliotrope' }).click()
    await expect.poll(() => box(page).inputValue()).toBe('heliotrope')
    await note(page).waitFor({ state: 'detached' })
    await hits(page).first().locator('mark').getByText('heliotrope').first().waitFor()
  })

  /** Text typed into the box, and the prompts that it finds. */
  const TYPED: readonly (readonly [query: string, prompts: readonly number[]])[] = [
    ['heliotrope', [1, 2]],
    ['heliotrope NOT contrast', [2]],
    ['heliotrope -"too little"', [2]],
    ['"heliotrope palette"', [2]],
    ['heliotrope KIND:prompt project:SHOP', [1, 2]],
    ['heliotrope kind:thinking', []],
    ['heliotrope -project:shop', []],
    ['heliotrope on:20 November 2026', [1, 2]],
    ['heliotrope on:2026-W47', [1, 2]],
    ['heliotrope before:20.11.2026', []],
    ['heliotrope after:2026-11-20 10:01:30Z', [2]],
    ['bread', []],
  ]

  test('the box finds what HTTP finds, for filters, dates and text alike', async ({ page, app }) => {
    const headers = { authorization: `Bearer ${app.token}` }
    for (const [query, prompts] of TYPED) {
      const found = await fetch(`${app.app}/api/lifestats/recover?query=${encodeURIComponent(query)}`, { headers })
      const { items } = (await found.json()) as { items: { uuid: string; match_type: string }[] }
      const overHttp = items.filter(({ match_type }) => match_type === 'user_prompt').map(({ uuid }) => uuid)
      expect(overHttp.toSorted(), query).toEqual(prompts.map((n) => `said-${n}`))
      await box(page).fill(query)
      const inBox = () => hits(page).filter({ hasText: /^Prompt/ })
      await expect.poll(() => inBox().count(), { message: query }).toBe(prompts.length)
      // The minute distinguishes the prompts.
      for (const n of prompts)
        await inBox()
          .filter({ hasText: `:0${n}` })
          .waitFor()
    }
  })

  test('a hit names its session, similar ones are folded, and the whole text is beside the list', async ({
    page,
    app,
  }) => {
    await app.call('sessions.label', { session_id: 's1', title: 'Themes of the shop' })
    // The session's own summary is another hit.
    const prompts = () => hits(page).filter({ hasText: /^Prompt.*library/ })
    await box(page).fill('decimal library')
    await expect.poll(() => prompts().count()).toBe(1)
    await prompts().getByText('Themes of the shop').waitFor()
    const preview = page.getByRole('complementary', { name: 'Preview' })
    await preview.getByText('who keeps it?').waitFor()
    await preview.getByText('Themes of the shop').waitFor()
    expect(await page.evaluate(() => CSS.highlights.get('found')?.size ?? 0)).toBeGreaterThan(1)
    await prompts().getByRole('button', { name: 'Show 1 similar hit' }).click()
    await expect.poll(() => prompts().count()).toBe(2)
    expect(await accessFaults(page)).toEqual([])
    // Pointing at a hit previews it, without opening it.
    const [first, second] = await prompts()
      .getByText(/Question \d+/)
      .allTextContents()
    await preview.getByText(first?.slice(0, 12) ?? '').waitFor()
    await prompts().nth(1).hover()
    await preview.getByText(second?.slice(0, 12) ?? '').waitFor()
    await prompts().getByRole('button', { name: 'Hide similar hits' }).click()
    await expect.poll(() => prompts().count()).toBe(1)

    await page.getByRole('button', { name: 'By session' }).click()
    await page.getByRole('list', { name: 'Hits' }).getByText('Themes of the shop', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'By session' }).click()
    await page.setViewportSize({ width: 1000, height: 900 })
    await preview.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1440, height: 900 })
    await preview.waitFor()
  })

  test('Enter right after typing opens no hit of the query before', async ({ page }) => {
    await box(page).fill('heliotrope')
    await expect.poll(() => hits(page).count()).toBeGreaterThan(0)
    await box(page).fill('zzzqqq')
    await box(page).press('Enter')
    await page.getByRole('heading', { name: 'No matches' }).waitFor()
    // An answer that takes long, so that the old hits are still on screen.
    await box(page).fill('heliotrope')
    await expect.poll(() => hits(page).count()).toBeGreaterThan(0)
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/api/recall.search', (route) => promise.then(() => route.continue()))
    await box(page).fill('decimal')
    await page.waitForURL(/decimal/)
    await box(page).press('Enter')
    resolve()
    await expect.poll(() => hits(page).filter({ hasText: 'decimal' }).count()).toBeGreaterThan(0)
    await page.unroute('**/api/recall.search')
    await page.locator('[aria-label="Hits"][aria-busy="false"]').waitFor()
    await box(page).press('Enter')
    await page.getByRole('searchbox', { name: 'Find in this session' }).waitFor()
  })

  test('prompts that were asked before say how often', async ({ page, app, problems }) => {
    await page.goto(`${app.app}/recall?tab=prompts`)
    const prompts = page.getByRole('region', { name: 'Prompts' })
    // The two are one row.
    await prompts.getByText('2 times').waitFor()
    await expect.poll(() => prompts.getByText(/\d+ times/).count()).toBe(1)
    expect(problems).toEqual([])
  })
})
