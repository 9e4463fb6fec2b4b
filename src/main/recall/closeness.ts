import { type Neighbour, neighboursOf, type RecallDocRow, textOf } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { createMarkFinder, type Mark, type MarkFinder } from './marks.ts'

/** A word that is asked for. */
export interface AskedWord {
  /** Folded. */
  readonly word: string
  /** How much it tells: the rarer, the more. */
  readonly weight: number
  /** Other forms of it, as good as itself. */
  readonly forms: readonly string[]
  /** Words in its place, and what part of its weight each is worth. */
  readonly instead: readonly { readonly word: string; readonly part: number }[]
}

/** Characters of a text that are looked at; what stands further on, the index alone has judged. */
export const MOST_CHARACTERS = 6000
const MOST_MARKS = 200
/** How soon a word that is repeated says nothing more. */
const SATURATION = 1
/** How much more often a long text must say a word: less than in bm25, since turns differ in length for no reason. */
const LENGTH_PENALTY = 0.1
/** Characters of a text that is neither short nor long. */
const TYPICAL_LENGTH = 300
/** What a word is worth that stands one or two texts away; before counts more, since answers follow questions. */
const NEIGHBOUR_WEIGHT = [0.4, 0.35] as const
const BEFORE = 1.2
/** What words close together add. */
const PROXIMITY = 0.1
const CHARACTERS_A_WORD = 6

/**
 * How close documents come to a query, judged by their texts: rare words, words that stand together, and what each of the
 * texts before and after says, which the index only knows as one heap.
 */
export function closenessOf(
  reader: Reader,
  docs: readonly RecallDocRow[],
  asked: readonly AskedWord[],
): Map<number, number> {
  const finder = finderOf(asked)
  const weights = new Map(asked.map(({ word, weight }) => [word, weight]))
  const digests = new Map<number, Seen>()
  const seeDigest = ({ id, digest }: Neighbour): Seen => {
    const seen = digests.get(id) ?? look(finder, digest)
    digests.set(id, seen)
    return seen
  }
  const scores = new Map<number, number>()
  for (const doc of docs) {
    const own = look(finder, textOf(reader, doc).slice(0, MOST_CHARACTERS))
    const near = neighboursOf(reader, doc, NEIGHBOUR_WEIGHT.length).map((neighbour) => ({
      counts: seeDigest(neighbour).counts,
      weight: (NEIGHBOUR_WEIGHT[Math.abs(neighbour.distance) - 1] ?? 0) * (neighbour.distance < 0 ? BEFORE : 1),
    }))
    const worth = (word: string) =>
      frequencyValue(own, word) + near.reduce((sum, { counts, weight }) => sum + (counts.has(word) ? weight : 0), 0)
    let score = 0
    for (const { word, weight, instead } of asked) {
      score += weight * instead.reduce((best, other) => Math.max(best, other.part * worth(other.word)), worth(word))
    }
    scores.set(doc.id, score + PROXIMITY * together(own.marks, weights))
  }
  return scores
}

/** Finds the asked words, their forms and what may stand in their place, in one pass over a text. */
export function finderOf(asked: readonly AskedWord[]): MarkFinder {
  const words = new Set(asked.map(({ word }) => word))
  const instead = asked.flatMap((one) => one.instead.map(({ word }) => word)).filter((word) => !words.has(word))
  const forms = new Map(asked.flatMap(({ word, forms }) => forms.map((form) => [form, word] as const)))
  return createMarkFinder([...instead, ...words], null, forms)
}

/** What a text holds of the asked words; `length` in characters. */
export interface Seen {
  readonly marks: readonly Mark[]
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** Looks for the finder's words in a text. */
export function look(finder: MarkFinder, text: string): Seen {
  const marks = finder.find(text, MOST_MARKS)
  const counts = new Map<string, number>()
  for (const { word } of marks) counts.set(word, (counts.get(word) ?? 0) + 1)
  return { marks, counts, length: text.length }
}

/** What it is worth that a text holds a word so often, about 0 to 2; less in a long text. */
export function frequencyValue({ counts, length }: Seen, word: string): number {
  const count = counts.get(word) ?? 0
  if (count === 0) return 0
  const penalty = 1 - LENGTH_PENALTY + (LENGTH_PENALTY * length) / TYPICAL_LENGTH
  return (count * (SATURATION + 1)) / (count + SATURATION * penalty)
}

/** Pairs of different words that stand side by side, each pair once, where it is closest. */
export function together(marks: readonly Mark[], weights: ReadonlyMap<string, number>): number {
  const pairs = new Map<string, number>()
  for (const [at, two] of marks.entries()) {
    const one = marks[at - 1]
    if (one === undefined || one.word === two.word) continue
    const gap = Math.max(0, two.start - one.end - 1) / CHARACTERS_A_WORD
    const value = Math.min(weights.get(one.word) ?? 0, weights.get(two.word) ?? 0) / (1 + gap)
    const pair = [one.word, two.word].toSorted().join(' ')
    if (value > (pairs.get(pair) ?? 0)) pairs.set(pair, value)
  }
  return [...pairs.values()].reduce((sum, value) => sum + value, 0)
}
