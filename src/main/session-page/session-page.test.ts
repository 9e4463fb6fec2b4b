import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { describeContents } from './page-contents.ts'
import { pageStyle } from './page-style.ts'
import { event, ANSWERS, ROOMY, pageOf, call, result, textFrom } from './fixtures/page-of.ts'

test('events over the bound are cut from the page and its data, and counted', async () => {
  const { html, summary } = await pageOf(ANSWERS, { data: 2000, transcript: 100_000 })
  expect(html).toContain('cut here: 2 later events are not in this page')
  expect(html).toContain('{"aspy_export":1,"events":1,"cut":2,"without":[]}')
  expect(html).not.toContain('answer 2')
  expect(describeContents(summary)).toContain('cut here: 2 later events')
})

test('a transcript over its bound is cut, and its events stay in the data', async () => {
  const { html, summary } = await pageOf(ANSWERS, { data: 100_000, transcript: 1500 })
  expect(html).toContain('cut here: 2 later events are only in the data of this page')
  expect(html.match(/answer 3/g)).toHaveLength(1)
  expect(summary.bytes).toBe(Buffer.byteLength(html))
})

test('a call and its result are one row, with the tool, the outcome, the size and the time in the zone', async () => {
  const { html } = await pageOf([
    call(1, 'a', 'Bash', { command: 'npm test' }),
    call(2, 'b', 'Read', { file_path: '/app/src/a.ts' }),
    result(3, 'a', { output: 'Exit code 1\n2 failed', is_error: true }, { duration_ms: 2100 }),
    result(4, 'b', { output: 'one\ntwo' }),
    call(5, 'c', 'Glob', { pattern: '*.ts' }),
  ])
  const rows = html
    .match(/<details class="row tool"[^]*?<\/summary>/g)
    ?.map((row) => textFrom(row, '<summary>', '</summary>'))
  expect(rows).toEqual([
    'Bash npm test exit 1 1 line ✗ failed 2.1 s 15:30:01',
    'Read src/a.ts 2 lines ✓ ok 15:30:02',
    'Glob *.ts no result 15:30:05',
  ])
  expect(html).toContain('times in Asia/Kolkata (UTC+5:30)')
  expect(textFrom(html, '<h2>What failed</h2>', '</section>')).toBe(
    'Call Error Bash npm test turn 1 2 failed the same call did not pass later 1 tool call without a recorded result may have failed.',
  )
})

test('an edit shows its lines with their numbers, and counts them for its file', async () => {
  const hunk = { oldStart: 7, newStart: 7, lines: [' a', '-b', '+c', '+d'] }
  const { html } = await pageOf([
    call(1, 'a', 'Edit', { file_path: '/app/a.ts', old_string: 'b', new_string: 'c\nd' }),
    result(2, 'a', { detail: { filePath: '/app/a.ts', structuredPatch: [hunk] } }),
  ])
  expect(html).toContain(
    '<span data-line="7"> a</span>\n<del data-line="8">-b</del>\n<ins data-line="8">+c</ins>\n<ins data-line="9">+d</ins>',
  )
  expect(textFrom(html, '<h2>Files changed</h2>', '</section>')).toBe('File Edits Lines a.ts 1 +2 −1')
})

test('a page made from a transcript says that its figures are lower bounds, one of a recording does not', async () => {
  const facts = { source: 'transcript' } as const
  expect((await pageOf(ANSWERS, ROOMY, facts)).html).toContain('cost and tokens are at least this')
  expect((await pageOf(ANSWERS)).html).not.toContain('at least this')
})

test('thinking is Markdown, as in the window', async () => {
  const { html } = await pageOf([event(1, { text: '## Plan\n\n- use **cents**' }, { kind: 'thinking' })])
  expect(html).toContain('<h4 dir="auto">Plan</h4>')
  expect(html).toContain('<strong>cents</strong>')
})

test('a line like the address of a link is shown, and a list keeps its numbers', async () => {
  const { html } = await pageOf([event(1, { text: '[key]: value\n\n2. two\n5. five' })])
  expect(html).toContain('<p>[key]: value</p>')
  expect(html).toContain('<ol start="2"><li value="2">')
  expect(html).toContain('<li value="5">')
})

test('the code of a diff has colors, and stays text', async () => {
  const edit = { file_path: '/app/a.ts', old_string: 'x', new_string: 'const a = "<b>" // </pre>' }
  const { html } = await pageOf([call(1, 'a', 'Edit', edit), result(2, 'a', { output: 'ok' })])
  expect(html).toContain('<b class="syn-keyword">const</b>')
  expect(html).toContain('<b class="syn-comment">// &lt;/pre&gt;</b></ins>')
  expect(html).not.toContain('"<b>"')
  const long = { file_path: '/app/a.ts', old_string: 'x', new_string: 'a=/['.repeat(300) }
  expect((await pageOf([call(1, 'a', 'Edit', long), result(2, 'a', { output: 'ok' })])).html).not.toContain('"syn-')
})

