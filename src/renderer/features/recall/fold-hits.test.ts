import { expect, test } from 'vitest'
import type { Hit } from '../../../shared/contract/recall.ts'
import { foldHits, shownHits } from './fold-hits.ts'

const hit = (uuid: string, content: string, type: Hit['match_type'] = 'user_prompt'): Hit => ({
  uuid,
  content,
  match_type: type,
  session_id: 's',
  turn_id: 1,
  timestamp: '2026-11-20T10:00:00.000Z',
  rank: 0,
  project: null,
  matched: [],
})

test('hits that differ only by numbers are one, in the order of the search', () => {
  const folds = foldHits(
    [
      hit('a', 'Prompt 164: what about a <mark>decimal</mark> library in total.test.ts? Please answer'),
      hit('b', 'We never take the <mark>decimal</mark> library, because it doubles the bundle of the shop page'),
      hit('c', 'Prompt 17: what about a <mark>decimal</mark> library in total.test.ts? Please answer'),
      hit('d', 'Prompt 18: what about a <mark>decimal</mark> library in total.test.ts? Please answer', 'thinking'),
      hit('e', 'We take the <mark>decimal</mark> library, because it doubles the bundle of the shop page'),
    ],
    undefined,
  )
  expect(folds.map(({ hit: { uuid }, same }) => [uuid, ...same.map((other) => other.uuid)])).toEqual([
    ['a', 'c'],
    // A different kind of text is a different hit.
    ['b'],
    ['d'],
    // "never" changes the meaning of a text.
    ['e'],
  ])
  expect(shownHits(folds, new Set()).map(({ uuid }) => uuid)).toEqual(['a', 'b', 'd', 'e'])
  expect(shownHits(folds, new Set(['a'])).map(({ uuid }) => uuid)).toEqual(['a', 'c', 'b', 'd', 'e'])
})
