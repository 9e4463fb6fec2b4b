import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heavily } from '../support/runner/heavy.ts'
import { launchBrowser, openWindow } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { pressInARow } from '../support/window/keys.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { liveBatches } from '../support/window/harness-live.ts'
import { type HarnessMode, startWindowHarness } from '../support/window/harness.ts'
import { lacks } from '../support/runner/lacks.ts'

const SESSION = '0193a1c4-7c1e-7a10-9d54-000000000001'

describe.skipIf(lacks(findChromium() !== null))('the window with generated data', () => {
  let browser: Browser
  let context: BrowserContext
  const harnesses = new Map<HarnessMode, Awaited<ReturnType<typeof startWindowHarness>>>()

  beforeAll(async () => {
    browser = await launchBrowser()
    context = await browser.newContext()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepNotices(context)
    for (const mode of ['full', 'empty', 'signed-out'] as const) {
      harnesses.set(mode, await startWindowHarness({ mode, live: mode === 'full' ? liveBatches : undefined }))
    }
  })
  afterAll(async () => {
    await browser?.close()
    for (const harness of harnesses.values()) await harness.stop()
  })

  const pages = new Map<string, Page>()
  let problems: string[] = []

  /** Opens a view as in a new tab and starts collecting problems. */
  async function open(path: string, mode: HarnessMode = 'full'): Promise<{ page: Page; problems: string[] }> {
    const url = harnesses.get(mode)?.url ?? ''
    const page = pages.get(url) ?? (await openWindow(context, new Set([url]), (problem) => problems.push(problem)))
    if (pages.has(url)) await page.evaluate(() => sessionStorage.clear())
    pages.set(url, page)
    problems = []
    await page.goto(url + path)
    return { page, problems }
  }

  test('the keyboard reaches everything', async () => {
    const { page, problems } = await open('/live')
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    await pressInARow(page, 'g', 's')
    await page.getByRole('row').nth(3).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
    await expect.poll(() => page.url()).toContain(`/sessions/${SESSION}`)

    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('cost')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Cost by day' }).waitFor()

    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await pressInARow(page, 'g', 'h')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.url()).toContain('/costs')
    expect(problems).toEqual([])
  })

  test('Recall: type, move, select, copy the pack, open a hit in its session', async () => {
    const { page } = await open('/recall')
    await page.getByRole('searchbox').fill('solarized theme')
    await page.locator('mark').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('solarized theme')
    const pack = page.getByRole('complementary', { name: 'Pack' })
    await page.keyboard.press('ArrowDown')
    await page.locator('[aria-current="true"] mark').first().waitFor()
    await page.keyboard.press('Space')
    await pack.getByText('1 hit').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Space')
    await pack.getByText('2 hits').waitFor()
    await page.getByLabel('Pack text').waitFor()
    await page.keyboard.press('c')
    await noticed(page, 'Copied the pack: 2 hits')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('not instructions')
    await page.getByRole('button', { name: 'Whole turns' }).press('Enter')
    await page
      .getByRole('complementary', { name: 'Pack' })
      .getByText(/^2 hits, \d+ texts · about/)
      .waitFor()
    await page.getByRole('heading', { name: 'Pack' }).click()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('u-41')
    await page.goBack()
    await page.locator('mark').first().waitFor()
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('solarized theme')
  })

  heavily(test)('Live: text appears while it is written, and a pause keeps its place', async () => {
    const { page } = await open('/live')
    const stream = page.getByRole('region', { name: 'Event stream' })
    await stream.getByText('The user wants the theme picked by').waitFor()
    await page.keyboard.press('p')
    const button = page.getByRole('button', { name: /\d+ new/ })
    await button.waitFor()
    const held = await stream.innerText()
    await page.getByRole('button', { name: /[3-9] new/ }).waitFor()
    expect(await stream.innerText()).toBe(held)
    await button.click()
    await button.waitFor({ state: 'detached' })
    await stream.getByText('npm test').first().waitFor()
  })

  test('recorded text is never rendered as markup', async () => {
    const { page, problems } = await open(`/sessions/${SESSION}`)
    const transcript = page.getByRole('region', { name: 'Transcript text' })
    await transcript.getByText('<script>alert(1)</script>').first().waitFor()
    await transcript.getByText('[image: tracker]').first().waitFor()
    expect(await transcript.locator('img, script, iframe').count()).toBe(0)
    expect(await page.getByRole('link', { name: 'this link' }).count()).toBe(0)
    await expect
      .poll(() => page.getByRole('link', { name: 'this one' }).first().getAttribute('href'))
      .toBe('https://example.com/contrast')
    await page.goto(`${harnesses.get('full')?.url}/recall?q=x`)
    await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
    expect(await page.locator('main img').count()).toBe(0)
    expect(problems).toEqual([])
  })

  test('a long session loads page by page', async () => {
    const { page } = await open(`/sessions/${SESSION}`)
    const transcript = page.getByRole('region', { name: 'Transcript text' })
    await transcript.getByText('What I would do').first().waitFor()
    const first = await transcript.evaluate((element) => element.scrollHeight)
    const scrolled = () =>
      transcript.evaluate((element) => {
        element.scrollTo(0, element.scrollHeight)
        return element.scrollHeight
      })
    await expect.poll(scrolled).toBeGreaterThan(first * 3)
    expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3000)
  })

  test('a link to an event opens at it, deep in a session', async () => {
    const { page } = await open(`/sessions/${SESSION}?event=u-900`)
    const row = page.locator('.ring-accent').first()
    const isInSight = async () => {
      const { y } = (await row.boundingBox()) ?? { y: -1 }
      return y > 0 && y < 700
    }
    await expect.poll(isInSight).toBe(true)
  })

  test('an empty store shows three ways to start', async () => {
    const { page } = await open('/live', 'empty')
    await page.getByRole('heading', { name: 'Ready and listening' }).waitFor()
    await page.getByText('In a terminal, in your project’s folder:').waitFor()
    await page.getByText('Once Claude Code is connected, start it again.').waitFor()
    await page.getByRole('button', { name: 'Copy the command aspy run -- claude', exact: true }).click()
    await noticed(page, 'Copied the command')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('aspy run -- claude')
  })

  test('while an import has found no session yet, Sessions says that it is read', async () => {
    const { page } = await open('/live', 'empty')
    await page.route('**/api/transcripts.status', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), state: 'running' } })
    })
    await open('/sessions', 'empty')
    await page.getByRole('heading', { name: 'Reading your past sessions' }).waitFor()
    await page.unroute('**/api/transcripts.status')
    await page.reload()
    await page.getByRole('heading', { name: 'No sessions yet' }).waitFor()
  })

  test('a signed-out browser shows how to sign in', async () => {
    const { page } = await open('/costs', 'signed-out')
    await page.getByRole('heading', { name: 'Open Aspy with its link' }).waitFor()
    await page.getByText('aspy open').waitFor()
  })

  test('the key of a link is removed from the address at once', async () => {
    const { page } = await open('/costs?range=7d#key=secret')
    await page.getByRole('heading', { name: 'Cost by day' }).waitFor()
    await expect.poll(() => new URL(page.url()).hash).toBe('')
    await expect.poll(() => new URL(page.url()).searchParams.get('range')).toBe('7d')
  })
})
