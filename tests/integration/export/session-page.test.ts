import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask } from '../../support/app/ask.ts'
import { aspyHere } from '../../support/app/aspy-here.ts'
import { startApp } from '../../support/app/start-app.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { until } from '../../support/runner/until.ts'
import { startMessagesUpstream } from '../../support/upstream/messages-upstream.ts'

const HOSTILE = '</script><!-- <script>alert(1)</script><img src=x onerror="alert(2)"> [a](javascript:alert(3))'
/** Ends styles, links to data, hides and turns letters, is half a letter, and is what a terminal would obey. */
const HIDING = '</style> [b](DATA:text/html,<b>x) zero\u200Bwidth \u202Eturned\u202C half \ud83d \u001b[31mred\u0000'
const LINES = Array.from({ length: 5000 }, (_, at) => `line ${at} </pre>`).join('\n')
const DEEP: unknown = JSON.parse(`${'{"a":['.repeat(400)}${']}'.repeat(400)}`)
const SECRET = `sk-ant-api03-${'Ab1'.repeat(31)}AA`
const OUTPUT = 'the output of the tool'

let folder: TempFolder
let data = ''
beforeAll(async () => {
  folder = makeTempFolder()
  data = join(folder.path, 'from')
  const upstream = await startMessagesUpstream((_, n) => ({
    steps:
      n > 0
        ? [{ text: HIDING }, { tool: 'Deep', input: { DEEP, LINES } }, { text: 'never' }, { cut: true }]
        : [
            { thinking: 'Secretly pondering.' },
            { text: `Take **solarized**. ${HOSTILE}` },
            {
              tool: 'Edit',
              input: { file_path: '/home/ann/work/app.ts', old_string: 'one\ntwo', new_string: 'one\n<b>' },
            },
          ],
    usage: { input_tokens: 1000, output_tokens: 100 },
  }))
  const app = await startApp({ upstream: upstream.url, dataDir: data })
  const hook = (input: object) =>
    app.running.dispatch.call('hooks.post', { session_id: 's', cwd: '/home/ann/work', ...input }, { access: 'all' })
  try {
    await (await ask(app.proxy, { prompt: `${HOSTILE} ${SECRET}`, session: 's' })).text()
    await hook({ hook_event_name: 'UserPromptSubmit', prompt: `${HOSTILE} ${SECRET}` })
    await hook({
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_use_id: 'toolu_of_bash',
      tool_input: { command: 'cat /home/ann/work/app.ts' },
      tool_response: { stdout: OUTPUT, stderr: '' },
    })
    const cut = await ask(app.proxy, { prompt: `${HIDING} ${LINES}`, session: 's' })
    await expect(cut.text()).rejects.toThrow()
    await until('the answer and the result are recorded', async () => {
      const [answers, results] = [await app.count({ kind: 'model_response' }), await app.count({ kind: 'tool_result' })]
      return answers === 2 && results === 1
    })
  } finally {
    await app.close()
    await upstream.close()
  }
})
afterAll(() => folder[Symbol.dispose]())

async function page(name: string, ...flags: string[]): Promise<{ file: string; html: string; stderr: string }> {
  const file = join(folder.path, name)
  const { code, stderr } = await aspyHere([
    'export',
    '--session',
    's',
    '--format',
    'html',
    ...flags,
    '--out',
    file,
    '--data',
    data,
  ])
  expect({ code, stderr }).toMatchObject({ code: 0 })
  return { file, html: readFileSync(file, 'utf8'), stderr }
}

interface Line {
  readonly event: { readonly uuid: string; readonly [field: string]: unknown }
}

/** The events of a data folder, without ids that depend on its key. */
async function eventsIn(dataDir: string): Promise<unknown[]> {
  const { stdout } = await aspyHere(['export', '--data', dataDir])
  const lines = stdout.trim().split('\n').slice(1)
  return lines
    .map((line) => (JSON.parse(line.replaceAll(/"[0-9a-f]{32}"/g, '"hash"')) as Line).event)
    .toSorted((one, other) => one.uuid.localeCompare(other.uuid))
}

const importInto = (name: string, file: string) =>
  aspyHere(['import', file, '--json', '--data', join(folder.path, name)])

test('a page is imported to equal events, and says what is inside before it is written', async () => {
  const { file, stderr, html } = await page('whole.html')
  expect(stderr).toMatch(/The page contains \d+ events, [\d,]+ words, paths of 1 file in \d+ folders?/)
  expect(stderr).toMatch(
    /Not shown, but in it for an import: 2 requests as sent, with system prompt, .* \([\d,]+ words\)/,
  )
  const announced = Number(/([\d,]+) kB/.exec(stderr)?.[1]?.replaceAll(',', '')) * 1000
  expect(Math.abs(announced - statSync(file).size)).toBeLessThan(0.1 * announced)
  expect(html).toContain('Made with <b>Aspy</b>')
  const { stdout, stderr: notes } = await importInto('to', file)
  expect(JSON.parse(stdout)).toMatchObject({ events_known: 0, lines_bad: 0, done: true })
  expect(notes).not.toContain('incomplete')
  expect(await eventsIn(join(folder.path, 'to'))).toEqual(await eventsIn(data))
  const again = await aspyHere(['export', '--session', 's', '--format', 'html', '--out', file, '--data', data])
  expect(again.code).not.toBe(0)
  expect(again.stderr).toContain('exists already and was not changed')
})

