import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import { describe, given } from '../support/window/window-test.ts'
import { pngOf } from '../support/transcripts/png.ts'
import { ToldSession } from '../support/transcripts/told-session.ts'
import { accessFaults } from '../support/window/accessibility.ts'

/** A folder for pictures to be looked at. */
const SHOT = process.env['ASPY_SCREENSHOTS']
const E = '\u001B'
const CODE = Array.from({ length: 30 }, (_, at) => `  const value${at + 1} = read(${at + 1}) // kept`)
const READ = CODE.slice(0, 6)
  .map((line, at) => `${String(at + 41).padStart(6)}→${line}`)
  .join('\n')

function toolSession(): ToldSession {
  const session = new ToldSession('tools')
  const path = '/home/user/shop/src/total.ts'
  session.prompt('fix the total')
  session.tool(
    'Bash',
    { command: 'npm test', description: 'Run the tests' },
    {
      output: `Exit code 1\n${E}[31mFAIL${E}[0m total.test.ts\n${E}[32m✓${E}[39m other`,
      isError: true,
    },
  )
  session.tool('Read', { file_path: path, offset: 41, limit: 6 }, { output: READ })
  const lines = [
    ...CODE.slice(7, 10).map((line) => ` ${line}`),
    '-  return sum(values)',
    '+  return round(sum(values))',
  ]
  session.tool(
    'Edit',
    { file_path: path, old_string: 'return sum(values)', new_string: 'return round(sum(values))' },
    {
      output: 'The file has been updated.',
      detail: { filePath: path, structuredPatch: [{ oldStart: 48, oldLines: 4, newStart: 48, newLines: 4, lines }] },
    },
  )
  session.tool('Write', { file_path: '/home/user/shop/long.ts', content: CODE.join('\n') }, { output: 'created' })
  const long = { file_path: path, old_string: CODE.join('\n'), new_string: CODE.with(15, '  let other = 1').join('\n') }
  session.tool('Edit', long, { output: 'The file has been updated.' })
  // As recorded from the wire: the result has no numbers, but the file was read before.
  session.tool(
    'Read',
    { file_path: '/home/user/shop/tax.ts' },
    {
      output: ['', 'export const tax = {', '  rate: 19,', '  of: 100,', '}']
        .map((line, at) => `${at + 1}→${line}`)
        .join('\n'),
    },
  )
  const tax = { file_path: '/home/user/shop/tax.ts', old_string: '19', new_string: '7' }
  session.tool('Edit', tax, { output: 'The file has been updated.' })
  const todos = [
    { content: 'Find the bug', status: 'completed', activeForm: 'Finding' },
    { content: 'Fix it', status: 'in_progress', activeForm: 'Fixing' },
    { content: 'Test it', status: 'pending', activeForm: 'Testing' },
  ]
  session.tool('TodoWrite', { todos }, { output: 'Todos have been modified' })
  const question = 'Which rounding?'
  const options = [
    { label: 'Half up', description: 'As in school' },
    { label: 'Half even', description: 'As in banks' },
  ]
  session.tool(
    'AskUserQuestion',
    { questions: [{ question, header: 'Rounding', options, multiSelect: false }] },
    {
      output: `User has answered your questions: "${question}"="Half even".`,
      detail: { questions: [], answers: { [question]: 'Half even' } },
    },
  )
  session.tool(
    'WebSearch',
    { query: 'half even' },
    {
      output:
        'Web search results\n\nLinks: [{"title":"Rounding","url":"https://example.com/rounding"}]\n\nIt is common.',
    },
  )
  session.tool(
    'mcp__github__get_issue',
    { repo: 'shop', number: 7 },
    {
      output: '{"title":"Totals are off","labels":["bug","money"],"user":{"login":"eva","plan":{"name":"pro"}}}',
    },
  )
  session.tool(
    'Read',
    { file_path: '/home/user/shop/shot.png' },
    {
      output: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(104_000) } }],
    },
  )
  const data = pngOf(900, 600).toString('base64')
  session.prompt('like this picture', [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }])
  return session
}

const test = given({ screen: { viewport: { width: 1440, height: 2400 } } })

