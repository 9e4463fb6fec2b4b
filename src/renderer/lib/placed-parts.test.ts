import { expect, test } from 'vitest'
import { placeParts } from './placed-parts.ts'

const file = ['one', 'two', 'three', 'const limit = 20', 'five', 'six', 'seven', 'eight', 'nine']
const replaced = (before: string, after: string) => ({ kind: 'replaced', before, after }) as const

test('numbers a replacement inside of a line, as whole lines with three around it', () => {
  expect(placeParts([replaced('10', '20')], file)).toEqual([
    {
      kind: 'lines',
      oldStart: 1,
      newStart: 1,
      text: ' one\n two\n three\n-const limit = 10\n+const limit = 20\n five\n six\n seven',
    },
  ])
})

test('lines that came above a second replacement are not in its old number', () => {
  const parts = placeParts([replaced('2', 'two\nthree'), replaced('VIII', 'eight')], file)
  expect(parts).toMatchObject([
    { oldStart: 1, newStart: 1, text: ' one\n-2\n+two\n+three\n const limit = 20\n five\n six' },
    { oldStart: 4, newStart: 5, text: ' five\n six\n seven\n-VIII\n+eight\n nine' },
  ])
})

test('stops at lines that are not recorded, and leaves what is not there once as it is', () => {
  const holes = ['one', null, 'three', 'four', null]
  expect(placeParts([replaced('IV', 'four')], holes)).toMatchObject([{ newStart: 3, text: ' three\n-IV\n+four' }])
  const kept = [replaced('x', 'e'), replaced('x', 'elsewhere'), replaced('one', '')]
  expect(placeParts(kept, file)).toEqual(kept)
})

test('the last break of a file is not a line of its own', () => {
  const written = placeParts([replaced('', 'one\ntwo\n')], ['one', 'two', ''])
  expect(written).toEqual([{ kind: 'lines', oldStart: 1, newStart: 1, text: '+one\n+two' }])
})
