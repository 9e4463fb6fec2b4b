import { neighboursOf, type RecallDocRow } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { createMarkFinder } from './marks.ts'
import { parseQuery } from './query.ts'
import { beginningsOf } from './terms.ts'
import { readQueryWords } from './query-words.ts'

/** Quality of hits as answers to a query. */
export interface Evidence {
  /** good: the best hit has at least half of the words' weight; none: there are no hits. */
  readonly quality: 'good' | 'weak' | 'none'
  /** Words of the query that the hits contain. */
  readonly matched: readonly string[]
  /** Words that no hit contains. */
  readonly missing: readonly string[]
  /** Words of the query that the best hit contains. */
  readonly best: number
  /** Share of the words' total weight in the best hit, from 0 to 1. */
  readonly share: number
}

/** Share of the words' total weight from which a hit is good. */
const GOOD = 0.5
/** Weight of a word that only a neighbouring text has. */
const NEAR = 0.5
/** Synonyms of at least this weight count as the word itself. */
const SYNONYM_SHARE = 0.8
/** Each hit looks at this many texts before and after it. */
const NEIGHBOURS = 1

/** Judges hits by the words of a query: rare words weigh more, a word next to a hit counts half. */
export function evidenceOf(
  reader: Reader,
  query: string,
  hits: readonly { readonly doc: RecallDocRow; readonly text: string }[],
): Evidence {
  const parsed = parseQuery(query)
  const words = readQueryWords(reader, parsed)
  const alternatives = words.flatMap(({ word, forms, alternatives: others }) => [
    ...forms.map((form) => [form, word] as const),
    ...others.filter(({ share }) => share >= SYNONYM_SHARE).map((other) => [other.word, word] as const),
  ])
  const finder = createMarkFinder(
    words.map(({ word }) => word),
    beginningsOf(parsed.terms),
    new Map(alternatives),
  )
  const wordsIn = (text: string) => new Set(finder.find(text).map((mark) => mark.word))
  const total = words.reduce((sum, { weight }) => sum + weight, 0)
  const matched = new Set<string>()
  let best = { worth: -1, words: 0 }
  for (const { doc, text } of hits) {
    const own = wordsIn(text)
    const near = new Set(neighboursOf(reader, doc, NEIGHBOURS).flatMap(({ digest }) => [...wordsIn(digest)]))
    for (const word of own) matched.add(word)
    const worth = words.reduce(
      (sum, { word, weight }) => sum + (own.has(word) ? weight : near.has(word) ? NEAR * weight : 0),
      0,
    )
    if (worth > best.worth) best = { worth, words: own.size }
  }
  const isGood = words.length === 0 || best.worth >= GOOD * total
  return {
    quality: hits.length === 0 ? 'none' : isGood ? 'good' : 'weak',
    matched: words.filter(({ word }) => matched.has(word)).map(({ word }) => word),
    missing: words.filter(({ word }) => !matched.has(word)).map(({ word }) => word),
    best: best.words,
    share: total === 0 ? 1 : Math.max(0, best.worth) / total,
  }
}