test('an agent has its name, and its rows in it, also agents that started each other', async () => {
  const agent = (agent_id: string, call_id: string, description: string) => ({
    agent_id,
    call_id,
    description,
    agent_type: 'Explore',
    tool_calls: 1,
    cost_usd: 0.5,
    success: true,
    started_at: '2026-05-01T10:00:01.000Z',
    ended_at: '2026-05-01T10:00:03.000Z',
  })
  const task = { description: 'Look', prompt: 'Look at it', subagent_type: 'Explore' }
  const agents = [agent('x', 'a', 'Find <it>'), agent('y', 'c', 'One'), agent('z', 'b', 'Other')]
  const { html } = await pageOf(
    [
      event(0, { text: 'Do it\nnow' }, { kind: 'user_prompt' }),
      call(1, 'a', 'Task', task),
      event(2, { text: 'found' }, { agent_id: 'x' }),
      call(5, 'd', 'Bash', { command: 'make' }, { agent_id: 'x' }),
      result(6, 'd', { output: 'No rule', is_error: true }, { agent_id: 'x' }),
      call(3, 'b', 'Task', task, { agent_id: 'y' }),
      call(4, 'c', 'Task', task, { agent_id: 'z' }),
    ],
    ROOMY,
    { agents },
  )
  expect(textFrom(html, 'id="agent-x"><summary>', '</summary>')).toBe(
    'Find &lt;it&gt; Explore · 1 tool call · $0.50 ✓ ok 2.0 s 15:30:01',
  )
  expect(textFrom(html, 'id="agent-x">', '</details>')).toContain('found')
  for (const id of ['x', 'y', 'z']) expect(html.split(`id="agent-${id}"`)).toHaveLength(2)
  expect(textFrom(html, '<h2>What agents answered</h2>', '</section>')).toBe(
    'Agent Answer Find &lt;it&gt; $0.50 found One $0.50 no answer recorded Other $0.50 no answer recorded',
  )
  expect(textFrom(html, '<h2>What failed</h2>', '</section>')).toContain('Bash make turn 1 , Find &lt;it&gt; No rule')
  expect(textFrom(html, '<h2>Outline</h2>', '</nav>')).toBe('Do it now 15:30:00 Find &lt;it&gt; One Other')
})

test('each model and each turn has its cost, and each turn a bar in time', async () => {
  const tokens = { input_tokens: 30, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 3 }
  const turn = (turn_id: number, from: number, to: number, cost_usd: number | null) => ({
    turn_id,
    began_at: `2026-05-01T10:00:0${from}.000Z`,
    ended_at: `2026-05-01T10:00:0${to}.000Z`,
    calls: 2,
    tokens: 33,
    cost_usd,
    api_errors: 0,
    failed_tools: 0,
  })
  const { html } = await pageOf([event(1, { text: 'Hi' }, { kind: 'user_prompt' })], ROOMY, {
    models: [
      { model: 'claude-opus-9', calls: 2, ...tokens, cost_usd: 1.5, unpriced_calls: 0 },
      { model: 'claude-haiku-9', calls: 1, ...tokens, cost_usd: 0.0144, unpriced_calls: 0 },
      { model: 'own', calls: 1, ...tokens, cost_usd: 0, unpriced_calls: 1 },
    ],
    turns: [turn(1, 1, 2, 0.25), turn(2, 3, 5, null)],
  })
  expect(textFrom(html, '<h2>Cost by model</h2>', '</section>')).toContain(
    'opus-9 2 30 0 0 3 $1.50 haiku-9 1 30 0 0 3 $0.01 own 1 30 0 0 3 unknown',
  )
  expect(textFrom(html, '<h2>Cost by turn</h2>', '</section>')).toContain(
    '1 Hi 2 33 1.0 s $0.25 2 no prompt 2 33 2.0 s unknown',
  )
  const bars = [...html.matchAll(/<rect x="([\d.]+)" y="4" width="([\d.]+)"/g)].map(([, x, width]) => [x, width])
  expect(bars).toEqual([
    ['0.0', '250'],
    ['500.0', '500'],
  ])
  const many = Array.from({ length: 13 }, (_, at) => turn(at + 1, 1, 2, at === 3 ? 0.9 : 0.1))
  expect((await pageOf([], ROOMY, { turns: many })).html).toContain('13 turns, most in turn 4: $0.90</span>')
})

