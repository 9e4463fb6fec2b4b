import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffLines, numberLines } from './line-diff.ts'

test('a diff contains both texts', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 6 })
    .map((lines) => lines.join('\n'))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after)
      const side = (other: string) => lines.filter((line) => line.kind !== other).map((line) => line.text)
      expect(side('added').join('\n')).toBe(before)
      expect(side('removed').join('\n')).toBe(after)
    }),
  )
})

test('a numbered diff counts each side and pairs a line with the one it replaces', () => {
  expect(numberLines(diffLines('a\nb\nc', 'a\nB\nc\nd'), 10)).toEqual([
    { kind: 'same', text: 'a', old: 10, next: 10, replaces: null },
    { kind: 'removed', text: 'b', old: 11, next: null, replaces: 'B' },
    { kind: 'added', text: 'B', old: null, next: 11, replaces: 'b' },
    { kind: 'same', text: 'c', old: 12, next: 12, replaces: null },
    { kind: 'added', text: 'd', old: null, next: 13, replaces: null },
  ])
})
