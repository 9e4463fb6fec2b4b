import { findDocs, type FoundDoc } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { mostRanked, type Ranked, rankDocs, type RankOptions } from './rank.ts'

/** Minimum number of documents that are read at a time. */
const READ_AT_ONCE = 50

/** Returns document ids by score, the best first. */
export const bestFirst = (scores: ReadonlyMap<number, number>): number[] =>
  [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id)

/**
 * Ranks documents by `rankDocs`, and reads them, best score first, until no other can be among the first `limit`: each
 * read costs a page of the file. `docs` holds the documents read so far, and receives new ones.
 */
export function rankBest(
  reader: Reader,
  scores: ReadonlyMap<number, number>,
  docs: Map<number, FoundDoc>,
  { limit, ...options }: RankOptions & { readonly limit: number },
): Ranked<FoundDoc>[] {
  const left = bestFirst(scores).filter((id) => !docs.has(id))
  for (;;) {
    const ranked = rankDocs(scores, docs, options)
    const [next] = left
    const last = ranked[limit - 1]
    if (next === undefined) return ranked
    if (last !== undefined && last.score > mostRanked(scores.get(next) ?? 0, options)) return ranked
    for (const [id, doc] of findDocs(reader, left.splice(0, Math.max(READ_AT_ONCE, limit - docs.size))))
      docs.set(id, doc)
  }
}
