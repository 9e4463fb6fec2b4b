import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { heavily } from '../support/runner/heavy.ts'
import { accessFaults } from '../support/window/accessibility.ts'
import { ask } from '../support/app/ask.ts'
import { launchBrowser, openWindow } from '../support/window/browser.ts'
import { findChromium } from '../support/window/chromium.ts'
import { haveConversation, talkingUpstream } from '../support/app/demo-conversation.ts'
import type { MessagesUpstream } from '../support/upstream/messages-upstream.ts'
import { keepNotices, noticed } from '../support/window/notices.ts'
import { startApp, type TestApp } from '../support/app/start-app.ts'
import { until } from '../support/runner/until.ts'
import { lacks } from '../support/runner/lacks.ts'

/** Harmful if treated as more than text: markup, terminal colors, a change of writing direction. */
const HARM = 'Look: <script>document.title="owned"</script> \u001B[31mred\u001B[0m \u202Etxt.exe'

/** A folder for pictures to be looked at. */
const SHOT = process.env['ASPY_SCREENSHOTS']

describe.skipIf(lacks(findChromium() !== null))('the window with recorded sessions', () => {
  let browser: Browser
  let page: Page
  let problems: string[] = []
  let upstream: MessagesUpstream
  let app: TestApp
  let compaction = ''

  beforeAll(async () => {
    upstream = await talkingUpstream()
    app = await startApp({ upstream: upstream.url })
    await haveConversation(app.proxy, 'conversation')
    await (await ask(app.proxy, { prompt: HARM, session: 'harm' })).text()
    await until('both are recorded', async () => (await app.count({ kind: 'model_response' })) === 2)
    const post = (kind: string, payload: object, more: object = {}) =>
      app.call<{ uuid: string }>('events.post', { session_id: 'worked', kind, payload, ...more })
    const { uuid: prompt } = await post('user_prompt', { text: 'why does the import count twice?' })
    for (const [index, command] of ['npm test', 'git log'].entries()) {
      const call = { call_id: `w${index}`, tool_name: 'Bash', input: { command }, message_id: null, index: 0 }
      const { uuid } = await post('tool_call', call, { parent_uuid: prompt })
      const result = { call_id: `w${index}`, tool_name: 'Bash', output: 'done', is_error: index === 1, rejected: false }
      await post('tool_result', result, { parent_uuid: uuid, duration_ms: 400 * (index + 1), success: index === 0 })
    }
    const link = (name: string, to: string) => post('state_change', { name, to })
    await link('tag', 'billing')
    await link('pull_request', 'https://github.com/ada/engine/pull/41')
    await link('pull_request', 'javascript:alert(1)')
    const tasks = ['completed', 'in_progress'].map((status, at) => ({ id: `${at}`, subject: `Task ${at}`, status }))
    await post('task_update', { tasks })
    await post('error', { origin: 'client', type: 'overloaded', message: 'The lamp was too hot', status: 529 })
    const agent = { agent_id: 'a1', agent_type: 'Explore', parent_agent_id: null, call_id: null }
    await post('agent_started', agent, { parent_uuid: prompt })
    const said = { text: 'Mercury lamps flicker over monochrome icons', message_id: null, index: 0 }
    await post('assistant_text', said, { parent_uuid: prompt })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const summary = { trigger: 'auto', summary: 'The import counts twice.', tokens_before: 9, tokens_after: 2 }
    compaction = (await post('compaction', summary)).uuid
    browser = await launchBrowser()
    const context = await browser.newContext({ acceptDownloads: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await keepNotices(context)
    page = await openWindow(context, new Set([app.app]), (problem) => problems.push(problem))
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
  })
  afterAll(async () => {
    await browser?.close()
    await app?.close()
    await upstream?.close()
  })

  /** Opens a view as in a new tab and starts collecting problems. */
  async function open(path: string): Promise<{ page: Page; problems: string[] }> {
    problems = []
    await page.evaluate(() => sessionStorage.clear())
    await page.goto(app.app + path)
    return { page, problems }
  }

  test('the keyboard reaches all five views of a session, a match in it and a bar of its timeline', async () => {
    const { page, problems } = await open('/sessions/worked')
    await page.getByRole('region', { name: 'Transcript text' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('mercury')
    await page.getByRole('search').getByRole('status').getByText('1').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('.ring-accent').getByText('Mercury lamps').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('2')
    const bars = page.getByRole('region', { name: 'Waterfall' })
    await bars.getByRole('button', { name: /Bash git log.*failed/ }).click()
    await page.getByRole('complementary', { name: 'Event details' }).getByText('800 ms').first().waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('3')
    const tree = page.getByRole('region', { name: 'Trace tree' })
    await tree.getByText('Bash npm test').waitFor()
    await tree.getByRole('button', { name: 'Expand this tool call' }).first().press('Enter')
    await tree.getByText('done', { exact: true }).first().waitFor()
    await page.keyboard.press('4')
    await page.getByText('No requests recorded').waitFor()
    await page.keyboard.press('5')
    await page.getByText('No usage recorded').waitFor()
    await page.getByRole('region', { name: 'Tasks' }).getByText('1 of 2 done').waitFor()
    await page.getByRole('region', { name: 'Subagents' }).getByRole('link', { name: 'Explore' }).press('Enter')
    await bars.waitFor()
    expect(problems).toEqual([])
  })

  test('a trace starts at any event and shows its causes', async () => {
    const { page } = await open('/sessions/worked?tab=lineage')
    const tree = page.getByRole('region', { name: 'Trace tree' })
    await tree.getByRole('button', { name: 'Bash git log' }).click()
    await page.getByRole('button', { name: 'Open trace' }).click()
    await tree.getByRole('heading', { name: 'Caused by', exact: true }).waitFor()
    await tree.getByText('why does the import count twice?').waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('root')).not.toBeNull()
  })

  heavily(test)('a compaction lists messages its summary does not cover and links to them', async () => {
    // The number in the header leads to it, and a compaction that is linked to is open.
    const { page } = await open('/sessions/worked')
    await page.getByRole('button', { name: '1 compaction: see what was dropped' }).click()
    await page.waitForURL(`**event=${compaction}*`)
    const found = page.getByRole('region', { name: 'Answers' }).getByRole('button', { name: /Mercury/ })
    await found.waitFor()
    await expect.poll(() => found.textContent()).toMatch(/^Lost Mercury lamps flicker/)
    await page.getByRole('region', { name: 'Summary' }).getByText('The import counts twice.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    const search = page.getByRole('searchbox', { name: 'Search what was dropped' })
    await search.fill('imports')
    await page.getByText('No matches among the dropped messages').waitFor()
    await search.fill('lamps')
    await page.getByRole('button', { name: 'Copy 1 lost message' }).click()
    await noticed(page, /^Copied 1 lost message, about \d+ tokens/)
    const copied = () => page.evaluate(() => navigator.clipboard.readText())
    expect(await copied()).toMatch(/Mercury lamps/)
    await search.fill('')
    // What is brought back goes into the same pack as hits of Recall.
    await page.getByRole('checkbox', { name: /^Add to pack: Mercury/ }).check()
    const pack = page.getByRole('complementary', { name: 'Pack' })
    await pack.getByRole('listitem').filter({ hasText: 'Mercury lamps' }).waitFor()
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await pack.getByRole('button', { name: 'Copy pack' }).click()
    await expect.poll(copied).toMatch(/Mercury lamps/)
    await page.getByRole('button', { name: 'Pack · 1' }).click()
    await expect.poll(() => pack.count()).toBe(0)
    await page.goto(`${new URL(page.url()).origin}/recall?q=lamps`)
    await pack.getByRole('listitem').filter({ hasText: 'Mercury lamps' }).waitFor()
    await page.getByRole('checkbox', { checked: true }).first().waitFor()
    await page.goBack()
    // A pack from before stays closed. At 420 px, the summary replaces the dropped texts.
    await page.getByRole('checkbox', { name: /^Add to pack: Mercury/, checked: true }).waitFor()
    expect(await pack.count()).toBe(0)
    await page.setViewportSize({ width: 420, height: 800 })
    await page.getByRole('button', { name: 'Summary', exact: true }).click()
    await page.getByRole('region', { name: 'Summary' }).getByText('The import counts twice.').waitFor()
    await expect.poll(() => found.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Dropped', exact: true }).click()
    await page.getByRole('button', { name: 'Pack · 1' }).click()
    await pack.getByRole('button', { name: 'Copy pack' }).waitFor()
    await page.getByRole('checkbox', { name: /^Add to pack: Mercury/ }).uncheck()
    await expect.poll(() => pack.count()).toBe(0)
    await page.setViewportSize({ width: 1440, height: 900 })
    await found.press('Enter')
    await page.locator('.ring-accent').getByText('Mercury lamps').waitFor()
  })

  test('a session shows its tags, links only safe addresses and leads to its errors', async () => {
    const { page } = await open('/sessions/worked')
    await page.getByTitle('Tag: billing').waitFor()
    const link = page.getByRole('link', { name: 'ada/engine#41' })
    await expect.poll(() => link.getAttribute('href')).toBe('https://github.com/ada/engine/pull/41')
    await page.getByText('javascript:alert(1)').waitFor()
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    // One tool failed, then a request: both are counted, and the same keys step through both.
    const selected = page.locator('.ring-accent')
    await page.getByRole('button', { name: '1 API error · 1 failed tool: go to the next error' }).press('Enter')
    await selected.getByText('git log').first().waitFor()
    await page.keyboard.press('e')
    await selected.getByText('The lamp was too hot').waitFor()
    await page.keyboard.press('Shift+E')
    await selected.getByText('git log').first().waitFor()
    await page.getByRole('img', { name: 'Failed in this turn: 1 API error · 1 failed tool' }).waitFor()
  })

  test('a request opens as it was sent and is copied as a command without its key', async () => {
    const { page, problems } = await open('/sessions/conversation?tab=requests')
    await page
      .getByRole('row', { name: /Tool results/ })
      .getByRole('link')
      .click()
    await page.getByRole('region', { name: 'messages' }).getByText('I look at the tokens first.').waitFor()
    await page.getByLabel('Context breakdown').getByText('Files read').waitFor()
    const breakdown = page.getByLabel('Context breakdown')
    await breakdown.getByText(/: 681 tokens of input, as the API counted; the parts are estimated/).waitFor()
    // Each kind of token with its price, and the sum.
    const cost = page.getByRole('region', { name: 'Cost' })
    expect(await cost.getByRole('row', { name: /^Cache read/ }).innerText()).toMatch(/512\s+× \$0\.\d\d\s+\$0\.\d{6}/)
    const paid = (await cost.locator('td:last-child').allInnerTexts()).map((text) => Number(text.slice(1)))
    expect(paid.slice(0, -1).reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(paid.at(-1) ?? 0, 5)
    // The bar and its legend have one order.
    const parts = await breakdown.locator('[title]').evaluateAll((all) => all.map((part) => part.getAttribute('title')))
    expect(parts.map((title) => title?.split(':')[0])).toEqual(await breakdown.locator('dt').allInnerTexts())
    await page.keyboard.press('4')
    await page.getByText('mcp__tracker__list_issues').waitFor()
    await page.keyboard.press('2')
    await page.getByRole('region', { name: 'Answer' }).getByText('the sixteen colours stay').waitFor()
    await page.getByRole('button', { name: 'Copy as cURL' }).click()
    await noticed(page, 'Copied as cURL, without the API key')
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expect(command).toContain("curl 'https://api.anthropic.com/v1/messages?beta=true'")
    expect(command).toContain('x-api-key: $ANTHROPIC_API_KEY')
    expect(command).not.toContain('sk-ant')
    expect(problems).toEqual([])
  })

  test('a session is starred, renamed and found again; the list is sorted and exported as shown', async () => {
    const { page, problems } = await open('/sessions/worked')
    await page.getByRole('button', { name: 'Star', exact: true }).click()
    await noticed(page, 'Starred the session')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.locator('input[aria-label="Session name"]:focus').waitFor()
    await page.keyboard.type('The double count')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'The double count' }).waitFor()
    await page.goto(`${app.app}/sessions`)
    const rows = page.getByRole('row')
    await rows.nth(3).waitFor()
    await page.getByRole('button', { name: 'Starred' }).click()
    // Head, day and session.
    await expect.poll(() => rows.count()).toBe(3)
    await page.getByRole('link', { name: 'The double count' }).waitFor()
    await page.getByRole('button', { name: 'Starred' }).click()
    // A click right after another must not undo it.
    await page.getByRole('button', { name: 'Cost' }).click()
    await page.getByRole('columnheader', { name: 'Cost' }).and(page.locator('[aria-sort=descending]')).waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('cost')
    await expect.poll(() => rows.count()).toBe(4)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export sessions' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export sessions' })
    const contents = dialog.getByRole('status', { name: 'Contents of the file' })
    await contents.getByText(/^3 rows · \d+ columns · \d+ words · /).waitFor()
    await contents.getByText(/^Names \d+ paths?\.$/).waitFor()
    await dialog.getByRole('checkbox', { name: 'project' }).uncheck()
    await contents.getByText('Names no paths.').waitFor()
    expect(await accessFaults(page)).toEqual([])
    if (SHOT !== undefined) await page.screenshot({ path: `${SHOT}/export.png` })
    await dialog.getByRole('button', { name: 'Save file' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toBe('sessions.csv')
    const text = await readFile(await saved.path(), 'utf8')
    expect(text).toContain('The double count')
    expect(text.split('\r\n')[0]).toMatch(/^id,title,git_branch,/)
    await noticed(page, 'Saved sessions.csv: 3 rows, as shown')
    expect(problems).toEqual([])
  })

  test('a session is exported as readable text and as lines that can be imported', async () => {
    const { page, problems } = await open('/sessions/worked')
    const saved = async (format: string) => {
      const saving = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export session' }).click()
      await page.getByRole('menuitem', { name: format }).click()
      return readFile(await (await saving).path(), 'utf8')
    }
    expect(await saved('Markdown')).toMatch(/> why does the import count twice\?[^]*Mercury lamps/)
    await noticed(page, /^Saved session-worked.md: 2 messages/)
    const [first, ...events] = (await saved('JSON lines')).trim().split('\n')
    expect(first).toBe('{"aspy_export":1}')
    const { count } = await app.call<{ count: number }>('events.count', { session_id: 'worked' })
    expect(events).toHaveLength(count)
    expect(problems).toEqual([])
  })

  test('a search is saved and repeated; a remembered hit ranks first', async () => {
    const { page, problems } = await open('/recall?q=solarized')
    await page.locator('mark').first().waitFor()
    const hits = page.getByRole('list', { name: 'Hits' }).getByRole('listitem')
    const last = await hits.last().innerText()
    await hits.last().getByRole('button', { name: 'Remember this hit' }).press('Enter')
    await noticed(page, 'Remembered: this hit now ranks first')
    await expect.poll(() => hits.first().innerText()).toBe(last)
    await page.getByRole('button', { name: 'By session' }).click()
    await page
      .getByText(/hits?$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save search' }).click()
    await noticed(page, 'Saved the search “solarized”')
    await page.goto(`${app.app}/recall`)
    await page.getByRole('region', { name: 'Remembered' }).getByRole('link').first().waitFor()
    await page.getByRole('region', { name: 'Saved searches' }).getByRole('link', { name: 'solarized' }).click()
    await page.locator('mark').first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.get('group')).toBe('session')
    expect(problems).toEqual([])
  })

  test('harmful text is shown as text in every view', async () => {
    const { page, problems } = await open('/sessions/harm')
    await page.getByRole('region', { name: 'Transcript text' }).getByText('<script>').first().waitFor()
    for (const [key, there] of [
      ['2', page.getByRole('region', { name: 'Waterfall' }).getByRole('button')],
      ['3', page.getByRole('region', { name: 'Trace tree' }).getByRole('button')],
      ['4', page.getByRole('row')],
      ['5', page.getByRole('region', { name: 'Cost by turn' })],
    ] as const) {
      await page.keyboard.press(key)
      await there.first().waitFor()
    }
    const requests = await app.call<{ items: { uuid: string }[] }>('requests.list', { session_id: 'harm' })
    await page.goto(`${app.app}/exchanges/${requests.items[0]?.uuid}`)
    const shown = page.getByRole('region', { name: 'messages' }).getByText('<script>').first()
    await shown.waitFor()
    // A change of writing direction does not leak out of its line.
    expect(await shown.evaluate((element) => getComputedStyle(element).unicodeBidi)).toMatch(/isolate|plaintext/)
    expect(await page.title()).not.toBe('owned')
    expect(await page.locator('main script').count()).toBe(0)
    expect(problems).toEqual([])
  })

  heavily(test)(
    'several sessions are tagged at once, found by their tag, and deleted with one undo for all',
    async () => {
      const { page, problems } = await open('/sessions')
      const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
      await boxes.nth(0).check()
      await boxes.nth(1).check()
      await page.getByRole('toolbar').getByRole('button', { name: 'Tag' }).click()
      const dialog = page.getByRole('dialog', { name: 'Tags' })
      await dialog.getByLabel('New tag').fill('quarter 4')
      await page.keyboard.press('Enter')
      await dialog.getByRole('checkbox', { name: 'quarter 4' }).and(page.locator(':checked')).waitFor()
      expect(await accessFaults(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Done' }).click()
      await expect.poll(() => page.getByTitle('Tag: quarter 4').count()).toBe(2)
      await page.keyboard.press('Escape')
      await page.getByLabel('Tag', { exact: true }).selectOption('quarter 4')
      await expect.poll(() => boxes.count()).toBe(2)
      await expect.poll(() => new URL(page.url()).searchParams.get('tag')).toBe('quarter 4')

      await boxes.nth(0).check()
      await boxes.nth(1).check()
      await page.getByRole('toolbar').getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 sessions' }).click()
      await page.getByText('2 sessions deleted').waitFor()
      const undo = page.getByRole('button', { name: /^Undo/ })
      await expect.poll(() => undo.count()).toBe(1)
      await undo.click()
      await noticed(page, 'Restored 2 sessions')
      await expect.poll(() => boxes.count()).toBe(2)
      await page.getByRole('row').getByRole('link').first().click()
      // Only a session's page has this button; the list has the tag too.
      await page.getByRole('button', { name: 'Tags' }).click()
      await page.getByTitle('Tag: quarter 4').waitFor()
      await dialog.getByRole('checkbox', { name: 'quarter 4' }).click()
      await page.getByTitle('Tag: quarter 4').waitFor({ state: 'detached' })
      expect(problems).toEqual([])
    },
  )

  test('an export of several sessions says what is inside, leaves parts out, and saves a file each', async () => {
    const { page, problems } = await open('/sessions')
    const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ })
    await boxes.nth(0).check()
    await boxes.nth(1).check()
    const button = page.getByRole('toolbar').getByRole('button', { name: 'Export' })
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'Export 2 sessions' })
    const contents = dialog.getByRole('status', { name: 'Contents of the files' })
    const words = async () => Number(/(\d+) words?/.exec(await contents.innerText())?.[1] ?? Number.NaN)
    await expect.poll(words).toBeGreaterThan(0)
    const whole = await words()
    await dialog.getByRole('checkbox', { name: 'Tool output' }).uncheck()
    await dialog.getByRole('checkbox', { name: 'Thinking' }).uncheck()
    await expect.poll(words).toBeLessThan(whole)
    const saved: string[] = []
    page.on('download', (download) => saved.push(download.suggestedFilename()))
    await dialog.getByRole('button', { name: 'Save 2 files' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => saved.length).toBe(2)
    expect(saved.every((name) => /^session-.+\.html$/.test(name))).toBe(true)
    // The dialog gives the focus back, although saving removed it while it was open.
    await button.and(page.locator(':focus')).waitFor()

    await button.click()
    await dialog.getByRole('button', { name: 'JSON lines' }).click()
    expect(await dialog.getByRole('checkbox', { name: 'Thinking' }).isDisabled()).toBe(true)
    await expect.poll(words).toBe(whole)
    // A selection of text that ends outside does not close it; a click outside does.
    await contents.hover()
    await page.mouse.down()
    await page.mouse.move(5, 5)
    await page.mouse.up()
    await contents.waitFor()
    await page.mouse.click(5, 5)
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    expect(problems).toEqual([])
  })

  test('deleting a session needs confirmation, and can be undone, also from a page that was opened since', async () => {
    const { page } = await open('/sessions/harm')
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click()
    await page.getByRole('button', { name: /Undo/ }).click()
    await noticed(page, /Restored the session/)
    expect(await app.call('sessions.get', { session_id: 'harm' })).toMatchObject({ id: 'harm' })
    await page.goto(new URL('/sessions/harm', page.url()).href)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click()
    await page.getByText('Session deleted').waitFor()
    await page.reload()
    await page.getByRole('button', { name: /Undo/ }).waitFor()
    await expect(app.call('sessions.get', { session_id: 'harm' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
