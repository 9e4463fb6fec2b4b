import { type Neighbour, neighboursOf, type FoundDoc, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { createMarkFinder, type Mark, type MarkFinder } from './marks.ts'
import { CLOSENESS } from './weights.ts'

/** A word of the query. */
export interface QueryWord {
  /** Folded. */
  readonly word: string
  /** Inverse document frequency: the rarer the word, the higher. */
  readonly weight: number
  /** Inflected forms that count in full: `went` for `go`. */
  readonly forms: readonly string[]
  /** Related words, each worth a share of this word's weight. */
  readonly alternatives: readonly { readonly word: string; readonly share: number }[]
}

/** Only this much of a text is scanned; the rest counts only in the index's ranking. */
export const MAX_CHARACTERS = 20_000
export const MAX_MARKS = 200
/** Term-frequency saturation, as k1 in bm25. */
const SATURATION = 1
/** Length normalisation, with b of bm25 smaller than usual: the length of a turn is hardly related to its topic. */
const LENGTH: LengthNorm = { typical: 300, penalty: 0.1 }
/** Facts about a document whose text was read. */
export interface Closeness {
  readonly score: number
  /** True if the text itself contains a word of the query, rather than its neighbours or only a related word. */
  readonly hasWord: boolean
}

const CHARACTERS_PER_WORD = 6

/**
 * Scores documents against a query by reading them: rare words, words close together, and each neighbouring text.
 * The index can only rank the neighbours as one combined text. Keyed by document id.
 */
export function closenessOf(
  reader: Reader,
  docs: readonly FoundDoc[],
  queryWords: readonly QueryWord[],
): Map<number, Closeness> {
  const finder = finderOf(queryWords)
  const weights = new Map(queryWords.map(({ word, weight }) => [word, weight]))
  const scanDigest = digestScanner(finder)
  const found = new Map<number, Closeness>()
  for (const doc of docs) {
    const own = scanText(finder, textOf(reader, doc).slice(0, MAX_CHARACTERS), weights)
    const near = neighboursOf(reader, doc, CLOSENESS.neighbours.length).map((neighbour) => ({
      counts: scanDigest(neighbour).counts,
      weight:
        (CLOSENESS.neighbours[Math.abs(neighbour.distance) - 1] ?? 0) * (neighbour.distance < 0 ? CLOSENESS.before : 1),
    }))
    const worth = (word: string) =>
      frequencyValue(own, word) + near.reduce((sum, { counts, weight }) => sum + (counts.has(word) ? weight : 0), 0)
    const score = queryWords.reduce((sum, one) => sum + one.weight * bestOf(one, worth), 0)
    found.set(doc.id, {
      score: score + CLOSENESS.proximity * proximityOf(own.marks, weights),
      hasWord: queryWords.some(({ word }) => own.counts.has(word)),
    })
  }
  return found
}

/** Returns the value of a word, or that of a related word with its share, if that is more. */
export const bestOf = ({ word, alternatives }: QueryWord, valueOf: (word: string) => number): number =>
  alternatives.reduce((best, other) => Math.max(best, other.share * valueOf(other.word)), valueOf(word))

/** Creates a function that finds the asked words in the beginnings of texts, in each once. */
export function digestScanner(finder: MarkFinder): (near: Pick<Neighbour, 'id' | 'digest'>) => TextScan {
  const digests = new Map<number, TextScan>()
  return ({ id, digest }) => {
    const seen = digests.get(id) ?? scanText(finder, digest)
    digests.set(id, seen)
    return seen
  }
}

/** Returns the weight of each asked word and of each alternative. */
export function weightsOf(queryWords: readonly QueryWord[]): ReadonlyMap<string, number> {
  const weights = new Map(queryWords.map(({ word, weight }) => [word, weight]))
  for (const { weight, alternatives } of queryWords)
    for (const { word, share } of alternatives) if (!weights.has(word)) weights.set(word, share * weight)
  return weights
}

/** Creates a finder for the asked words, their forms and their alternatives, in one pass over a text. */
export function finderOf(queryWords: readonly QueryWord[]): MarkFinder {
  const words = new Set(queryWords.map(({ word }) => word))
  const alternatives = queryWords
    .flatMap((one) => one.alternatives.map(({ word }) => word))
    .filter((word) => !words.has(word))
  const forms = new Map(queryWords.flatMap(({ word, forms }) => forms.map((form) => [form, word] as const)))
  return createMarkFinder([...alternatives, ...words], [], forms)
}

/** Occurrences of the asked words in a text. */
export interface TextScan {
  readonly marks: readonly Mark[]
  readonly counts: ReadonlyMap<string, number>
  /** Characters of the text. */
  readonly length: number
}

/** A longer text counts by its best passage of this many characters. */
const PASSAGE = 1000

/**
 * Finds the asked words in a text and counts them. For a long text, only the passage with the most significant words
 * counts, since a review or a plan has every word somewhere.
 */
export function scanText(finder: MarkFinder, text: string, weights: ReadonlyMap<string, number> = new Map()): TextScan {
  const all = finder.find(text, MAX_MARKS, false)
  const marks = text.length > PASSAGE * 1.5 ? bestPassage(all, weights, PASSAGE) : all
  return { marks, counts: countsOf(marks), length: Math.min(text.length, PASSAGE * 1.5) }
}

/** Counts the marks of each word. */
export function countsOf(marks: readonly Mark[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { word } of marks) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Returns the marks of the passage, of a given length, whose distinct words weigh most. */
export function bestPassage(
  marks: readonly Mark[],
  weights: ReadonlyMap<string, number>,
  characters: number,
): readonly Mark[] {
  let best: readonly Mark[] = []
  let most = -1
  for (const [at, first] of marks.entries()) {
    let end = at
    const words = new Set<string>()
    for (; end < marks.length && (marks[end]?.start ?? 0) < first.start + characters; end += 1) {
      words.add(marks[end]?.word ?? '')
    }
    const weight = [...words].reduce((sum, word) => sum + (weights.get(word) ?? 0.5), 0)
    if (weight > most) [best, most] = [marks.slice(at, end), weight]
  }
  return best
}

/** The effect of a text's length in bm25. */
export interface LengthNorm {
  /** Characters of a text that is neither short nor long. */
  readonly typical: number
  /** b of bm25, from 0 to 1. */
  readonly penalty: number
}

/** Scores a word's frequency in a text, from 0 to about 2; lower in a long text. */
export function frequencyValue({ counts, length }: TextScan, word: string, norm = LENGTH): number {
  const count = counts.get(word) ?? 0
  if (count === 0) return 0
  const penalty = 1 - norm.penalty + (norm.penalty * length) / norm.typical
  return (count * (SATURATION + 1)) / (count + SATURATION * penalty)
}

/** Scores adjacent pairs of different words by their distance. Each pair counts once, at its closest. */
export function proximityOf(marks: readonly Mark[], weights: ReadonlyMap<string, number>): number {
  const pairs = new Map<string, number>()
  for (const [at, two] of marks.entries()) {
    const one = marks[at - 1]
    if (one === undefined || one.word === two.word) continue
    const gap = Math.max(0, two.start - one.end - 1) / CHARACTERS_PER_WORD
    const value = Math.min(weights.get(one.word) ?? 0, weights.get(two.word) ?? 0) / (1 + gap)
    const pair = [one.word, two.word].toSorted().join(' ')
    if (value > (pairs.get(pair) ?? 0)) pairs.set(pair, value)
  }
  return [...pairs.values()].reduce((sum, value) => sum + value, 0)
}
