import { expect, test } from 'vitest'
import type { ShapeBlock } from '../../shared/request-shape.ts'
import { changedBorders } from './block-borders.ts'

const blocksOf = (...texts: readonly string[]): readonly ShapeBlock[] =>
  texts.map((text) => ({ hash: text, kind: 'text', bytes: JSON.stringify({ type: 'text', text }).length }))

test.each([
  ['split', ['head', 'one and two'], ['head', 'one', ' and two'], '1 → 2'],
  ['joined', ['one', ' and two', 'end'], ['one and two', 'end'], '2 → 1'],
  ['joined with a line end', ['one', 'two'], ['one\ntwo'], '2 → 1'],
  ['another border', ['one and', ' two'], ['one', ' and two'], '2 → 2'],
])('the same text, %s', (_, before, now, blocks) => {
  expect(changedBorders(blocksOf(...before), blocksOf(...now))).toBe(
    `the same length of text in other blocks: ${blocks}`,
  )
})

test.each([
  ['equal', ['one', 'two'], ['one', 'two']],
  ['another text', ['one', 'two'], ['one', 'six']],
  ['a block more', ['one'], ['one', 'two']],
  ['other lengths', ['one', 'two'], ['one', 'twenty', 'two']],
])('not the same: %s', (_, before, now) => {
  expect(changedBorders(blocksOf(...before), blocksOf(...now))).toBeNull()
})
