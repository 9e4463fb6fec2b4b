import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAnchorFinder } from './anchor-finder.ts'

const ANCHORS = ['sk-', 'sk-ant-', 'e.', '-----BEGIN', 'KEY', 'aKEY']

test('finds the same anchors as one alternation of all of them, longest first', () => {
  const finder = createAnchorFinder(ANCHORS)
  // A two-character anchor counts only before certain characters, or at the end.
  const pattern = /-----BEGIN|sk-ant-|aKEY|sk-|KEY|e\.(?![^\w-])/g
  const piece = fc.oneof(fc.constantFrom(...ANCHORS, 's', 'sk', '-', 'é', 'ó', 'K', 'KE', '\u{1f511}'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(20), (pieces, from) => {
      const text = pieces.join('')
      pattern.lastIndex = from
      const hit = pattern.exec(text)
      const found = finder.next(text, from)
      expect(found).toBe(hit?.index ?? -1)
      expect(finder.at(text, found)).toBe(hit?.[0] ?? null)
      expect(finder.next(text, from, 5)).toBe(hit !== null && hit.index < 5 ? hit.index : -1)
    }),
  )
})
