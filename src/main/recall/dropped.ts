import type { DROPPED_GROUPS } from '../../shared/contract/compactions.ts'
import { fold, wordsOf } from '../base/words.ts'
import { createJudge, type Fate, sentencesOf } from './fates.ts'
import { createMarkFinder } from './marks.ts'
import { parseQuery } from './query.ts'
import { beginningsOf, eachOf, type Term } from './terms.ts'
import { isStopWord } from './stop-words.ts'
import { stem } from './stem.ts'

/** Shorter words are not significant. */
const MIN_WORD_LENGTH = 4

type DroppedGroup = (typeof DROPPED_GROUPS)[number]

type Judge = ReturnType<typeof createJudge>

/** The stem of each folded word; null for a word that tells nothing. */
type Stems = Map<string, string | null>

/** A text that a summary does not cover completely. */
export interface Dropped<Text> {
  readonly text: Text
  /** Distinct significant words of the text. */
  readonly words: number
  /** Those that the summary lacks, in order of appearance. */
  readonly missing: readonly string[]
  /** Sentences that no sentence of the summary has, and those that it has in other words. */
  readonly lost: readonly string[]
  readonly reworded: readonly string[]
  /** Number of texts with the same words. */
  readonly times: number
}

/**
 * Finds the texts that a summary leaves out, by their words. A text is covered if the summary has each of its
 * significant words, in any form with the same stem, and lost no sentence. Returns the other texts that match the query: those that lost a
 * sentence first, then by missing words. For texts with the same words, returns only the newest, with their number.
 */
export function findDropped<Text extends { readonly content: string; readonly timestamp: string }>(
  texts: readonly Text[],
  summary: string,
  query = '',
): { readonly dropped: readonly Dropped<Text>[]; readonly covered: number } {
  const stems: Stems = new Map()
  const known = new Set(distinctiveWords(summary, stems).keys())
  const judge = createJudge(summary)
  const matches = matcherOf(parseQuery(query).terms)
  const same = new Map<string, Omit<Dropped<Text>, 'lost' | 'reworded'>>()
  let covered = 0
  for (const text of texts) {
    const words = distinctiveWords(text.content, stems)
    const missing = [...words].filter(([root]) => !known.has(root)).map(([, word]) => word)
    if (missing.length === 0 && fatesOf(text.content, judge).lost.length === 0) covered += 1
    else if (matches(text.content)) {
      const key = [...words.keys()].join(' ')
      const known = same.get(key)
      const newer = known !== undefined && known.text.timestamp > text.timestamp ? known.text : text
      same.set(key, { text: newer, words: words.size, missing, times: (known?.times ?? 0) + 1 })
    }
  }
  const dropped = [...same.values()].map((one) => ({ ...one, ...fatesOf(one.text.content, judge) }))
  dropped.sort(
    (a, b) =>
      Number(b.lost.length > 0) - Number(a.lost.length > 0) ||
      b.missing.length - a.missing.length ||
      (a.text.timestamp < b.text.timestamp ? 1 : -1),
  )
  return { dropped, covered }
}

/** Returns the sentences of a text that a summary lost, and those that it has in other words. */
function fatesOf(content: string, judge: Judge): Pick<Dropped<unknown>, 'lost' | 'reworded'> {
  const fates = sentencesOf(content).map((sentence) => [sentence, judge(sentence)] as const)
  const those = (wanted: Fate) => fates.flatMap(([sentence, fate]) => (fate === wanted ? [sentence] : []))
  return { lost: those('lost'), reworded: those('reworded') }
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

/** Returns a test for texts that have all significant terms, in any form that recall knows. */
export function matcherOf(terms: readonly Term[]): (text: string) => boolean {
  const distinctive = terms.filter(({ isStopWord: isCommon }) => !isCommon)
  const wanted = distinctive.length > 0 ? distinctive : terms
  if (wanted.length === 0) return () => true
  const forms = new Map(
    eachOf(wanted).flatMap(({ words, forms }) => forms.map((form) => [form, words[0] ?? form] as const)),
  )
  const words = new Set(wanted.flatMap((term) => term.words))
  const finder = createMarkFinder([...words], beginningsOf(wanted), forms)
  return (text) => {
    const found = new Set(finder.find(text).map(({ word }) => word))
    return wanted.every((term) => eachOf([term]).some((one) => one.words.every((word) => found.has(word))))
  }
}

const SETTLES =
  /\b(?:decid\w+|agreed|chose|chosen|instead of|rather than|we(?:'ll| will| should| must)|let(?:'s| us)|must(?: not)?|never|always|from now on|do not|don't)\b/i

/** Returns the category of a dropped text: an answer or thought whose wording settles something is a decision. */
export function groupOf(kind: 'user_prompt' | 'assistant_text' | 'thinking', content: string): DroppedGroup {
  if (kind === 'user_prompt') return 'prompt'
  if (SETTLES.test(content)) return 'decision'
  return kind === 'thinking' ? 'thought' : 'answer'
}