test('nothing in a page can run or load, and no secret is in it', async () => {
  const { html } = await page('hostile.html')
  // One style, one block of data, and no other tag than those of the page itself.
  expect(html.match(/<\/?script\b[^>]*>/gi)).toEqual(['<script type="application/json" id="aspy-export">', '</script>'])
  expect(html.match(/<!--/g)).toHaveLength(1)
  const tags = new Set([...html.matchAll(/<([a-z][a-z0-9]*)/gi)].map(([, name]) => name))
  for (const tag of ['img', 'iframe', 'link', 'object', 'form', 'base']) expect(tags).not.toContain(tag)
  expect(html).not.toMatch(/<[^>]*\son[a-z]+=/i)
  // Its only links stay on the page.
  expect(new Set(html.match(/<a [^>]*href="(?!#)[^>]*>/g))).toEqual(new Set())
  expect(html).toContain('<a href="#turn-1">')
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(html).toContain(`content="default-src 'none'; style-src 'sha256-${hash}'; `)
  expect(html).not.toContain(SECRET)
  // What a person reads is there all the same.
  expect(html).toContain('<strong>solarized</strong>')
  expect(html).toContain('&lt;/script&gt;&lt;!-- &lt;script&gt;alert(1)')
  expect(html).toContain('<del>-two</del>\n<ins>+&lt;b&gt;</ins>')
  expect(html).toContain(OUTPUT)
  expect(html).toContain('other side closed')
  expect(html).not.toContain('Error · 200')
  expect(html).toContain('zero[U+200B]width [U+202E]turned[U+202C] half \ufffd ')
  // What a terminal obeys, and half letters, are written as characters that a page may contain.
  const [seen = ''] = html.split('<script type=')
  // oxlint-disable-next-line no-control-regex
  expect(seen).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u200b\u202e]/)
  expect(html).toContain('cut here: ')
})

test('parts that were left out are not in the data either, which is still imported', async () => {
  const { html: all } = await page('all-parts.html')
  for (const text of ['Secretly pondering', OUTPUT, '/home/ann', '"request":{']) expect(all).toContain(text)
  const shown = await page('shown.html', '--without', 'requests')
  expect(shown.stderr).not.toContain('Not shown')
  expect(shown.html).toContain('Secretly pondering')
  expect(shown.html).not.toContain('"request":{')
  const { file, html } = await page('parts.html', '--without', 'tools,thinking,paths')
  for (const text of ['Secretly pondering', OUTPUT, '/home/ann', 'app.ts']) expect(html).not.toContain(text)
  expect(html).toContain('solarized')
  const { stdout } = await importInto('parts', file)
  expect(JSON.parse(stdout)).toMatchObject({ lines_bad: 0, done: true })
  expect((await eventsIn(join(folder.path, 'parts'))).length).toBeGreaterThan(4)

  const wrong = await aspyHere(['export', '--session', 's', '--format', 'html', '--without', 'prompts', '--data', data])
  expect(wrong.stderr).toContain('unknown --without; choose from requests, tools, thinking, paths')
})

test('a page that is cut off, changed or foreign is refused, or imported with what is missing', async () => {
  const { html } = await page('origin.html')
  const write = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text)
    return join(folder.path, name)
  }
  const foreign = await importInto('hostile', write('foreign.html', '<!doctype html><p>hello'))
  expect(foreign.code).not.toBe(0)
  expect(foreign.stderr).toContain('it is not a page written by aspy export --format html')
  const early = await importInto('hostile', write('early.html', html.slice(0, 3000)))
  expect(early.stderr).toContain('it does not contain the data of a session')
  const headless = await importInto(
    'hostile',
    write('headless.html', html.replace('"aspy_export":1', '"aspy_export":9')),
  )
  expect(headless.stderr).toContain('its data does not begin like an export')

  const lines = html.split('\n')
  const half = lines.slice(0, -5).join('\n')
  const late = await importInto('late', write('late.html', half))
  expect(late.stderr).toMatch(/late\.html is incomplete: it lacks \d+ events? of the session/)
  const bad = lines.toSpliced(-4, 1, '{"event":{"kind":"nonsense"}}', `${'['.repeat(100_000)}`).join('\n')
  const mixed = await importInto('mixed', write('mixed.html', bad))
  expect(JSON.parse(mixed.stdout)).toMatchObject({ lines_bad: 2, done: true })
})
