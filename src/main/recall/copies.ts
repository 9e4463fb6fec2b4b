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

/**
 * Parts texts from copies of earlier ones of their kind. What is the same text of one moment, as in a fork or an imported
 * twin, or part of another text of its turn, is no hit of its own, but named by the other.
 */
export function apart<Hit extends Ranked<FoundDoc>>(reader: Reader, ranked: readonly Hit[]): Apart<Hit> {
  const digests = digestsOf(
    reader,
    ranked.map(({ doc }) => doc.id),
  )
  const texts = new Map<number, string>()
  const wholeText = ({ doc }: Ranked<FoundDoc>) => {
    const text = texts.get(doc.id) ?? textOf(reader, doc)
    texts.set(doc.id, text)
    return text
  }
  const beginningOf = (hit: Hit) => keyOf(hit, digests.get(hit.doc.id) ?? wholeText(hit))
  const same = [...Map.groupBy(ranked, beginningOf).values()].flatMap((group) =>
    group.length === 1 ? [group] : [...Map.groupBy(group, (hit) => keyOf(hit, wholeText(hit))).values()],
  )
  const once = same.map((group) => [...Map.groupBy(group, ({ doc }) => doc.timestamp).values()].map(oneOf))
  const places = new Map(ranked.map(({ doc }, at) => [doc.id, at]))
  const placeOf = ({ doc }: Hit) => places.get(doc.id) ?? 0
  const inOrder = (hits: readonly Hit[]) => hits.toSorted((one, other) => placeOf(one) - placeOf(other))
  const copies = inOrder(once.flatMap((hits) => hits.slice(1)))
  return { different: withinOthers(inOrder(once.flatMap((hits) => hits.slice(0, 1))), wholeText), copies }
}

/** Makes one hit of several, with the best score. */
function oneOf<Hit extends Ranked<FoundDoc>>([first, ...others]: readonly Hit[]): Hit {
  if (first === undefined) throw new TypeError('a group has at least one hit')
  if (others.length === 0) return first
  const score = Math.max(...[first, ...others].map((hit) => hit.score))
  return { ...first, score, same: [first, ...others].flatMap(({ doc, same = [] }) => [doc, ...same]).slice(1) }
}

/** Characters of a text that may contain another, and the words that make that more than a coincidence. */
const MAX_COMPARED = 20_000
const MIN_WORDS = 5

/** Joins hits whose text is part of another's in the same turn: the longer text has the place of the best of them. */
function withinOthers<Hit extends Ranked<FoundDoc>>(hits: readonly Hit[], wholeText: (hit: Hit) => string): Hit[] {
  const joined = new Map<Hit, Hit>()
  for (const inTurn of Map.groupBy(hits, turnOf).values()) {
    if (inTurn.length === 1) continue
    const texts = inTurn.map((hit) => ({ hit, words: ` ${plainWords(wholeText(hit).slice(0, MAX_COMPARED))} ` }))
    for (const [at, { hit, words }] of texts.entries()) {
      if (wholeText(hit).length > MAX_COMPARED || words.split(' ').length < MIN_WORDS + 2) continue
      const longer = texts.find(
        (other, place) => other.words.includes(words) && (other.words.length > words.length || place < at),
      )
      if (longer !== undefined) joined.set(hit, longer.hit)
    }
  }
  if (joined.size === 0) return [...hits]
  const wholeOf = (hit: Hit): Hit => {
    const longer = joined.get(hit)
    return longer === undefined ? hit : wholeOf(longer)
  }
  return [...Map.groupBy(hits, wholeOf)].map(([whole, parts]) =>
    oneOf([whole, ...parts.filter((hit) => hit !== whole)]),
  )
}

const turnOf = ({ doc }: Ranked<FoundDoc>): string => `${doc.session_id} ${doc.turn_id}`

const keyOf = ({ doc }: Ranked<FoundDoc>, text: string): string => `${doc.match_type} ${plainWords(text)}`

/** Case, white space and punctuation make no difference, unless there is nothing else. */
const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}_]+/gu)
    ?.join(' ') ?? text.trim()
