import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AnyDraft } from '../../../src/main/decode/draft.ts'
import { FILE_RESTORED } from '../../../src/shared/own-deed.ts'
import { gitPatch } from '../../../src/main/files/git-patch.ts'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import type { Json } from '../../../src/shared/json.ts'
import { temporaryFolder } from '../../support/store/folder.ts'
import { openedStore, type ReadStore } from '../../support/store/read-store.ts'
import { draftOf, fillStore } from '../../support/store/seeded-store.ts'
import Database from 'better-sqlite3'

interface Called {
  readonly tool: string
  readonly input: Json
  readonly output?: string
  readonly session?: string
  readonly source?: 'wire'
}

/** Calls of sessions in `/work/shop`, one a minute, each with its result. */
function recorded(calls: readonly Called[], change = '', others: readonly AnyDraft[] = []): ReadStore {
  const drafts = calls.flatMap(({ tool, input, output = 'done', session = 's1', source }, index): AnyDraft[] => {
    const call_id = `c${index + 1}`
    const at = (second: number) => new Date(Date.UTC(2026, 10, 20, 10, index, second)).toISOString()
    const more = { session_id: session, project: '/work/shop', ...(source === undefined ? {} : { source }) }
    return [
      draftOf('user_prompt', { text: `prompt ${index}` }, { at: at(0), keys: [`p${index}`], ...more }),
      draftOf(
        'tool_call',
        { call_id, tool_name: tool, message_id: 'm', index: 0, input },
        { at: at(1), uuid: `call${index + 1}`, keys: [`call:${call_id}`], ...more },
      ),
      draftOf(
        'tool_result',
        { call_id, tool_name: tool, output, is_error: false, rejected: false },
        { at: at(2), uuid: `result${index + 1}`, parents: [`call:${call_id}`], ...more },
      ),
    ]
  })
  const path = fillStore(temporaryFolder(), [...drafts, ...others])
  const db = new Database(path)
  db.exec(change)
  db.close()
  return openedStore(path, () => undefined)
}

const PRICE = '/work/shop/price.ts'
const long = Array.from({ length: 3000 }, (_, at) => `const price${at} = ${at}`).join('\n')
const CALLS: readonly Called[] = [
  { tool: 'Write', input: { file_path: '/work/shop/old.ts', content: 'const first\nb\n' } },
  { tool: 'Edit', input: { file_path: '/work/shop/old.ts', old_string: 'b', new_string: 'const second\nc' } },
  { tool: 'Bash', input: { command: 'mv old.ts price.ts' } },
  { tool: 'Write', input: { file_path: '/work/shop/other.ts', content: 'x' } },
  { tool: 'Bash', input: { command: 'git stash' }, session: 's2' },
  { tool: 'Read', input: { file_path: PRICE }, output: '1\tconst first\n2\tconst second\n3\td\n4\t' },
  { tool: 'Bash', input: { command: 'rm price.ts' } },
]

test('a file has the history of its earlier name, with what another session in its folder may have changed', () => {
  using store = recorded(CALLS)
  const { items, partial } = store.call<OperationOutput<'files.history'>>('files.history', { path: PRICE })
  expect(items.map(({ uuid, action, path, state, is_doubted }) => [uuid, action, path, state, is_doubted])).toEqual([
    ['call1', 'written', '/work/shop/old.ts', 'known', false],
    ['call2', 'changed', '/work/shop/old.ts', 'known', false],
    ['call3', 'moved', PRICE, 'known', false],
    ['call3', 'moved', '/work/shop/old.ts', 'absent', false],
    ['call5', 'doubted', PRICE, 'known', true],
    ['call6', 'shown', PRICE, 'known', false],
    ['call7', 'deleted', PRICE, 'absent', false],
  ])
  expect(partial).toBe(false)
})

