import { expect, test } from 'vitest'
import { withWholeParts } from './tool-text-parts.ts'

/** Cuts a text as the view `tool_texts` does. */
const stored = (text: string): string => {
  const points = Array.from(text)
  return points.length > 4000 ? `${points.slice(0, 3000).join('')} … ${points.slice(-1000).join('')}` : text
}

test('a long text of lines is cut between lines', () => {
  const lines = Array.from({ length: 400 }, (_, at) => `test ${at} of src/files/file-${at}.ts passed`)
  const shown = withWholeParts(stored(lines.join('\n')))
  expect(shown.split('\n').filter((line) => !lines.includes(line))).toEqual(['…'])
  expect(shown).toMatch(/^test 0 of /)
  expect(shown).toMatch(/test 399 of .* passed$/)
})

test('a long line is cut between words, whatever they are made of', () => {
  const words = Array.from({ length: 1500 }, (_, at) => `wört😀${at}`)
  const shown = withWholeParts(stored(words.join(' ')))
  expect(shown.split(/\s/).filter((word) => !words.includes(word))).toEqual(['…'])
})

test.each([
  ['short', 'one two three'],
  ['long, but not cut', 'word '.repeat(1000).slice(0, 4003)],
  ['without blanks', stored('x'.repeat(9000)).replace(' … ', '\n…\n')],
])('a text that is %s stays as it is', (_, text) => {
  expect(withWholeParts(text)).toBe(text)
})
