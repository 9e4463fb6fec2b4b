import { expect, test } from 'vitest'
import { countLines } from './change-lines.ts'
import { diffOf, sideBySide } from './diff-rows.ts'

const text = (count: number, change: (line: string, at: number) => string = (line) => line) =>
  Array.from({ length: count }, (_, at) => change(`line ${at + 1}`, at + 1)).join('\n')

test('unchanged lines far from a change are folded, three are kept on each side', () => {
  const diff = diffOf(
    [{ kind: 'replaced', before: text(20), after: text(20, (line, at) => (at === 10 ? 'new' : line)) }],
    false,
  )
  expect(diff).toMatchObject({ added: 1, removed: 1, isNumbered: false })
  expect(diff.rows.map((row) => (row.kind === 'fold' ? row.lines.length : row.kind))).toEqual([
    6,
    ...Array.from({ length: 8 }, () => 'line'),
    7,
  ])
})

test('the lines of a recorded hunk have the numbers of the file', () => {
  const parts = [
    { kind: 'lines' as const, text: ' a\n-b\n+c\n+d\n e\n\\ No newline at end of file', oldStart: 40, newStart: 42 },
    { kind: 'lines' as const, text: '+z', oldStart: 90, newStart: 93 },
  ]
  const diff = diffOf(parts, false)
  const numbers = diff.rows.map((row) => (row.kind === 'line' ? [row.line.old, row.line.next] : row.kind))
  expect(numbers).toEqual([[40, 42], [41, null], [null, 43], [null, 44], [42, 45], 'gap', [null, 93]])
  expect(diff).toMatchObject({ added: 3, removed: 1, isNumbered: true })
  expect(countLines(parts)).toEqual({ added: 3, removed: 1 })
})

test('a file that is written as a whole is numbered from its first line', () => {
  const diff = diffOf([{ kind: 'replaced', before: '', after: 'a\nb\n' }], true)
  expect(diff).toMatchObject({ added: 2, removed: 0, isNumbered: true })
})

test('side by side, a removed line is beside the added one that follows it', () => {
  const { rows } = diffOf([{ kind: 'lines', text: ' a\n-b\n-c\n+d\n e' }], false)
  const lines = rows.flatMap((row) => (row.kind === 'line' ? [row.line] : []))
  expect(sideBySide(lines).map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ['a', 'a'],
    ['b', 'd'],
    ['c', null],
    ['e', 'e'],
  ])
})
