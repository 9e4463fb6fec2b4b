import { expect, test } from 'vitest'
import { blamedLines } from './blame.ts'

const ITEM = { cause: null, prompt: null, prompt_text: null, model: null, ts_wall: null, cost_usd: null }

/** A file of two lines that a call wrote and another deleted. */
const deleted = (...texts: string[]) =>
  ({
    path: '/work/plan.md',
    state: 'absent',
    doubted_since: null,
    partial: false,
    items: texts.map((text, at) => ({ ...ITEM, line: at + 1, text, origin: 'proven', event: 'write' })),
  }) as unknown as Parameters<typeof blamedLines>[1]

test('a deleted file that is back with the same text has its lines from the record', () => {
  const lines = blamedLines('# Plan\nShip on Friday.\n', deleted('# Plan', 'Ship on Friday.', ''))
  expect(lines.map(({ origin, event }) => [origin, event])).toEqual([
    ['proven', 'write'],
    ['proven', 'write'],
    ['proven', 'write'],
  ])
})

test('who brought it back with another text may have written all of it', () => {
  const lines = blamedLines('# Plan\nShip on Monday.\n', deleted('# Plan', 'Ship on Friday.', ''))
  expect(lines.map(({ origin }) => origin)).toEqual(['unknown', 'unknown', 'unknown'])
})
