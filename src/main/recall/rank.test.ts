import { expect, test } from 'vitest'
import type { RecallDocRow } from '../store/read/recall-docs.ts'
import { rankDocs } from './rank.ts'

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
