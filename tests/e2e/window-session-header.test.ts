import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { ask } from '../support/app/ask.ts'
import { aspy } from '../support/app/aspy-command.ts'
import { until } from '../support/runner/until.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { pressInARow } from '../support/window/keys.ts'
import { noticed } from '../support/window/notices.ts'

const HOSTILE = '</script><script>document.title = "run"</script><img src="http://127.0.0.1:9/x" onerror="alert(1)">'
const PATH = '/home/ann/work/app.ts'

interface Exported {
  readonly event: { readonly uuid: string; readonly kind: string; readonly payload: object }
}

const test = given({
  answer: () => ({
    steps: [
      { thinking: 'Secretly pondering.' },
      { text: `Take **solarized**. ${HOSTILE}` },
      { tool: 'Edit', input: { file_path: PATH, old_string: 'one', new_string: 'two' } },
    ],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }),
  screen: { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] },
})

describe("a session's header", () => {
  test.beforeAll(async ({ page, app }) => {
    await (await ask(app.proxy, { prompt: `Which theme? ${HOSTILE}`, session: 's' })).text()
    await until('the answer is recorded', async () => (await app.count({ kind: 'model_response' })) === 1)
    await page.goto(app.link)
    await page.goto(`${app.app}/sessions/s`)
  })

  test('does not show what an import has not counted yet as zero', async ({ app, context }) => {
    const importing = await context.newPage()
    await importing.route('**/api/sessions.get', async (route) => {
      const response = await route.fetch()
      const session: object = { ...((await response.json()) as object), preview: true, active_ms: 0, tool_calls: 0 }
      await route.fulfill({ response, json: session })
    })
    await importing.route('**/api/sessions.events', async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...((await response.json()) as object), items: [] } })
    })
    await importing.goto(`${app.app}/sessions/s`)
    await importing.getByText('This session is being imported.').waitFor()
    const figure = (name: string) => importing.locator('dl > div', { hasText: name }).locator('dd').innerText()
    expect([await figure('Tools'), await figure('Active time')]).toEqual(['–', '–'])
    await importing.close()
  })

  test('is renamed in its place: Enter saves, Escape and Cancel do not', async ({ page }) => {
    const field = page.locator('input[aria-label="Session name"]:focus')
    for (const leave of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Cancel' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Rename' }).click()
      await field.waitFor()
      await page.keyboard.type('not this')
      await leave()
      await page.getByRole('heading', { level: 1, name: 'Which theme?' }).waitFor()
    }
    await page.getByRole('button', { name: 'Rename' }).click()
    await field.waitFor()
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0)
    await page.keyboard.type('The theme')
    // Enter ends a word of an input method first.
    await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    expect(await field.count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'The theme' }).waitFor()
  })

  test('offers its actions in the palette, found by a few letters, and remembers them', async ({ page }) => {
    await page.keyboard.press('Control+k')
    await page.locator('[role=combobox]:focus').waitFor()
    await page.keyboard.type('crc')
    const option = page.getByRole('option', { name: 'Copy resume command' })
    await option.and(page.locator('[aria-selected=true]')).waitFor()
    await expect.poll(() => option.locator('b').allTextContents()).toEqual(['C', 'r', 'c'])
    await page.keyboard.press('Enter')
    await noticed(page, 'Copied the resume command')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/aspy run -- claude --resume s$/)
    await page.keyboard.press('Control+k')
    await page
      .getByRole('option')
      .first()
      .and(page.getByRole('option', { name: 'Copy resume command' }))
      .waitFor()
    for (const name of [
      'Star this session',
      'Rename this session',
      'Delete this session',
      'Export as Markdown',
      'Live g l',
    ])
      expect([name, await page.getByRole('option', { name }).count()]).toEqual([name, 1])
    await page.keyboard.type('theme dark')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.keyboard.press('Control+k')
    await page.keyboard.type('theme light')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('light')
  })

  test('says what deleting removes', async ({ page }) => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page
      .getByRole('status', { name: 'What is deleted' })
      .getByText(/^\d+ events, 1 prompt, [\d.]+ KB$/)
      .waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
  })

  test('the export menu works by keys, finds an item by its letters, and stays within a narrow window', async ({
    page,
  }) => {
    const button = page.getByRole('button', { name: 'Export session' })
    const item = (name: string) => page.getByRole('menuitem', { name })
    const focused = (name: string) => item(name).and(page.locator(':focus')).waitFor()
    await button.press('ArrowDown')
    await focused('Markdown')
    expect(await accessFaults(page)).toEqual([])
    const before = page.url()
    // J is also a key of the transcript.
    await page.keyboard.press('j')
    await focused('JSON lines')
    expect(page.url()).toBe(before)
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await button.and(page.locator(':focus')).waitFor()
    // Up opens it at its end; letters in a row are one name.
    await button.press('ArrowUp')
    await focused('JSON lines')
    await pressInARow(page, 'h', 't')
    await focused('HTML page')
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 420, height: 230 })
    await button.click()
    await item('Markdown').waitFor()
    const box = await page.getByRole('menu').boundingBox()
    expect([(box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? 999) <= 420]).toEqual([true, true])
    expect([(box?.y ?? -1) >= 0, (box?.y ?? 0) + (box?.height ?? 999) <= 230]).toEqual([true, true])
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 420, height: 700 })
    await button.click()
    await page.getByRole('region', { name: 'Transcript text' }).click()
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  /** Chooses the page in the menu with the keyboard. */
  async function openPageDialog(page: Page): Promise<Locator> {
    await page.getByRole('button', { name: 'Export session' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Markdown' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Export as a page' })
    await dialog.getByText('Names 1 file in 1 folder').waitFor()
    return dialog
  }

  /** Leaves parts out of the page, and saves it. */
  async function savePage(page: Page, folder: string, dialog: Locator, ...without: readonly string[]): Promise<string> {
    for (const part of without) await dialog.getByRole('checkbox', { name: part }).uncheck()
    const names = without.includes('Paths') ? 'Names 0 files in 0 folders' : 'Names 1 file in 1 folder'
    await dialog.getByText(names).waitFor()
    const saving = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Save page' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toMatch(/^session-\S+-s\.html$/)
    const file = join(folder, `${without.join('-')}page.html`)
    await download.saveAs(file)
    await dialog.waitFor({ state: 'detached' })
    return file
  }

  test('is exported as a page that opens offline, asks for nothing, runs nothing, and can be imported', async ({
    browser,
    page,
    app,
    outside,
  }) => {
    const dialog = await openPageDialog(page)
    expect(await accessFaults(page)).toEqual([])
    // Left out unless chosen.
    await dialog.getByRole('checkbox', { name: 'Requests as sent', checked: false }).check()
    const file = await savePage(page, outside, dialog)
    const offline = await browser.newPage()
    const asked: string[] = []
    offline.on('request', (request) => asked.push(request.url()))
    await offline.context().setOffline(true)
    await offline.goto(pathToFileURL(file).href)
    await offline.getByText('Which theme?').first().waitFor()
    expect(asked).toEqual([pathToFileURL(file).href])
    expect(await offline.title()).toBe('The theme')
    expect(await offline.locator('img').count()).toBe(0)
    await expect.poll(() => offline.getByText('onerror="alert(1)"').count()).toBeGreaterThan(0)
    await expect
      .poll(() => offline.locator('meta[http-equiv=Content-Security-Policy]').getAttribute('content'))
      .toMatch(/^default-src 'none'; style-src 'sha256-/)
    await offline.close()

    const data = join(outside, 'imported')
    expect(await aspy(['import', file, '--data', data])).toMatchObject({ code: 0 })
    const { stdout } = await aspy(['export', '--session', 's', '--data', data])
    const imported = stdout.trim().split('\n').slice(1)
    const { items } = await app.call<{ items: readonly Exported[] }>('events.export', { session_id: 's' })
    // Hashes depend on the key of the data folder.
    const factsOf = (all: readonly Exported[]) =>
      all.map(({ event: { uuid, kind, payload } }) => ({
        uuid,
        kind,
        payload: JSON.stringify(payload).replaceAll(/"[0-9a-f]{32}"/g, '"hash"'),
      }))
    expect(factsOf(imported.map((line) => JSON.parse(line) as Exported))).toEqual(factsOf(items))
  })

  test('leaves out thinking and paths if asked to, also over HTTP', async ({ page, app, outside, problems }) => {
    const html = await readFile(await savePage(page, outside, await openPageDialog(page), 'Thinking', 'Paths'), 'utf8')
    expect(html).toContain('Take <strong>solarized</strong>')
    for (const gone of ['Secretly pondering', PATH, '/home/user/project']) expect(html).not.toContain(gone)

    const get = (query: string) =>
      fetch(`${app.app}/api/sessions/s/page${query}`, { headers: { authorization: `Bearer ${app.token}` } })
    const response = await get('?format=html&without=requests,thinking,paths')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    // Each says to the second when it was made.
    const madeAt = /\d{2}:\d{2}:\d{2} UTC/g
    expect((await response.text()).replaceAll(madeAt, '')).toBe(html.replaceAll(madeAt, ''))
    expect(await (await get('?without=tools')).json()).toMatchObject({ session_id: 's', files: 1, cut: 0 })
    expect((await get('?without=everything')).status).toBe(400)
    expect(problems).toEqual([])
  })
})