test('the file after an event has that text, and each line says which call wrote or first showed it', () => {
  using store = recorded(CALLS)
  const at = (uuid?: string) => store.call<OperationOutput<'files.at'>>('files.at', { path: PRICE, uuid })
  const text = ({ lines }: OperationOutput<'files.at'>) => lines.map((line) => line.text).join('\n')
  expect([text(at('call3')), text(at('call6')), text(at('result6'))]).toEqual([
    'const first\nconst second\nc\n',
    'const first\nconst second\nd\n',
    'const first\nconst second\nd\n',
  ])
  expect(at('call6').lines.map(({ origin, event }) => [origin, event])).toEqual([
    ['proven', 'call1'],
    ['proven', 'call2'],
    ['unknown', 'call6'],
    // The rest behind the last line break: it may be anybody's.
    ['unknown', null],
  ])
  expect(at('call5')).toMatchObject({ state: 'known', doubted_since: 'call5', is_whole: true, holes: [] })
  expect(at('call1')).toMatchObject({ state: 'unknown', lines: [] })
  expect(at()).toMatchObject({ state: 'absent' })
  expect(() => at('no-event')).toThrow(/no-event/)
})

test('a file that Aspy restored has that in its history, and its lines their origins', () => {
  const copy = '/work/shop/price.ts.restored'
  const restored = (minute: number, to: { readonly [field: string]: string | null }) =>
    draftOf(
      'state_change',
      { name: FILE_RESTORED, to },
      { at: new Date(Date.UTC(2026, 10, 20, 11, minute)).toISOString(), uuid: `back${minute}`, source: 'api' },
    )
  using store = recorded(CALLS, '', [
    restored(1, { path: PRICE, out: PRICE, event: 'call3', kept: null }),
    restored(2, { path: PRICE, out: PRICE, event: 'call6', kept: `${PRICE}.before` }),
    restored(3, { path: PRICE, out: copy, event: 'call7', kept: null }),
  ])
  const eventsAt = (path: string, uuid?: string) => {
    const { state, doubted_since, lines } = store.call<OperationOutput<'files.at'>>('files.at', { path, uuid })
    return [state, doubted_since, ...lines.map(({ text, event }) => `${text} ${event}`)]
  }
  const then = ['known', null, 'const first call1', 'const second call2', 'c call2', ' call1']
  const later = ['known', null, 'const first call1', 'const second call2', 'd call6', ' null']
  expect([eventsAt(PRICE, 'back1'), eventsAt(PRICE), eventsAt(`${PRICE}.before`), eventsAt(copy)]).toEqual([
    then,
    later,
    then,
    later,
  ])
  const { items } = store.call<OperationOutput<'files.history'>>('files.history', { path: PRICE })
  // A restore is one step, of the file that was kept as well.
  expect(items.slice(-2).map(({ uuid, action, state, tool_name }) => [uuid, action, state, tool_name])).toEqual([
    ['back1', 'restored', 'known', 'Aspy'],
    ['back2', 'restored', 'known', 'Aspy'],
  ])
  const timeline = store.call<OperationOutput<'sessions.timeline'>>('sessions.timeline', { session_id: 's1' })
  expect(timeline.items.slice(-3).map(({ uuid }) => uuid)).toEqual(['back1', 'back2', 'back3'])
  const kept = store.call<OperationOutput<'files.history'>>('files.history', { path: `${PRICE}.before` }).items
  expect(kept.slice(-2).map(({ uuid, action, path }) => [uuid, action, path])).toEqual([
    ['back1', 'restored', PRICE],
    ['back2', 'moved', `${PRICE}.before`],
  ])
  // The session does not go on by it.
  using before = recorded(CALLS)
  const lastOf = (of: typeof store) =>
    of.call<OperationOutput<'sessions.list'>>('sessions.list', {}).items[0]?.last_event_at
  expect(lastOf(store)).toBe(lastOf(before))
})

test('a long text is whole, and a relative path is refused', () => {
  using store = recorded([{ tool: 'Write', input: { file_path: PRICE, content: long } }])
  const { lines } = store.call<OperationOutput<'files.at'>>('files.at', { path: PRICE })
  expect(lines.map(({ text }) => text).join('\n')).toBe(long)
  expect(() => store.call('files.at', { path: 'price.ts' })).toThrow(/whole path/)
})

