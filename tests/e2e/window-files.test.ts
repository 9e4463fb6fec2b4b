import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { few } from '../support/runner/heavy.ts'
import { lacks } from '../support/runner/lacks.ts'
import { accessFaults, faultsAtWidth } from '../support/window/accessibility.ts'
import { launchBrowser } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { startWindowHarness } from '../support/window/harness.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'
type Answer = Readonly<Record<string, unknown>>

describe.skipIf(lacks(findChromium() !== null))('the history of a file in the window', () => {
  let browser: Browser
  let page: Page
  let harness: Awaited<ReturnType<typeof startWindowHarness>>
  beforeAll(async () => {
    browser = await launchBrowser()
    page = await browser.newPage()
    harness = await startWindowHarness({ mode: 'full' })
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.stop()
  })
  const open = async () => {
    await page.goto(`${harness.url}/sessions/${SESSION}?tab=files`)
    await page.getByRole('button', { name: 'History' }).click()
    await page.getByRole('slider', { name: 'State' }).waitFor()
  }
  const rows = () =>
    page
      .getByRole('region', { name: /^Lines of/ })
      .getByRole('listitem')
      .evaluateAll((items) => items.map((item) => [...item.children].map((part) => part.textContent)))

  test('its states are on a slider, and each line of a call names its prompt and leads to it', async () => {
    await open()
    await page.getByText('3 of 3').waitFor()
    expect((await rows()).map(([who, ...line]) => [who?.slice(0, 12), ...line])).toEqual([
      ['was there be', '1', ':root {'],
      ['', '2', '  --bg: #fdf6e3;'],
      ['Now the ink', '3', '  --ink: #073642;'],
      ['Pick the sol', '4', '  --soft: #3f5a62;'],
      ['', '5', '  --faint: #516a71;'],
      ['was there be', '6', '  --line: #eee8d5;'],
      ['', '7', '}'],
    ])
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('slider', { name: 'State' }).press('ArrowLeft')
    await page.getByText('2 of 3').waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    const change = page.getByLabel(/^Change of/)
    await change.getByText('#516a71').first().waitFor()
    expect(await accessFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Blame', exact: true }).click()
    await page.getByRole('button', { name: /^Pick the solarized/ }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('prompt-call2')
  })

  test('a line of another session leads there', async () => {
    await open()
    await page.getByRole('button', { name: 'Now the ink' }).click()
    await expect.poll(() => new URL(page.url()).pathname).toBe('/sessions/0193a1c4-7c1e-7a10-9d54-000000000004')
  })

  test('restoring shows what would be written before anything is', async () => {
    const asked: unknown[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/api/files.restore')) asked.push(request.postDataJSON())
    })
    await open()
    await page.getByRole('button', { name: 'Restore…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore a file' })
    await dialog.getByText('tokens.css.restored').waitFor()
    await dialog.getByText('+  --soft: #3f5a62;').waitFor()
    expect(await accessFaults(page)).toEqual([])
    expect(asked).toMatchObject([{ preview: true }])
    const out = '/home/ada/code/engine/other.css'
    await dialog.getByLabel('Write it elsewhere').fill(out)
    await dialog.getByRole('code').getByText(out).waitFor()
    expect(asked[1]).toMatchObject({ out, preview: true })
    await dialog.getByRole('button', { name: 'Write the file' }).click()
    await page.getByText(`Wrote ${out}`).waitFor()
    expect(asked[2]).toEqual({
      path: '/home/ada/code/engine/src/renderer/styles/tokens.css',
      uuid: 'state3',
      out,
    })
  })

  const ways: readonly [string, Answer, string][] = [
    ['is back', { is_same: true, diff: '' }, 'It is on disk again, with these lines.'],
    ['is gone', { is_same: false, diff: '@@ -0,0 +1 @@\n+:root {' }, 'It is not on disk now.'],
    [
      'has another text',
      { is_same: false, diff: '@@ -1 +1 @@\n-x\n+y', out: '/x' },
      'On disk, there is another text now.',
    ],
  ]
  test.each(few(ways, 1))('of a file that was deleted and %s, it says what is on disk', async (_, answer, said) => {
    const changed = async (name: string, of: (answer: Answer, input: Answer) => Answer) =>
      page.route(`**/api/${name}`, async (route) => {
        const response = await route.fetch()
        const input = route.request().postDataJSON() as Answer
        await route.fulfill({ response, json: of((await response.json()) as Answer, input) })
      })
    await changed('files.history', ({ items, ...rest }) => {
      const all = items as readonly object[]
      return { ...rest, items: [...all.slice(0, -1), { ...all.at(-1), action: 'deleted', state: 'absent' }] }
    })
    await changed('files.restore', (given, { path }) => ({ ...given, out: path, ...answer }))
    await open()
    await page
      .getByText(`These were its lines. Since its text was known, a call may have changed it. ${said}`)
      .waitFor()
    await page.unrouteAll()
  })

  test('a file names the prompts that it was changed for, and the lines of a deleted one are not counted', async () => {
    const lines = page.getByRole('img', { name: /lines? added/ })
    const answers = { 'files.tree': { folder: '/work', partial: false, items: [] as object[] } }
    await page.route('**/api/files.tree', (route) => route.fulfill({ json: answers['files.tree'] }))
    await page.route('**/api/prompts.search', (route) =>
      route.fulfill({
        json: { items: Array.from({ length: 60 }, (_, at) => ({ turn_id: at + 1, content: `Prompt ${at + 1}` })) },
      }),
    )
    await page.goto(`${harness.url}/sessions/${SESSION}?tab=files`)
    const region = page.getByRole('region', { name: 'Files changed' })
    await region.getByText(/^Prompt \d+ · \d+ more prompts$/).waitFor()
    await expect.poll(() => region.locator('p').filter({ hasText: '1 file changed' }).locator(lines).count()).toBe(1)
    const path = '/home/ada/code/engine/src/renderer/styles/tokens.css'
    answers['files.tree'].items.push({ path, state: 'deleted', is_new: false })
    await page.reload()
    await region.getByText(/then deleted/).waitFor()
    expect(
      await region
        .getByRole('button', { name: /then deleted/ })
        .getByRole('img')
        .count(),
    ).toBe(0)
    expect(await region.locator('p').filter({ hasText: '1 file changed' }).innerText()).not.toMatch(/[+−]\d/)
    await page.unrouteAll()
  })

  test.each(few([420, 1440], 1))('at %i px nothing is wider than the window', async (width) => {
    await page.setViewportSize({ width, height: 900 })
    await open()
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(await faultsAtWidth(page, width === 1440)).toEqual([])
  })
})
