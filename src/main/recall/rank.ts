import type { Match } from '../store/read/recall.ts'
import type { RecallDocRow } from '../store/read/recall-docs.ts'
import type { TimeTest } from './times-named.ts'

/** The ways in which a query's words were taken, strictest first. */
export type MatchedBy = 'phrase' | 'all' | 'any' | 'raw'

export interface Stage {
  readonly by: MatchedBy
  /** Best first. */
  readonly matches: readonly Match[]
  /** Where the list is worth less than others of its kind. */
  readonly weight?: number
}

export interface Ranked {
  readonly doc: RecallDocRow
  /** Higher is better. */
  readonly score: number
}

/** What the place in each list is worth: 1 / (RANK_OFFSET + place), by the strictness of the list. */
const RANK_OFFSET = 10
const STAGE_WEIGHT: { readonly [By in MatchedBy]: number } = { phrase: 2, all: 1.2, any: 1, raw: 1 }
const KIND_WEIGHT: { readonly [Type in RecallDocRow['match_type']]: number } = {
  user_prompt: 1.06,
  compaction: 1.02,
  assistant_response: 1.02,
  thinking: 1,
  tool: 0.85,
  episode: 1,
  memory: 1.1,
}
/** A small term, never a window: what is new wins where all else is equal. */
const RECENCY_WEIGHT = 0.03
const RECENCY_HALF_LIFE_DAYS = 30
/** What was said at the time that the query names ("in May", "last week"). */
const NAMED_TIME_WEIGHT = 1.6
/**
 * A turn's further hits stand behind other turns that fit about as well; not far behind, since the answer often stands next
 * to the words that were asked for.
 */
const SAME_TURN_WEIGHT = 0.88

/** Places of each document over all lists. */
export function fuse(stages: readonly Stage[]): Map<number, number> {
  const scores = new Map<number, number>()
  for (const { by, matches, weight = STAGE_WEIGHT[by] } of stages) {
    for (const [place, { id }] of matches.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + weight / (RANK_OFFSET + place))
    }
  }
  return scores
}

/** Adds the places of one more list, best first. */
export function addPlaces(scores: Map<number, number>, ids: readonly number[]): void {
  for (const [place, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_OFFSET + place))
}

/** Weighs kinds, age and the time that the query names, and puts the best hit of each turn before its others. */
export function rankDocs(
  scores: ReadonlyMap<number, number>,
  docs: ReadonlyMap<number, RecallDocRow>,
  { now, named }: { readonly now: number; readonly named: TimeTest | null },
): Ranked[] {
  const ranked: Ranked[] = []
  for (const [id, score] of scores) {
    const doc = docs.get(id)
    if (doc === undefined) continue
    const days = Math.max(0, (now - Date.parse(doc.timestamp)) / 86_400_000)
    const recency = 1 + RECENCY_WEIGHT * 0.5 ** (days / RECENCY_HALF_LIFE_DAYS)
    const inTime = named?.(doc.timestamp) === true ? NAMED_TIME_WEIGHT : 1
    ranked.push({ doc, score: score * KIND_WEIGHT[doc.match_type] * recency * inTime })
  }
  ranked.sort(byScore)
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

const byScore = (a: Ranked, b: Ranked): number => b.score - a.score || b.doc.id - a.doc.id