test('blame leads from a line to the call, the prompt of its turn and the turn itself', () => {
  using store = recorded(CALLS)
  const answer = store.call<OperationOutput<'files.blame'>>('files.blame', { path: PRICE, until: 'call6' })
  expect(
    answer.items.map(({ line, text, event, prompt_text, turn_id }) => [line, text, event, prompt_text, turn_id]),
  ).toEqual([
    [1, 'const first', 'call1', 'prompt 0', 1],
    [2, 'const second', 'call2', 'prompt 1', 2],
    [3, 'd', 'call6', 'prompt 5', 5],
    [4, '', null, null, null],
  ])
  const one = store.call<OperationOutput<'files.blame'>>('files.blame', { path: PRICE, until: 'call6', line: 2 })
  const { text = '' } = store.call<OperationOutput<'files.blame'>>('files.blame', {
    path: PRICE,
    line: 2,
    as_text: true,
  })
  expect(text).toMatch(/^--- recalled [0-9a-f]{12} ---$/m)
  expect(text).toMatch(/^> 2: /m)
  expect(text).toMatch(/^> (?:proven|derived|seen) by call call\d/m)
  expect(text).toContain('1 of 4 lines of /work/shop/price.ts')
  expect(one.items).toMatchObject([{ line: 2, session_id: 's1', agent_id: null, model: null, cost_usd: 0 }])
  // Whether the record has the whole file, whatever part of it was asked for.
  expect([answer, one]).toMatchObject([
    { is_whole: true, line_count: 4 },
    { is_whole: true, line_count: 4 },
  ])
  using part = recorded([{ tool: 'Read', input: { file_path: PRICE, offset: 3, limit: 2 }, output: '3\tc\n4\td' }])
  expect(part.call('files.blame', { path: PRICE })).toMatchObject({ is_whole: false, line_count: 4 })
})

test('on a Mac, a file has the calls of both names of a folder for temporary files', () => {
  const [first, second] = ['/tmp/shop/price.ts', '/private/tmp/shop/price.ts']
  using store = recorded(
    [
      { tool: 'Write', input: { file_path: first, content: 'const first\nb\n' } },
      { tool: 'Edit', input: { file_path: second, old_string: 'b', new_string: 'const second' } },
      { tool: 'Bash', input: { command: 'make' } },
      { tool: 'Bash', input: { command: 'mv /private/tmp/shop /tmp/store' }, session: 's2' },
    ],
    "UPDATE sessions SET project = '/private/tmp/shop' WHERE id = 's1'",
  )
  const at = (path: string, uuid?: string) => {
    const { state, doubted_since: since, lines } = store.call<OperationOutput<'files.at'>>('files.at', { path, uuid })
    return [state, since, ...lines.map(({ text, event }) => `${text} ${event}`)]
  }
  const texts = ['const first call1', 'const second call2', ' call1']
  for (const path of [first, second]) {
    expect(at(path, 'call3')).toEqual(['known', 'call3', ...texts])
    expect(at(path)[0]).toBe('absent')
  }
  for (const path of ['/tmp/store/price.ts', '/private/tmp/store/price.ts']) expect(at(path).slice(2)).toEqual(texts)
})

test('a file that a command names from a folder that is not known is not that of the same name elsewhere', () => {
  const wire = (command: string): Called => ({ tool: 'Bash', input: { command }, source: 'wire' })
  using store = recorded([
    { tool: 'Write', input: { file_path: PRICE, content: 'const first\n' } },
    wire('cd sub && pwd'),
    // In another turn, the session may have been resumed.
    wire("echo 'const other' > price.ts"),
    wire('cd /work/shop/deep && rm price.ts'),
  ])
  const at = (path: string) => {
    const { state, doubted_since, lines } = store.call<OperationOutput<'files.at'>>('files.at', { path })
    return [state, doubted_since, lines.map(({ text }) => text)]
  }
  expect(at(PRICE)).toEqual(['known', 'call3', ['const first', '']])
  expect(at('/work/shop/sub/price.ts')[2]).toEqual([])
  expect(at('/work/shop/deep/price.ts')).toEqual(['absent', null, []])
})

test('after an update, until its calls are found by path, a file is said to be known in part', () => {
  using store = recorded(CALLS, "UPDATE metadata SET value = '105' WHERE key = 'projection_rules'")
  expect(store.call('files.history', { path: PRICE })).toMatchObject({ partial: true })
})

