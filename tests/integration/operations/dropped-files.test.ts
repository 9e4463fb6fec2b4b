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
  expect(dropped.summary).toBe('The user asked about named.ts.')
})
