import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAnchorFinder } from './anchor-finder.ts'

const ANCHORS = ['sk-', 'sk-ant-', 'e.', '-----BEGIN', 'KEY', 'aKEY']

test('finds what one expression of all anchors finds, the longest first, wherever it stands', () => {
  const find = createAnchorFinder(ANCHORS)
  const pattern = /-----BEGIN|sk-ant-|aKEY|sk-|KEY|e\./g
  const piece = fc.oneof(fc.constantFrom(...ANCHORS, 's', 'sk', '-', 'é', 'ó', 'K', 'KE', '\u{1f511}'), fc.string())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(20), (pieces, from) => {
      const text = pieces.join('')
      pattern.lastIndex = from
      const hit = pattern.exec(text)
      expect(find(text, from)).toEqual(hit === null ? null : { index: hit.index, anchor: hit[0] })
    }),
  )
})
