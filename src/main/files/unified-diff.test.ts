import { expect, test } from 'vitest'
import { unifiedDiff } from './unified-diff.ts'

const text = (lines: readonly (number | string)[]) => lines.join('\n')
const numbers = Array.from({ length: 30 }, (_, at) => at + 1)

test('changes are written with three lines around them, near ones together', () => {
  const after = numbers.flatMap((number): (number | string)[] =>
    number === 5 ? ['five'] : number === 9 ? [] : number === 25 ? [25, 'x'] : [number],
  )
  expect(
    unifiedDiff(text(numbers), text(after))
      .replaceAll('\n', '|')
      .split(/\|(?=@@)/),
  ).toEqual([
    '@@ -2,11 +2,10 @@| 2| 3| 4|-5|+five| 6| 7| 8|-9| 10| 11| 12',
    '@@ -23,6 +22,7 @@| 23| 24| 25|+x| 26| 27| 28',
  ])
})

test('equal texts have no changes, and a new text is all added', () => {
  expect([unifiedDiff('a', 'a'), unifiedDiff('', 'a\nb\n')]).toEqual(['', '@@ -0,0 +1,2 @@\n+a\n+b'])
  expect(unifiedDiff('a\n', 'a')).toBe('@@ -1,2 +1,1 @@\n a\n-')
})
