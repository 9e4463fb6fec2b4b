import { expect, test } from 'vitest'
import type { AspyEvent } from '../../../../shared/event.ts'
import { fileHistories } from './file-history.ts'
import { netChange } from './net-change.ts'

const call = (turn: number, input: object) =>
  ({
    uuid: `${turn}`,
    turn_id: turn,
    kind: 'tool_call',
    payload: { call_id: `${turn}`, tool_name: 'Edit', input },
  }) as unknown as AspyEvent<'tool_call'>

/** The net change of the tools' inputs, one input per turn. */
function net(inputs: readonly object[], isNew = false) {
  const calls = inputs.map((input, at) => call(at + 1, { file_path: '/a.ts', ...input }))
  const [file] = fileHistories(calls, new Set())
  if (file === undefined) throw new Error('nothing was changed')
  const { change, unknown } = netChange(file.path, file.edits, isNew)
  const parts = change.parts.map((part) => (part.kind === 'replaced' ? [part.before, part.after] : []))
  return { change: change.change, parts, unknown }
}
const edit = (old_string: string, new_string: string, more: object = {}) => ({ old_string, new_string, ...more })

test('an edit of what another one wrote is merged with it, and what was undone is gone', () => {
  expect(net([edit('one', 'two'), edit('two', 'three')])).toEqual({
    change: 'update',
    parts: [['one', 'three']],
    unknown: ['Only lines that an edit names are known. The others were never recorded.'],
  })
  expect(net([edit('a', 'b'), edit('x', 'y'), edit('b', 'a')]).parts).toEqual([['x', 'y']])
})

test('edits that share lines are one change, with the lines around it', () => {
  const below = net([edit('const a = 1', 'const a = 2'), edit('const a = 2\nconst b = 1', 'const a = 2\nconst b = 2')])
  expect(below.parts).toEqual([['const a = 1\nconst b = 1', 'const a = 2\nconst b = 2']])
  const above = net([edit('const b = 1', 'const b = 2'), edit('const a = 1\nconst b = 2', 'const b = 2')])
  expect(above.parts).toEqual([['const a = 1\nconst b = 1', 'const b = 2']])
  // An empty line does not identify a position.
  expect(net([edit('a\n', 'b\n'), edit('\nc', '\nd')]).parts).toEqual([
    ['a\n', 'b\n'],
    ['\nc', '\nd'],
  ])
})

test('from a file that was created, the net change is its last text', () => {
  const made = [{ content: 'one\ntwo\none\n' }, edit('two', '$& kept'), edit('one', '1', { replace_all: true })]
  expect(net(made, true)).toEqual({ change: 'add', parts: [['', '1\n$& kept\n1\n']], unknown: [] })
  expect(net(made).unknown).toEqual(['Turn 1 wrote the whole file. What it held before is not recorded.'])
})

test('what was changed by something else, or written over, is said', () => {
  const changed = net([{ content: 'one' }, edit('formatted', 'two')], true)
  expect(changed.parts).toEqual([
    ['', 'one'],
    ['formatted', 'two'],
  ])
  expect(changed.unknown).toEqual([
    'The text that turn 2 changed is not in any earlier edit: something else changed the file.',
  ])
  const over = net([edit('one', 'two'), { content: 'new' }])
  expect([over.change, over.parts]).toEqual(['write', [['', 'new']]])
  expect(over.unknown).toEqual(['Turn 2 wrote the whole file, so what earlier edits left of it is not known.'])
})

test('patches of Codex are joined like edits, and a deleted file is deleted', () => {
  const patch = (lines: string) => ({ input: `*** Begin Patch\n*** Update File: /a.ts\n@@\n${lines}\n*** End Patch` })
  expect(net([patch(' same\n-old\n+new'), patch(' same\n-new\n+newer')]).parts).toEqual([['same\nold', 'same\nnewer']])
  const gone = net([edit('one', 'two'), { input: '*** Begin Patch\n*** Delete File: /a.ts\n*** End Patch' }])
  expect([gone.change, gone.parts]).toEqual(['delete', []])
  expect(gone.unknown).toEqual(['The file was deleted. Its lines are only known as far as edits name them.'])
})
