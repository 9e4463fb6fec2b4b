import {
  frequencyOf,
  type Matched,
  matchDocs,
  matchTools,
  newestDocs,
  newestMatches,
  type RecallFilter,
} from '../store/read/recall.ts'
import type { Reader } from '../store/read/reader.ts'
import type { RecallQuery, Term } from './query.ts'
import type { MatchedBy, Stage } from './rank.ts'

export type DocFilter = RecallFilter & { readonly tool: string | null }

/** A word in more documents than this is common: it is left out where another word is there. */
export const COMMON = 10_000
/** Documents that `any` may touch; ranking costs about a microsecond for each. */
const MOST_TOUCHED = 6000
/** What the list with words of about the same meaning is worth: it is there to find what the others miss. */
const RELATED_WEIGHT = 0.5
/** Words in the place of those that were asked for, in one search: how common each is, is counted once. */
const MOST_OTHER_WORDS = 24
/** Milliseconds for going back through the log where every word is common. */
const COMMON_WORDS_MS = 12
/** So many documents that hold all words, and those with any need not be looked for. */
const ENOUGH = 100

/** What the lists of a search hold, and what they leave out. */
export interface Found {
  readonly stages: Stage[]
  total: number
  partial: boolean
  /** The expression of texts that hold all words; null where it would take too long to count them. */
  strict: string | null
}

/** Adds a list, and what was counted for it. */
export function add(found: Found, by: MatchedBy, result: Matched): void {
  found.stages.push({ by, matches: result.matches })
  found.total = Math.max(found.total, result.counted)
  found.partial ||= result.partial
}

/** Texts: as a phrase, with all words, with any. */
export function docStages(reader: Reader, query: RecallQuery, filter: RecallFilter, limit: number, found: Found): void {
  const meant = meantTerms(query)
  if (meant.length === 0 && query.phrases.length === 0) {
    // No words: what the filters leave, newest first.
    const matches = query.terms.length === 0 ? newestDocs(reader, filter, limit) : []
    add(found, 'all', { matches, counted: matches.length, partial: false })
    return
  }
  const isCommon = (expression: string) => frequencyOf(reader, expression, COMMON) >= COMMON
  const rare = meant.filter((term) => !isCommon(term.whole))
  const required = rare.length > 0 ? rare : meant
  // One word that is not common keeps the work small, whatever stands beside it.
  const ranked = rare.length > 0 || query.phrases.some((term) => term.words.some((word) => !isCommon(`"${word}"`)))
  const run = (by: MatchedBy, expression: string) => {
    const whole = framed(expression, query)
    const result = ranked
      ? matchDocs(reader, whole, filter, limit)
      : newestMatches(reader, whole, filter, { limit, ms: COMMON_WORDS_MS })
    add(found, by, result)
    return result.matches.length
  }
  // A phrase of common words alone would be looked for through the whole index, whatever bounds are set.
  if (query.phrase !== null && query.terms.length <= 16 && ranked) run('phrase', query.phrase)
  if (ranked) found.strict = framed(meant.map(ownText).join(' AND '), query)
  const all = run('all', required.map(ownText).join(' AND '))
  // A single word by itself is looked for, not asked about: only texts that hold it are meant.
  const looked = query.terms.length === 1 && all > 0
  if (meant.length === 0 || looked || all >= ENOUGH || found.partial) return
  const any = anyOf(reader, rare)
  if (any.length > 0) run('any', any.join(' OR '))
  const related = anyOf(reader, [...rare, ...rare.flatMap(inOtherWords).slice(0, MOST_OTHER_WORDS)])
  if (related.length > any.length && !found.partial) {
    const { matches, partial } = matchDocs(reader, framed(related.join(' OR '), query), filter, limit)
    // Not counted: nobody asked for these words.
    found.stages.push({ by: 'any', matches, weight: RELATED_WEIGHT })
    found.partial ||= partial
  }
}

/** Words that may mean about the same, each a term of its own. */
const inOtherWords = (term: Term): Term[] =>
  term.related.map((word) => ({ ...term, raw: word, whole: `"${word}"`, pieces: [], words: [word], related: [] }))

/** The words that say something; all of them where none does. */
function meantTerms(query: RecallQuery): readonly Term[] {
  const meant = query.terms.filter((term) => !term.filler)
  return meant.length > 0 || query.phrases.length > 0 ? meant : query.terms
}

/** Words and parts of words, the rarest first, as many as may be touched. */
function anyOf(reader: Reader, terms: readonly Term[]): string[] {
  const expressions = [...new Set(terms.flatMap((term) => [term.whole, ...term.pieces]))]
  const counted = expressions
    .map((expression) => ({ expression, rows: frequencyOf(reader, expression, COMMON) }))
    .filter(({ rows }) => rows > 0 && rows < COMMON)
    .sort((a, b) => a.rows - b.rows)
  const chosen: string[] = []
  let touched = 0
  for (const { expression, rows } of counted) {
    if (chosen.length > 0 && touched + rows > MOST_TOUCHED) break
    chosen.push(expression)
    touched += rows
  }
  return chosen
}

/** In the document itself: a neighbour's words are no reason to demand or to exclude it. */
const ownText = (term: Term): string => `{text parts} : (${term.whole})`

/** What every hit must hold, and must not. */
function framed(expression: string, query: RecallQuery, sayTerm: (term: Term) => string = ownText): string {
  const must = [...query.phrases.map(sayTerm), ...(expression === '' ? [] : [expression])]
  const kept = must.map((part) => `(${part})`).join(' AND ')
  return query.excluded.length === 0 ? kept : `(${kept}) NOT (${query.excluded.map(sayTerm).join(' OR ')})`
}

/** Tool traffic, which has an index of its own. */
export function toolStages(reader: Reader, query: RecallQuery, filter: DocFilter, limit: number, found: Found): void {
  const terms = meantTerms(query)
  if (terms.length === 0 && query.phrases.length === 0) return
  // The index of tool traffic has one column.
  const plain = (term: Term) => term.whole
  const all = framed(terms.map(plain).join(' AND '), query, plain)
  const strict = matchTools(reader, all, filter, limit)
  add(found, 'all', strict)
  if (strict.matches.length > 0 || terms.length < 2) return
  add(found, 'any', matchTools(reader, framed(terms.map(plain).join(' OR '), query, plain), filter, limit))
}
