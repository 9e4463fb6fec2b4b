import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { bareLine, parseJson, parseWellFormed } from './json-access.ts'

test('a line loses its byte order mark and its end, and nothing else', () => {
  const pieces = array(constantFrom('\uFEFF', '\r', '\n', ' ', 'a'), { maxLength: 6 })
  assert(
    property(pieces, (parts) => {
      const line = parts.join('')
      expect(bareLine(line)).toBe(line.replace(/^\uFEFF/, '').replace(/\r?\n?$/, ''))
    }),
  )
})

test('the shortest JSON that is nested too deep is cut, and the deepest that is allowed stays', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  expect(JSON.stringify(parseJson(nested(400)))).toBe(nested(400))
  expect(JSON.stringify(parseJson(nested(401)))).toContain('nested deeper than')
})

test('half of a surrogate pair is replaced, wherever JSON escapes it', () => {
  expect(parseWellFormed(String.raw`{"a":["\uD83D"],"\udc00":"\u0041 😀"}`)).toEqual({
    a: ['\uFFFD'],
    '\uFFFD': 'A 😀',
  })
})
