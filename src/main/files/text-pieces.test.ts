import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { piecesOf, placesIn } from './text-pieces.ts'

/** Finds the places of a text one after the other. */
function naive(text: string, wanted: string, step: number): number[] {
  const places: number[] = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) places.push(at)
  return places
}

const SHORT_LINES = (max: number) => fc.array(fc.constantFrom('a', 'b', 'ab', '\n'), { maxLength: max })

test('a text in pieces is the text, and what is looked for is found where it is, across pieces too', () => {
  fc.assert(
    fc.property(SHORT_LINES(60), SHORT_LINES(12), fc.integer({ min: 1, max: 9 }), (all, some, length) => {
      const [text, wanted] = [all.join(''), some.join('') || 'a']
      const pieces = piecesOf(text, length)
      expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      expect(pieces.slice(0, -1).every((piece) => piece.text.endsWith('\n'))).toBe(true)
      expect(placesIn(pieces, wanted, Infinity, true)).toEqual(naive(text, wanted, 1))
      expect(placesIn(pieces, wanted, Infinity, false)).toEqual(naive(text, wanted, wanted.length))
      expect(placesIn(pieces, wanted, 2, true)).toEqual(naive(text, wanted, 1).slice(0, 2))
    }),
    { numRuns: 500 },
  )
})
