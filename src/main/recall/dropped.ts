import type { DROPPED_GROUPS } from '../../shared/contract/compactions.ts'
import { fold, wordsOf } from '../base/words.ts'
import { createMarkFinder } from './marks.ts'
import { parseQuery } from './query.ts'
import { isStopWord } from './stop-words.ts'
import { stem } from './stem.ts'

/** Shorter words are not significant. */
const MIN_WORD_LENGTH = 4

type DroppedGroup = (typeof DROPPED_GROUPS)[number]

/** The stem of each folded word; null for a word that tells nothing. */
type Stems = Map<string, string | null>

/** A text that a summary does not cover completely. */
export interface Dropped<Text> {
  readonly text: Text
  /** Distinct significant words of the text. */
  readonly words: number
  /** Those that the summary lacks, in order of appearance. */
  readonly missing: readonly string[]
  /** Sentences whose words no sentence of the summary has, and those that it has in other words. */
  readonly lost: readonly string[]
  readonly reworded: readonly string[]
  /** Number of texts with the same words. */
  readonly times: number
}

/**
 * Finds the texts that a summary leaves out, by their words. A text is covered if the summary has each of its
 * significant words, in any form with the same stem. Returns the other texts that match the query: those that lost a
 * sentence first, then by missing words. For texts with the same words, returns only the newest, with their number.
 */
export function findDropped<Text extends { readonly content: string; readonly timestamp: string }>(
  texts: readonly Text[],
  summary: string,
  query = '',
): { readonly dropped: readonly Dropped<Text>[]; readonly covered: number } {
  const stems: Stems = new Map()
  const known = new Set(distinctiveWords(summary, stems).keys())
  const places = placesOf(summary, stems)
  const matches = matcherOf(query)
  const same = new Map<string, Omit<Dropped<Text>, 'lost' | 'reworded'>>()
  let covered = 0
  for (const text of texts) {
    const words = distinctiveWords(text.content, stems)
    const missing = [...words].filter(([root]) => !known.has(root)).map(([, word]) => word)
    if (missing.length === 0) covered += 1
    else if (matches(text.content)) {
      const key = [...words.keys()].join(' ')
      const known = same.get(key)
      const newer = known !== undefined && known.text.timestamp > text.timestamp ? known.text : text
      same.set(key, { text: newer, words: words.size, missing, times: (known?.times ?? 0) + 1 })
    }
  }
  const dropped = [...same.values()].map((one) => ({ ...one, ...fatesOf(one.text.content, places, stems) }))
  dropped.sort(
    (a, b) =>
      Number(b.lost.length > 0) - Number(a.lost.length > 0) ||
      b.missing.length - a.missing.length ||
      (a.text.timestamp < b.text.timestamp ? 1 : -1),
  )
  return { dropped, covered }
}

/** The sentences of a summary that have a word, by its stem. */
type Places = ReadonlyMap<string, readonly number[]>

function placesOf(summary: string, stems: Stems): Places {
  const places = new Map<string, number[]>()
  for (const [at, sentence] of sentencesOf(summary).entries())
    for (const root of distinctiveWords(sentence, stems).keys()) places.set(root, [...(places.get(root) ?? []), at])
  return places
}

/** A sentence is kept in other words if one sentence of the summary has at least this share of its words. */
const LEAST_SHARE = 0.4

/** Returns the sentences of a text that a summary lost, and those that it has in other words. */
function fatesOf(content: string, places: Places, stems: Stems): Pick<Dropped<unknown>, 'lost' | 'reworded'> {
  const lost: string[] = []
  const reworded: string[] = []
  for (const sentence of sentencesOf(content)) {
    const roots = [...distinctiveWords(sentence, stems).keys()]
    if (roots.every((root) => places.has(root))) continue
    const shared = new Map<number, number>()
    for (const root of roots) for (const at of places.get(root) ?? []) shared.set(at, (shared.get(at) ?? 0) + 1)
    const best = Math.max(0, ...shared.values())
    ;(best >= roots.length * LEAST_SHARE ? reworded : lost).push(sentence)
  }
  return { lost, reworded }
}

/** Splits a text at its lines and the ends of its sentences, without the marks of Markdown. */
function sentencesOf(text: string): string[] {
  return text
    .split(/\n|(?<=[.!?…])\s+|(?<=[。！？])/u)
    .map((part) =>
      part
        .replace(/^\s*(?:(?:#{1,6}|[-*+>]|\d{1,3}[.)])\s+)+/, '')
        .replaceAll(/\*\*|__|`/g, '')
        .trim(),
    )
    .filter((part) => part !== '')
}

/** Returns the significant words of a text by stem, as first written. */
function distinctiveWords(text: string, stems: Stems): Map<string, string> {
  const words = new Map<string, string>()
  for (const word of wordsOf(text)) {
    if (word.length < MIN_WORD_LENGTH) continue
    const folded = fold(word)
    let root = stems.get(folded)
    if (root === undefined) stems.set(folded, (root = isStopWord(folded) ? null : stem(folded)))
    if (root !== null && !words.has(root)) words.set(root, word)
  }
  return words
}

/** Returns a test for texts that have all significant words of a query, in any form that recall knows. */
function matcherOf(query: string): (text: string) => boolean {
  const { terms } = parseQuery(query)
  const distinctive = terms.filter(({ isStopWord: isCommon }) => !isCommon)
  const wanted = distinctive.length > 0 ? distinctive : terms
  if (wanted.length === 0) return () => true
  const forms = new Map(wanted.flatMap(({ words, forms }) => forms.map((form) => [form, words[0] ?? form] as const)))
  const words = new Set(wanted.flatMap((term) => term.words))
  const finder = createMarkFinder([...words], null, forms)
  return (text) => new Set(finder.find(text).map(({ word }) => word)).size === words.size
}

const SETTLES =
  /\b(?:decid\w+|agreed|chose|chosen|instead of|rather than|we(?:'ll| will| should| must)|let(?:'s| us)|must(?: not)?|never|always|from now on|do not|don't)\b/i

/** Returns the category of a dropped text: an answer or thought whose wording settles something is a decision. */
export function groupOf(kind: 'user_prompt' | 'assistant_text' | 'thinking', content: string): DroppedGroup {
  if (kind === 'user_prompt') return 'prompt'
  if (SETTLES.test(content)) return 'decision'
  return kind === 'thinking' ? 'thought' : 'answer'
}