/** Has git apply a patch to files; returns their texts after it. */
function applied(files: Readonly<Record<string, string | null>>, patch: string): Record<string, string | null> {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    if (text !== null) writeFileSync(join(folder, name), text)
  }
  const { stderr, status } = spawnSync('git', ['apply', '--whitespace=nowarn', '-'], {
    cwd: folder,
    input: patch,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null)
  return Object.fromEntries(Object.keys(files).map((name) => [name, read(name)]))
}

test('git applies the patch of any change byte for byte', () => {
  const text = fc.option(
    fc
      .array(fc.constantFrom('a', '', ' b', '\tc', '@@ -1 +1 @@', '--- a/x', 'd\r', 'é'), { maxLength: 12 })
      .map((lines) => lines.join('\n')),
  )
  const names = fc.constantFrom('plain', 'two words', 'quo"te', 'é/deep')
  const changes = fc.array(fc.tuple(names, text, text), { minLength: 40, maxLength: 40 })
  fc.assert(
    fc.property(changes, (made) => {
      const named = made.map(([name, before, after], at) => [`${name}${at}`, before, after] as const)
      const patch = named.map((change) => gitPatch(...change)).join('')
      const before = Object.fromEntries(named.map(([name, old]) => [name, old]))
      expect(applied(before, patch)).toEqual(Object.fromEntries(named.map(([name, , next]) => [name, next])))
    }),
    { numRuns: 4, endOnFailure: true },
  )
})

test('the files that a session changed come with a patch that makes them of what was there before', () => {
  const file = (name: string) => ({ file_path: `/work/shop/${name}` })
  const shown = (text: string) =>
    text
      .split('\n')
      .map((line, at) => `${at + 1}\t${line}`)
      .join('\n')
  const before = { 'a b.ts': 'one\r\ntwo', 'gone.ts': 'x\n', 'old.ts': 'm\n', 'moved.ts': null, 'new.ts': null }
  using store = recorded([
    { tool: 'Write', input: { ...file('holes.ts'), content: 'k = [redacted:api-key:12ab]\nb\n' }, session: 's2' },
    ...Object.entries(before).flatMap(([name, text]): Called[] =>
      text === null ? [] : [{ tool: 'Read', input: file(name), output: shown(text) }],
    ),
    { tool: 'Edit', input: { ...file('a b.ts'), old_string: 'two', new_string: 'three' } },
    { tool: 'Bash', input: { command: 'rm gone.ts && mv old.ts moved.ts' } },
    { tool: 'Write', input: { ...file('new.ts'), content: 'n' }, output: 'File created successfully' },
    { tool: 'Edit', input: { ...file('holes.ts'), old_string: 'b', new_string: 'c' } },
    { tool: 'Write', input: { ...file('unknown.ts'), content: 'n' } },
    { tool: 'Write', input: { file_path: '/work/other.ts', content: 'n' }, output: 'File created successfully' },
    { tool: 'Edit', input: { ...file('a b.ts'), old_string: 'three', new_string: 'four' }, session: 's2' },
    { tool: 'Bash', input: { command: 'make' } },
  ])
  const tree = (uuid?: string) =>
    store.call<OperationOutput<'files.tree'>>('files.tree', { session_id: 's1', patch: true, uuid })
  const { folder, items } = tree('call10')
  const patch = items.map((item) => item.patch ?? '').join('')
  expect(folder).toBe('/work/shop')
  expect(applied(before, patch)).toEqual({
    'a b.ts': 'one\r\nthree',
    'gone.ts': null,
    'old.ts': null,
    'moved.ts': 'm\n',
    'new.ts': 'n',
  })
  expect(items.filter((item) => item.patch === null).map(({ path, state }) => [path, state])).toEqual([
    ['/work/other.ts', 'whole'],
    ['/work/shop/holes.ts', 'holes'],
    ['/work/shop/unknown.ts', 'whole'],
  ])
  const last = tree().items.find(({ path }) => path.endsWith('a b.ts'))
  expect(last).toMatchObject({ state: 'whole', doubted_since: 'call12' })
  // The state of the session itself, not that of the later one.
  expect(last?.patch).toContain('+three')
  expect(tree('call5').items.map(({ path }) => path)).toEqual(['/work/shop/a b.ts'])
  expect(() => store.call('files.tree', { session_id: 'none' })).toThrow(/none/)
})