describe('tool calls in a transcript', () => {
  let transcript: Locator

  test.beforeAll(async ({ page, app, outside }) => {
    await toolSession().importInto(app, outside)
    await page.goto(app.link)
    await page.getByRole('heading', { name: 'Live' }).waitFor()
    await page.goto(`${app.app}/sessions/tools`)
    transcript = page.getByRole('region', { name: 'Transcript text' })
    await transcript.getByText('fix the total').waitFor()
  })

  const row = (name: string | RegExp) => transcript.getByRole('button', { name }).first()

  test('a command is shown once, its output has the colors of the terminal, its exit code is in its line', async () => {
    await row(/^Bash/).getByText('exit 1').waitFor()
    await expect.poll(() => transcript.getByText('npm test', { exact: true }).count()).toBe(1)
    const fail = transcript.getByText('FAIL', { exact: true })
    const ok = transcript.getByText('✓', { exact: true })
    const color = (at: Locator) => at.evaluate((node) => getComputedStyle(node).color)
    expect(await color(fail)).not.toBe(await color(ok))
    expect(await transcript.getByText('Exit code 1').count()).toBe(0)
  })

  test('a file that was read has its path, line numbers and syntax colors', async () => {
    const read = row(/^Read src\/total\.ts:41–46/)
    await read.click()
    const lines = transcript.locator('pre[aria-label="Lines of /home/user/shop/src/total.ts"]')
    await lines.getByText('41', { exact: true }).waitFor()
    expect(await lines.innerText()).not.toContain('→')
    await expect.poll(() => lines.locator('[class*="syn-comment"]').first().innerText()).toBe('// kept')
    await read.click()
  })

  test('an edit is a diff with the numbers of the file, counts, marked words, and both versions side by side', async ({
    page,
  }) => {
    await page.setViewportSize({ width: 1900, height: 2400 })
    await row(/^Edit src\/total\.ts .*1 line added, 1 removed/).waitFor()
    const diff = transcript.locator('pre[aria-label^="Change of"]').first()
    await diff.getByText('51', { exact: true }).first().waitFor()
    await expect.poll(() => diff.locator('[class*="bg-good/"]').first().innerText()).toBe('round')
    const [before, after] = [diff.locator('.bg-bad-soft').first(), diff.locator('.bg-good-soft').first()]
    const tops = async () => [(await before.boundingBox())?.y, (await after.boundingBox())?.y] as const
    // The halves move beside each other once the new width is measured.
    await expect.poll(() => tops().then(([left, right]) => left === right)).toBe(true)
    await page.setViewportSize({ width: 1000, height: 2400 })
    await expect
      .poll(async () => (await tops()).every((top, at, all) => at === 0 || (top ?? 0) > (all[0] ?? 0)))
      .toBe(true)
    await page.setViewportSize({ width: 1440, height: 2400 })
  })

  test('an edit without numbers in its result gets them, and the lines around it, from what was read', async () => {
    await row(/^Edit tax\.ts|^Edit .*tax\.ts/).waitFor()
    const diff = transcript.locator('pre[aria-label="Change of /home/user/shop/tax.ts"]')
    await diff.getByText('export const tax').first().waitFor()
    const text = (await diff.innerText()).replaceAll(/\s+/g, ' ')
    expect(text).toContain('export const tax = { 3− rate: 19, 3+ rate: 7,')
  })

  test('unchanged lines far from a change are folded and come on request', async () => {
    const fold = transcript.getByRole('button', { name: 'Show 12 unchanged lines' })
    await fold.waitFor()
    const line = transcript.locator('pre').filter({ has: fold }).getByText('const value2 ')
    expect(await line.count()).toBe(0)
    await fold.click()
    await expect
      .poll(() =>
        transcript
          .locator('pre')
          .filter({ hasText: 'let other' })
          .getByText(/const.value2 /)
          .count(),
      )
      .toBeGreaterThan(0)
  })

  test('tasks are a checklist, and a question shows the chosen answer', async () => {
    const tasks = transcript.getByRole('list', { name: 'Tasks' })
    await tasks.getByRole('listitem').filter({ hasText: 'Find the bug' }).getByRole('img', { name: 'Done' }).waitFor()
    await tasks.getByRole('listitem').filter({ hasText: 'Fix it' }).getByRole('img', { name: 'In progress' }).waitFor()
    const question = transcript.getByRole('region', { name: 'Which rounding?' })
    const option = (text: string) => question.getByRole('listitem').filter({ hasText: text }).getByRole('img')
    await expect.poll(() => option('Half even').getAttribute('aria-label')).toBe('Chosen')
    await expect.poll(() => option('Half up').getAttribute('aria-label')).toBe('Not chosen')
  })

  test('a web search lists its pages, an MCP call names and values, and JSON is a tree', async () => {
    await row(/^WebSearch half even/).click()
    const link = transcript.getByRole('link', { name: 'Rounding' })
    await expect.poll(() => link.getAttribute('href')).toBe('https://example.com/rounding')
    await row(/^github · get_issue/).click()
    await transcript.getByRole('term').filter({ hasText: 'repo' }).waitFor()
    const tree = transcript.getByRole('group', { name: 'Output' })
    await tree.getByText('Totals are off').waitFor()
    await tree.getByRole('button', { name: /^labels/ }).click()
    await expect.poll(() => tree.getByText('money').count()).toBe(0)
  })

  test('an image says what it was and that it was not kept', async () => {
    await row(/^Read shot\.png/).click()
    const note = transcript.getByText('PNG 76.2 KB, not kept').locator('..')
    await expect
      .poll(() => note.getByRole('link', { name: 'Show images' }).getAttribute('href'))
      .toBe('/settings?q=show_images')
    expect(await transcript.locator('img[src]').count()).toBe(0)
  })

  test('with images shown, one is a thumbnail of at most 64 KB that a click enlarges; what is none says so', async ({
    page,
    app,
  }) => {
    await app.call('config.set', { key: 'app.show_images', value: true })
    await page.reload()
    const thumbnail = transcript.getByRole('img', { name: /^Enlarge PNG/ })
    await thumbnail.waitFor()
    const shown = await thumbnail.evaluate((node) => {
      const { src, naturalWidth, naturalHeight } = node as HTMLImageElement
      return { start: src.slice(0, 16), fits: src.length <= 65_536, naturalWidth, naturalHeight }
    })
    expect(shown).toEqual({ start: 'data:image/webp;', fits: true, naturalWidth: 480, naturalHeight: 320 })
    await transcript.getByText('900 × 600, from the client’s transcript').waitFor()
    await thumbnail.click()
    const large = page.getByRole('dialog').locator('canvas')
    await large.waitFor()
    expect(await large.evaluate((node) => [node.getAttribute('width'), node.getAttribute('height')])).toEqual([
      '900',
      '600',
    ])
    if (SHOT !== undefined) await page.screenshot({ path: `${SHOT}/image-large.png` })
    await page.keyboard.press('Escape')
    await row(/^Read shot\.png/).click()
    await transcript.getByText('It is not a PNG, JPEG, GIF or WebP.').waitFor()
    if (SHOT !== undefined) await page.screenshot({ path: `${SHOT}/image.png` })
  })

  test('nothing of it is a fault for a screen reader', async ({ page }) => {
    expect(await accessFaults(page)).toEqual([])
  })
})
