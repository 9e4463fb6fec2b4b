import { digestsOf, type FoundDoc, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import type { Ranked } from './rank.ts'
import { rankBest } from './rank-best.ts'

type Options = Parameters<typeof rankBest>[3]

/** Hits whose texts differ, and copies of them, which would take the places of those that differ. */
export interface Apart<Hit> {
  readonly different: readonly Hit[]
  readonly copies: readonly Hit[]
}

/** Ranks as `rankBest`. Reads on until `limit` texts differ or none is left. */
export function rankDifferent(
  reader: Reader,
  scores: ReadonlyMap<number, number>,
  docs: Map<number, FoundDoc>,
  options: Options,
): Apart<Ranked<FoundDoc>> {
  for (let limit = options.limit; ; limit *= 2) {
    const ranked = rankBest(reader, scores, docs, { ...options, limit })
    const isRead = limit >= ranked.length
    const found = apart(reader, isRead ? ranked : ranked.slice(0, limit))
    if (isRead || found.different.length >= options.limit) return found
  }
}

/** Parts texts from copies of earlier ones of their kind. */
export function apart<Hit extends Ranked<FoundDoc>>(reader: Reader, ranked: readonly Hit[]): Apart<Hit> {
  const digests = digestsOf(
    reader,
    ranked.map(({ doc }) => doc.id),
  )
  const beginningOf = ({ doc }: Hit) => keyOf(doc, digests.get(doc.id) ?? textOf(reader, doc))
  const alike = Map.groupBy(ranked, beginningOf)
  const copies = new Set(
    [...alike.values()]
      .filter((group) => group.length > 1)
      .flatMap((group) => [...Map.groupBy(group, ({ doc }) => keyOf(doc, textOf(reader, doc))).values()])
      .flatMap((same) => same.slice(1)),
  )
  return { different: ranked.filter((hit) => !copies.has(hit)), copies: [...copies] }
}

/** Case, white space and punctuation make no difference, unless there is nothing else. */
function keyOf({ match_type }: FoundDoc, text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu)
  return `${match_type} ${words?.join(' ') ?? text.trim()}`
}