test('Markdown is formatted; its links and images are only named, and deep or hidden text stays readable', async () => {
  const { html } = await pageOf([
    event(1, {
      text: '| a | b |\n|---|--:|\n| **x** | 1 |\n\n1. [site](https://x.org) ![pic](y.png)\n2. <b onclick=x>',
    }),
    event(2, { text: `${'> '.repeat(5000)}deep \u202etxt` }),
  ])
  expect(html).toContain('<td><strong>x</strong></td><td class="number">1</td>')
  expect(html).toContain('site <span class="address">(https://x.org)</span> <span class="address">[image: pic]</span>')
  expect(html).toContain('&lt;b onclick=x&gt;')
  expect(html).toContain('deep [U+202E]txt')
  expect(html).not.toMatch(/<(?:b|img) (?!class="name")/)
})

test('files, folders and images count once', async () => {
  const [first, second] = ['/home/ann/one', '/home/ann/two']
  const edits = [first, second].map((folder) => ({ file_path: `${folder}/a.ts` }))
  const media = [
    { kind: 'image', media_type: 'image/png', bytes: 10, hash: 'x' },
    { kind: 'image', media_type: 'image/jpeg', bytes: 2100, hash: 'y' },
  ]
  const { html, summary } = await pageOf([
    event(2, {}, { kind: 'api_usage', project: second }),
    call(4, 'a', 'Other', { file_path: `${first}/a.ts`, edits }, { project: first }),
    event(5, { text: 'look', media }, { kind: 'user_prompt', project: first }),
  ])
  expect(describeContents(summary)).toContain('paths of 2 files in 2 folders, and notes on 2 images')
  // Of use to a reader: the hash is for an import, which reads the events.
  for (const said of ['PNG, 10 bytes', 'JPEG, 2.1 kB'])
    expect(html).toContain(`<p class="cut">Image not kept: ${said}</p>`)
})

test('a page has the colors of the window that it uses, light and dark', () => {
  const style = pageStyle(fileURLToPath(new URL('page.css', import.meta.url)))
  const used = new Set(Array.from(style.matchAll(/var\((--[\w-]+)\)/g), ([, name]) => name))
  const [light = '', dark = ''] = style.split(/(?=:root \{)/)
  for (const rule of [light, dark]) {
    const colors = rule.split('}')[0] ?? ''
    expect(new Set(Array.from(colors.matchAll(/(--[\w-]+): #\w+;/g), ([, name]) => name))).toEqual(used)
  }
  expect([light, dark].map((rule) => rule.match(/color-scheme: (\w+)/)?.[1])).toEqual(['light', 'dark'])
  expect(used.size).toBeGreaterThan(15)
})

test('a file that was deleted later says so', async () => {
  const write = (at: number, id: string, file_path: string, content: string) => [
    call(at, id, 'Write', { file_path, content }),
    result(at + 1, id, {}),
  ]
  const items = [...write(1, 'a', '/app/kept.md', 'a\n'.repeat(5000)), ...write(3, 'b', '/app/gone.md', 'a')]
  const files = [
    { path: '/app/kept.md', state: 'whole' },
    { path: '/app/gone.md', state: 'deleted' },
  ]
  const { html } = await pageOf(items, ROOMY, { files })
  expect(textFrom(html, '<h2>Files changed</h2>', '</section>')).toBe(
    'File Edits Lines kept.md 1 +5,000 gone.md then deleted 1 +1',
  )
})

test('what another source knows of an event is on the page: the lines of an edit, and who compacted', async () => {
  const patch = { filePath: '/app/a.ts', structuredPatch: [{ oldStart: 7, newStart: 7, lines: ['-b', '+c'] }] }
  const knows = (payload: object) => [{ source: 'transcript', session_id: 's', seen_at: '', payload }] as never
  const edit = call(1, 'a', 'Edit', { file_path: '/app/a.ts', old_string: 'b', new_string: 'c' })
  const summary = event(3, { trigger: 'unknown', summary: 'All.', tokens_before: 9 }, { kind: 'compaction' })
  const { html } = await pageOf([
    edit,
    { ...result(2, 'a', {}), sightings: knows({ detail: patch }) },
    { ...summary, sightings: knows({ trigger: 'manual' }) },
  ])
  expect(html).toContain('<del data-line="7">-b</del>')
  expect(html).toContain('Context compacted on request')
})

test('a compaction follows the command that asked for it, whose turn came later', async () => {
  const asked = (at: number, turn_id: number, text: string) => event(at, { text }, { kind: 'user_prompt', turn_id })
  const { html } = await pageOf([
    asked(1, 1, 'Go'),
    asked(2, 2, '/compact'),
    event(3, { trigger: 'manual', summary: 'All.', tokens_before: 9 }, { kind: 'compaction', turn_id: 1 }),
    asked(4, 3, 'On'),
  ])
  const [, link = ''] = /<a href="#([^"]*)" class="compaction">/.exec(html) ?? []
  expect(html).toContain(`<details class="row compaction" id="${link}">`)
  const transcript = textFrom(html, '<h2>Transcript</h2>', '<footer>')
  expect(transcript).toMatch(/Go .*\/compact Context compacted on request .*On/)
})
