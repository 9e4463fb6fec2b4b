import { expect, test } from 'vitest'
import { createRandom } from '../base/fixtures/random.ts'
import type { FoundDoc } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { rankDocs } from './rank.ts'
import { rankBest } from './rank-best.ts'

const KINDS = ['user_prompt', 'thinking', 'assistant_response', 'compaction'] as const
const random = createRandom('rank-best')
const drawn = (most: number): number => Math.floor(random.next() * most)

/** Makes documents of few turns, so that spreading hits over turns matters. */
function someDocs(count: number): ReadonlyMap<number, FoundDoc> {
  const docs = Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    session_id: `s${drawn(3)}`,
    turn_id: drawn(4),
    agent_id: null,
    match_type: KINDS[drawn(4)] ?? 'thinking',
    timestamp: new Date(Date.UTC(2026, drawn(6), 1 + drawn(28))).toISOString(),
    project: null,
  }))
  return new Map(docs.map((doc) => [doc.id, doc]))
}

/** A reader of these documents that counts reads. */
function readerOf(docs: ReadonlyMap<number, FoundDoc>) {
  const read: number[] = []
  const all = (_sql: string, ids: string) => {
    const wanted = (JSON.parse(ids) as number[]).flatMap((id) => docs.get(id) ?? [])
    read.push(...wanted.map(({ id }) => id))
    return wanted
  }
  return { reader: { all } as unknown as Reader, read }
}

test('the best of all documents are ranked first, although not all are read', () => {
  let reads = 0
  let all = 0
  for (let round = 0; round < 60; round += 1) {
    const docs = someDocs(300)
    const scores = new Map([...docs.keys()].map((id) => [id, random.next() ** 2]))
    const named = round % 2 === 0 ? null : (timestamp: string) => timestamp.startsWith('2026-03')
    const options = { now: Date.UTC(2026, 6, 1), named, spread: round % 3 > 0 }
    const { reader, read } = readerOf(docs)
    const found = rankBest(reader, scores, new Map(), { ...options, limit: 11 })
    expect(found.slice(0, 11)).toEqual(rankDocs(scores, docs, options).slice(0, 11))
    reads += read.length
    all += docs.size
  }
  expect(reads).toBeLessThan(all * 0.7)
})
