import { expect, test } from 'vitest'
import type { RecallDocRow } from '../store/read/recall-docs.ts'
import { addRanks, fuse, rankDocs } from './rank.ts'

const doc = (id: number, turn_id: number): RecallDocRow => ({
  id,
  event_uuid: String(id),
  session_id: 's',
  turn_id,
  agent_id: null,
  match_type: 'thinking',
  timestamp: '2026-01-01T00:00:00Z',
  project: null,
})

test('hits are spread over turns for keywords, and ranked by score alone for a question', () => {
  const docs = new Map([doc(1, 1), doc(2, 1), doc(3, 2)].map((one) => [one.id, one]))
  const scores = new Map([
    [1, 1],
    [2, 0.99],
    [3, 0.95],
  ])
  const ids = (spread: boolean) =>
    rankDocs(scores, docs, { now: Date.parse('2026-06-01'), named: null, spread }).map((ranked) => ranked.doc.id)
  expect(ids(true)).toEqual([1, 3, 2])
  expect(ids(false)).toEqual([1, 2, 3])
})

const NOW = Date.parse('2026-06-01')

/** Ranks documents of equal score, each in a different turn. Returns their ids. */
function ranked(changes: readonly Partial<RecallDocRow>[], named: ((timestamp: string) => boolean) | null = null) {
  const docs = new Map(changes.map((change, at) => [at + 1, { ...doc(at + 1, at + 1), ...change }]))
  const scores = new Map([...docs.keys()].map((id) => [id, 1]))
  return rankDocs(scores, docs, { now: NOW, named, spread: true }).map((one) => one.doc.id)
}

test('of equal hits, the one recorded last comes first', () => {
  expect(ranked([{}, {}, {}])).toEqual([3, 2, 1])
})

test('the newer of two equal hits comes first, whenever it was recorded', () => {
  expect(ranked([{ timestamp: '2026-05-30T00:00:00Z' }, {}])).toEqual([1, 2])
})

test('a memory comes before a prompt, an answer before thinking, and tools last', () => {
  const kinds = ['tool', 'thinking', 'assistant_response', 'user_prompt', 'memory'] as const
  expect(ranked(kinds.map((match_type) => ({ match_type })))).toEqual([5, 4, 3, 2, 1])
})

test('a hit from the time that the query names comes before newer ones', () => {
  const docs = [{ timestamp: '2026-03-05T00:00:00Z' }, { timestamp: '2026-05-30T00:00:00Z' }]
  expect(ranked(docs)).toEqual([2, 1])
  expect(ranked(docs, (timestamp) => timestamp.startsWith('2026-03'))).toEqual([1, 2])
})

test('a hit of the phrase counts more than one of all words, and that more than one of any', () => {
  const matches = (id: number) => [{ id, score: 1 }]
  const scores = fuse([
    { by: 'any', matches: matches(1), counted: 1 },
    { by: 'all', matches: matches(2), counted: 1 },
    { by: 'phrase', matches: matches(3), counted: 1 },
  ])
  expect([...scores].toSorted(([, one], [, other]) => other - one).map(([id]) => id)).toEqual([3, 2, 1])
})

test('a hit of two lists counts more than a hit of one, and a later place less', () => {
  const list = (...ids: readonly number[]) => ({
    by: 'any' as const,
    matches: ids.map((id) => ({ id, score: 1 })),
    counted: 2,
  })
  const scores = fuse([list(1, 2), list(3, 2)])
  addRanks(scores, [3, 1])
  expect([...scores].toSorted(([, one], [, other]) => other - one).map(([id]) => id)).toEqual([3, 1, 2])
  expect(fuse([list(7, 8)]).get(8)).toBeLessThan(fuse([list(7, 8)]).get(7) ?? 0)
})

test('a document of several lists has the sum of their scores, by place and by how strictly they match', () => {
  const matches = (...ids: readonly number[]) => ids.map((id) => ({ id })) as never
  const scores = fuse([
    { by: 'phrase', matches: matches(1), counted: 1 },
    { by: 'all', matches: matches(2, 1), counted: 2 },
    { by: 'related', matches: matches(3), counted: 1 },
  ])
  expect([...scores]).toEqual([
    [1, 2 / 10 + 1.2 / 11],
    [2, 1.2 / 10],
    [3, 0.5 / 10],
  ])
  addRanks(scores, [4, 3])
  expect(scores.get(4)).toBe(1 / 10)
  expect(scores.get(3)).toBe(0.5 / 10 + 1 / 11)
})

test('of equal hits, a prompt comes before an answer, and that before what a tool said', () => {
  expect(ranked([{ match_type: 'tool' }, { match_type: 'assistant_response' }, { match_type: 'user_prompt' }])).toEqual(
    [3, 2, 1],
  )
  expect(ranked([{ match_type: 'user_prompt' }, { match_type: 'assistant_response' }, { match_type: 'tool' }])).toEqual(
    [1, 2, 3],
  )
})

test('turns of one number in two sessions are two turns', () => {
  const docs = new Map([doc(1, 1), { ...doc(2, 1), session_id: 'other' }, doc(3, 1)].map((one) => [one.id, one]))
  const scores = new Map([
    [1, 1],
    [2, 0.95],
    [3, 0.97],
  ])
  const ids = rankDocs(scores, docs, { now: NOW, named: null, spread: true }).map((one) => one.doc.id)
  expect(ids).toEqual([1, 2, 3])
})
