import type { Match } from '../store/read/recall.ts'
import type { FoundDoc, RecallDocRow } from '../store/read/recall-docs.ts'
import type { TimeTest } from './times-named.ts'
import { DAY_MS } from '../../shared/time-units.ts'
import {
  KIND_WEIGHT,
  NAMED_TIME_WEIGHT,
  RANK_OFFSET,
  RECENCY_HALF_LIFE_DAYS,
  RECENCY_WEIGHT,
  SAME_TURN_WEIGHT,
  STAGE_WEIGHT,
} from './weights.ts'

/** Ways of matching the query's words, strictest first. */
export type MatchedBy = 'phrase' | 'all' | 'any' | 'related' | 'raw'

export interface Stage {
  readonly by: MatchedBy
  /** Best first. */
  readonly matches: readonly Match[]
  /** Number of documents that match by words of the query itself. */
  readonly counted: number
}

export interface Ranked<Doc extends FoundDoc = RecallDocRow> {
  readonly doc: Doc
  /** Higher is better. */
  readonly score: number
  /** Other texts that say the same, which are no hits of their own. */
  readonly same?: readonly FoundDoc[]
}

/** Adds up each document's score over all lists. Keyed by document id. */
export function fuse(stages: readonly Stage[]): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { by, matches } of stages) {
    for (const [rank, { id }] of matches.entries())
      scores.set(id, (scores.get(id) ?? 0) + STAGE_WEIGHT[by] / (RANK_OFFSET + rank))
  }
  return scores
}

/** Adds the scores of one more list, best first. */
export function addRanks(scores: Map<number, number>, ids: readonly number[]): void {
  for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + rank))
}

export interface RankOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  readonly named: TimeTest | null
  /** Prefer other turns to further hits of the same. Not for questions: several texts of the right turn may answer. */
  readonly spread: boolean
}

/** Returns the maximum that `rankDocs` can turn a score into for any document. */
export const mostRanked = (score: number, { named }: Pick<RankOptions, 'named'>): number =>
  score * Math.max(...Object.values(KIND_WEIGHT)) * (1 + RECENCY_WEIGHT) * (named === null ? 1 : NAMED_TIME_WEIGHT)

/** Sorts documents by score, kind, age and the time that the query names, and may spread the hits over turns. */
export function rankDocs<Doc extends FoundDoc>(
  scores: ReadonlyMap<number, number>,
  docs: ReadonlyMap<number, Doc>,
  { now, named, spread }: RankOptions,
): Ranked<Doc>[] {
  const ranked: Ranked<Doc>[] = []
  for (const [id, score] of scores) {
    const doc = docs.get(id)
    if (doc === undefined) continue
    const days = Math.max(0, (now - Date.parse(doc.timestamp)) / DAY_MS)
    const recency = 1 + RECENCY_WEIGHT * 0.5 ** (days / RECENCY_HALF_LIFE_DAYS)
    const inTime = named?.(doc.timestamp) === true ? NAMED_TIME_WEIGHT : 1
    ranked.push({ doc, score: score * KIND_WEIGHT[doc.match_type] * recency * inTime })
  }
  ranked.sort(byScore)
  if (!spread) return ranked
  const seen = new Map<string, number>()
  return ranked
    .map(({ doc, score }) => {
      const turn = `${doc.session_id} ${doc.turn_id}`
      const before = seen.get(turn) ?? 0
      seen.set(turn, before + 1)
      return { doc, score: score * SAME_TURN_WEIGHT ** Math.min(before, 4) }
    })
    .sort(byScore)
}

const byScore = (a: Ranked<FoundDoc>, b: Ranked<FoundDoc>): number => b.score - a.score || b.doc.id - a.doc.id
