import { digestsOf, docsBeside, findDocs, type FoundDoc, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import type { Ranked } from './rank.ts'
import { rankBest } from './rank-best.ts'

type Options = Parameters<typeof rankBest>[3]

/** Hits whose texts differ, and copies of them, which would take the places of those that differ. */
export interface Apart<Hit> {
  readonly different: readonly Hit[]
  readonly copies: readonly Hit[]
}

/**
 * Ranks as `rankBest`. Reads on until `limit` texts differ or none is left. What joins one of these is looked up, however
 * low it ranks, so that a page has the same hits and copies as the beginning of a longer one.
 */
export function rankDifferent(
  reader: Reader,
  scores: ReadonlyMap<number, number>,
  docs: Map<number, FoundDoc>,
  options: Options,
): Apart<Ranked<FoundDoc>> {
  for (let limit = options.limit; ; limit *= 2) {
    const ranked = rankBest(reader, scores, docs, { ...options, limit })
    if (ranked.length < limit) return apart(reader, ranked)
    const first = new Set(ranked.slice(0, limit).map(({ doc }) => doc.id))
    const found = apart(reader, [...ranked.slice(0, limit), ...relativesOf(reader, scores, docs, first)])
    const isFirst = ({ doc, same = [] }: Ranked<FoundDoc>) => [doc, ...same].some(({ id }) => first.has(id))
    const different = found.different.filter(isFirst)
    if (different.length >= options.limit) return { different, copies: [] }
  }
}

/** Reads the scored texts that are of a turn or a moment of the given ones, and so on. */
function relativesOf(
  reader: Reader,
  scores: ReadonlyMap<number, number>,
  docs: Map<number, FoundDoc>,
  given: ReadonlySet<number>,
): Ranked<FoundDoc>[] {
  const known = new Set(given)
  for (let last = [...given]; last.length > 0;) {
    last = docsBeside(reader, last).filter((id) => scores.has(id) && !known.has(id))
    for (const id of last) known.add(id)
    for (const [id, doc] of findDocs(
      reader,
      last.filter((id) => !docs.has(id)),
    ))
      docs.set(id, doc)
  }
  return [...known].flatMap((id) => {
    const doc = docs.get(id)
    return doc === undefined || given.has(id) ? [] : [{ doc, score: Number.NEGATIVE_INFINITY }]
  })
}

/**
 * Parts texts from copies of earlier ones of their kind, also of those `before`. What is the same text of one moment, as in a
 * fork or an imported twin, or part of another text of its turn, is not a hit of its own, but named by the other.
 */
export function apart<Hit extends Ranked<FoundDoc>>(
  reader: Reader,
  ranked: readonly Hit[],
  before: readonly Hit[] = [],
): Apart<Hit> {
  const texts = new Map<number, string>()
  const wholeText = ({ doc }: Ranked<FoundDoc>) => {
    const text = texts.get(doc.id) ?? textOf(reader, doc)
    texts.set(doc.id, text)
    return text
  }
  const hits = withinOthers(ranked, wholeText)
  const all = [...before, ...hits]
  const digests = digestsOf(
    reader,
    all.map(({ doc }) => doc.id),
  )
  const keys = new Map<Hit, string>()
  for (const group of Map.groupBy(all, (hit) => keyOf(hit, digests.get(hit.doc.id) ?? wholeText(hit))).values())
    for (const hit of group) keys.set(hit, group.length === 1 ? `${hit.doc.id}` : keyOf(hit, wholeText(hit)))
  const seen = new Set(before.map((hit) => keys.get(hit)))
  const [different, copies]: [Hit[], Hit[]] = [[], []]
  for (const group of Map.groupBy(hits, (hit) => `${hit.doc.timestamp} ${keys.get(hit)}`).values()) {
    const [key] = group.map((hit) => keys.get(hit))
    const kind = seen.has(key) ? copies : different
    kind.push(oneOf(group))
    seen.add(key)
  }
  return { different, copies }
}

/** Makes one hit of several, with the best score. */
function oneOf<Hit extends Ranked<FoundDoc>>(hits: readonly Hit[]): Hit {
  const [first, ...others] = hits
  if (first === undefined) throw new TypeError('a group has at least one hit')
  if (others.length === 0) return first
  const score = Math.max(...hits.map((hit) => hit.score))
  return { ...first, score, same: hits.flatMap(({ doc, same = [] }) => [doc, ...same]).slice(1) }
}

/** Characters of a text that may contain another, and the words that make that more than a coincidence. */
const MAX_COMPARED = 20_000
const MIN_WORDS = 5

/** Joins hits whose text is part of another's in the same turn: the longer text has the place of the best of them. */
function withinOthers<Hit extends Ranked<FoundDoc>>(hits: readonly Hit[], wholeText: (hit: Hit) => string): Hit[] {
  const joined = new Map<Hit, Hit>()
  for (const inTurn of Map.groupBy(hits, turnOf).values()) {
    if (inTurn.length === 1) continue
    // Longest first, whatever the rank, so that all pages agree.
    const texts = inTurn
      .map((hit) => ({ hit, words: ` ${plainWords(wholeText(hit).slice(0, MAX_COMPARED))} ` }))
      .toSorted((one, other) => other.words.length - one.words.length || one.hit.doc.id - other.hit.doc.id)
    for (const [at, { hit, words }] of texts.entries()) {
      if (wholeText(hit).length > MAX_COMPARED || words.split(' ').length < MIN_WORDS + 2) continue
      const longer = texts.slice(0, at).find((other) => other.words.includes(words))
      if (longer !== undefined) joined.set(hit, longer.hit)
    }
  }
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
