import { expect, test } from 'vitest'
import { foldText, startOfMarkdown, withoutOpenSigns } from './folded-text.ts'

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join('\n')

test('a text of few lines is shown whole', () => {
  expect(foldText(lines(24))).toEqual({ start: lines(24), lines: 24, isCut: false })
})

test('a longer text shows its first 20 lines', () => {
  expect(foldText(lines(75))).toEqual({ start: lines(20), lines: 75, isCut: true })
})

test('one long line is cut as well', () => {
  expect(foldText('x'.repeat(100_000))).toEqual({ start: 'x'.repeat(8000), lines: 1, isCut: true })
})

test('the start of Markdown ends after its lines, or within one that is too long', () => {
  expect(startOfMarkdown('a\n\n- b\n- c', 3, 100)).toBe('a\n\n- b')
  expect(startOfMarkdown('a **b**', 3, 100)).toBe('a **b**')
  expect(startOfMarkdown('word '.repeat(50), 3, 20)).toBe('word word word word…')
  expect(withoutOpenSigns('a\n- **b** and `c…')).toBe('a\n- **b** and c…')
})

test.each([
  ['so **the whole matter** is', 'so the whole m…'],
  ['run `npm test -- all` now', 'run npm test --…'],
  ['**one** and **two more words**', '**one** and tw…'],
  ['see [here](https://a.b/long/path) now', 'see here…'],
  ['is 2 ** 10 more than 1000', 'is 2 ** 10 more…'],
  ['`a` and `b` and others, too', '`a` and `b` and…'],
])('no sign stays open where the Markdown %s is cut', (text, start) => {
  expect(startOfMarkdown(text, 5, 16)).toBe(start)
})
