import { expect, test } from 'vitest'
import type { AspyEvent } from '../../../../shared/event.ts'
import { fileHistories } from './file-history.ts'

const call = (uuid: string, tool_name: string, input: object) =>
  ({ uuid, kind: 'tool_call', payload: { call_id: uuid, tool_name, input } }) as AspyEvent<'tool_call'>

test('edits of both clients are grouped by file in order, without calls that failed or edit nothing', () => {
  const patch = '*** Begin Patch\n*** Update File: /a.ts\n-x\n+y\n+z\n*** Delete File: /c.ts\n*** End Patch'
  const calls = [
    call('1', 'Write', { file_path: '/b.ts', content: 'one\ntwo\n' }),
    call('2', 'Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b' }),
    call('3', 'Bash', { command: 'rm /a.ts' }),
    call('4', 'Edit', { file_path: '/a.ts', old_string: 'gone', new_string: 'b' }),
    call('5', 'apply_patch', { input: patch }),
  ]
  const files = fileHistories(calls, new Set(['4']))
  expect(
    files.map(({ path, edits, added, removed }) => [path, edits.map((edit) => edit.call.uuid), added, removed]),
  ).toEqual([
    ['/b.ts', ['1'], 2, 0],
    ['/a.ts', ['2', '5'], 3, 2],
    ['/c.ts', ['5'], 0, 0],
  ])
})

test('a patch in a shell and a plain diff are edits', () => {
  const patch = "apply_patch <<'E'\n*** Begin Patch\n*** Update File: /a.ts\n-x\n+y\n*** End Patch\nE"
  const calls = [
    call('1', 'shell', { command: ['bash', '-lc', patch] }),
    call('2', 'edit', { path: '/a.ts', diff: '+z' }),
  ]
  expect(fileHistories(calls, new Set())).toMatchObject([{ path: '/a.ts', added: 2, removed: 1 }])
})
