import { expect, test } from 'vitest'
import type { OperationOutput } from '../../../src/shared/contract/index.ts'
import { readStore } from '../../support/store/read-store.ts'
import { draftOf } from '../../support/store/seeded-store.ts'

let clock = Date.parse('2026-10-01T08:00:00Z')
const next = (uuid: string) => ({ at: new Date((clock += 60_000)).toISOString(), uuid, keys: [uuid] })
const call = (uuid: string, tool: string, path: string, change = {}) =>
  draftOf(
    'tool_call',
    { call_id: uuid, tool_name: tool, input: { file_path: path, ...change }, message_id: null, index: 0 },
    next(uuid),
  )
const compaction = (uuid: string, summary: string) =>
  draftOf('compaction', { trigger: 'auto', summary, tokens_before: null, tokens_after: null }, next(uuid))

test('files that a summary does not name are listed once, with whether they were edited', () => {
  using store = readStore([
    call('c0', 'Read', '/work/app/before.ts'),
    compaction('first', 'We began.'),
    call('c1', 'Read', '/work/app/total.ts'),
    call('c2', 'Read', '/work/app/named.ts'),
    call('c3', 'Edit', '/work/app/total.ts', { old_string: 'a', new_string: 'b' }),
    call('c4', 'Read', '/work/app/notes.md'),
    compaction('second', 'The user asked about named.ts.'),
    call('c5', 'Read', '/work/app/after.ts'),
  ])
  const dropped = store.call<OperationOutput<'compactions.dropped'>>('compactions.dropped', { uuid: 'second' })
  expect(dropped.files.map(({ path, edited, uuid }) => [path, edited, uuid])).toEqual([
    ['/work/app/notes.md', false, 'c4'],
    ['/work/app/total.ts', true, 'c3'],
  ])
  expect(dropped.outputs).toEqual([])
  expect(dropped.summary).toBe('The user asked about named.ts.')
})

const outcome = (of: string, output: string | { type: string; text: string }[]) =>
  draftOf(
    'tool_result',
    { call_id: of, tool_name: null, output, is_error: false, rejected: false },
    next(`${of}-result`),
  )
const command = (uuid: string, line: string) =>
  draftOf(
    'tool_call',
    { call_id: uuid, tool_name: 'Bash', input: { command: line }, message_id: null, index: 0 },
    next(uuid),
  )

test('outputs that a summary does not have are listed with their tool, its target and their first line', () => {
  using store = readStore([
    command('t1', 'npm test -- money'),
    outcome('t1', '\n2 failed, 40 passed\n  expected 5 to be 6'),
    command('t2', 'git status --short'),
    outcome('t2', ' M src/total.ts'),
    command('t3', 'true'),
    outcome('t3', ''),
    command('t4', 'cat "long"'),
    outcome('t4', [{ type: 'text', text: `a "quoted" \\ line\n${'x'.repeat(900)}` }]),
    compaction('last', 'The tree: M src/total.ts.'),
  ])
  const dropped = store.call<OperationOutput<'compactions.dropped'>>('compactions.dropped', { uuid: 'last' })
  expect(dropped.outputs.map(({ uuid, tool, target, first_line }) => [uuid, tool, target, first_line])).toEqual([
    ['t4', 'Bash', 'cat "long"', 'a "quoted" \\ line'],
    ['t1', 'Bash', 'npm test -- money', '2 failed, 40 passed'],
  ])
  // A pack gets what the call returned, not what was called.
  const uuids = dropped.outputs.map(({ result_uuid }) => result_uuid)
  const { text } = store.call<OperationOutput<'recall.pack'>>('recall.pack', { uuids })
  expect(text).toContain('2 failed, 40 passed')
})
