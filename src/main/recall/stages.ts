import {
  type Match,
  type Matched,
  matchDocs,
  matchTools,
  newestDocs,
  newestMatches,
  newestTools,
  type RecallFilter,
  type ToolFilter,
} from '../store/read/recall.ts'
import { digestsOf } from '../store/read/recall-docs.ts'
import { frequencyOf } from '../store/read/recall-frequency.ts'
import type { Reader } from '../store/read/reader.ts'
import { isNarrowed } from './filters.ts'
import type { RecallQuery } from './query.ts'
import type { Term } from './terms.ts'
import { quote } from './terms.ts'
import { excludedWords } from './quotations.ts'
import { questionIn } from './question.ts'
import type { MatchedBy, Stage } from './rank.ts'

export type DocFilter = ToolFilter

/** A word in more documents than this is common, and dropped if the query has a rarer one. */
export const COMMON = 10_000
/** Maximum number of documents that `any` may match; ranking costs about a microsecond for each. */
const MAX_ANY_DOCS = 6000
/** Maximum number of related words in one search: each costs a count of its frequency. */
const MAX_RELATED_WORDS = 24
/** Milliseconds allowed for scanning the log backwards if every word is common. */
const COMMON_WORDS_MS = 12
/** With this many matches for all words, and this many beginnings that differ, `any` is not tried. */
const ENOUGH = 100
const ENOUGH_DIFFERENT = 10

/** The ranked lists of a search, and why some are incomplete. */
export interface Found {
  readonly stages: Stage[]
  /** Documents that match the loosest list, of texts and of tool traffic. */
  total: number
  /** Words were left out of a list, so that more documents may have a word than were counted. */
  isAbout: boolean
  /** The list `all` requires only the rare words. */
  lacksCommon: boolean
  /** Some documents have only other names of the words, or related words. */
  hasRelated: boolean
  partial: boolean
  /** Some of the lists are of tool traffic. */
  readonly hasTools: boolean
  /** Matches texts with all words; null if counting them would take too long. */
  strict: string | null
}

export const nothingFound = (): Found => ({
  stages: [],
  total: 0,
  isAbout: false,
  lacksCommon: false,
  hasRelated: false,
  partial: false,
  hasTools: false,
  strict: null,
})

/** Adds a list and its count. */
export function addStage(found: Found, by: MatchedBy, result: Matched, counted = result.counted): void {
  found.stages.push({ by, matches: result.matches, counted })
  found.total = Math.max(found.total, result.counted)
  found.partial ||= result.partial
}

/** Adds what the filters of a query without words select. */
function addNewest(found: Found, query: RecallQuery, newest: () => ReturnType<typeof newestDocs>): void {
  if (!isNarrowed(query)) return
  const result = newest()
  found.isAbout ||= result.isMore
  addStage(found, 'all', result)
}

/** Searches the recorded texts: as a phrase, with all words, with any word. */
export function docStages(reader: Reader, query: RecallQuery, filter: RecallFilter, limit: number, found: Found): void {
  const significant = significantTerms(query)
  const isQuestion = questionIn(query.typed) !== null
  if (significant.length === 0 && query.phrases.length === 0) {
    // Without words, lists the documents that match the filters, newest first.
    addNewest(found, query, () => newestDocs(reader, filter, limit))
    return
  }
  const isCommon = (expression: string) => frequencyOf(reader, expression, COMMON) >= COMMON
  const rare = significant.filter((term) => !isCommon(term.whole))
  const required = rare.length > 0 ? rare : significant
  // One rare word bounds the work, whatever the other words.
  const ranked = rare.length > 0 || query.phrases.some((term) => term.words.some((word) => !isCommon(`"${word}"`)))
  const run = (by: MatchedBy, expression: string) => {
    const whole = framed(expression, query)
    const result = ranked
      ? matchDocs(reader, whole, filter, limit)
      : newestMatches(reader, whole, filter, { limit, ms: COMMON_WORDS_MS })
    found.isAbout ||= !ranked && result.matches.length >= limit
    addStage(found, by, result)
    return result.matches
  }
  // A phrase of only common words would scan the whole index, despite the limits.
  if (query.phrase !== null && query.terms.length <= 16 && ranked) run('phrase', inText(query.phrase))
  if (ranked) found.strict = allWords(query)
  const all = run('all', required.map(ownText).join(' AND '))
  found.lacksCommon ||= required.length < significant.length
  // A single word is a lookup, not a question: only texts that contain it count.
  const isLookup = query.terms.length === 1 && all.length > 0
  const isEnough = () => all.length >= ENOUGH && countBeginnings(reader, all) >= ENOUGH_DIFFERENT
  if (significant.length === 0 || isLookup || found.partial || isEnough()) return
  const textsWith = (words: readonly string[]) =>
    framed(`${inText(words.join(' OR '))} AND (${words.join(' OR ')})`, query)
  const countOf = (words: readonly string[]) =>
    words.length === 0 ? 0 : matchDocs(reader, textsWith(words), filter, 1).counted
  const names = new Set(rare.flatMap(({ synonyms }) => synonyms.map((name) => quote([name]))))
  const any = anyOf(reader, rare)
  const related = anyOf(reader, [...rare, ...rare.flatMap(relatedTerms).slice(0, MAX_RELATED_WORDS)])
  found.isAbout ||= related.isCut || rare.length < significant.length
  const lists = related.chosen.length > any.chosen.length ? (['any', 'related'] as const) : (['any'] as const)
  for (const by of lists) {
    const { chosen } = by === 'any' ? any : related
    if (chosen.length === 0 || found.partial) continue
    const words = chosen.join(' OR ')
    const own = matchDocs(reader, textsWith(chosen), filter, isQuestion ? 1 : limit)
    // The answer to a question may have none of its words: it is next to the text that has them.
    const { matches } = isQuestion ? matchDocs(reader, framed(words, query), filter, limit) : own
    const named = by === 'any' ? chosen.filter((word) => !names.has(word)) : []
    const ofWords = named.length === chosen.length ? own.counted : countOf(named)
    addStage(found, by, { ...own, matches }, ofWords)
    found.hasRelated = found.total > Math.max(...found.stages.map(({ counted }) => counted))
  }
}

/** Counts the different beginnings of texts. */
const countBeginnings = (reader: Reader, matches: readonly Match[]): number =>
  new Set(
    digestsOf(
      reader,
      matches.map(({ id }) => id),
    ).values(),
  ).size

/** Turns each related word into a term. */
const relatedTerms = (term: Term): Term[] =>
  term.related.map((word) => ({ ...term, raw: word, whole: `"${word}"`, pieces: [], words: [word], related: [] }))

/** Returns the terms that are not stop words, or all terms if the query has nothing else. */
function significantTerms(query: RecallQuery): readonly Term[] {
  const significant = query.terms.filter((term) => !term.isStopWord)
  return significant.length > 0 || query.phrases.length > 0 ? significant : query.terms
}

/** Matches texts that have all telling words themselves, and the quotations; '' if there are none. */
export const allWords = (query: RecallQuery): string =>
  significantTerms(query).length + query.phrases.length === 0
    ? ''
    : framed(significantTerms(query).map(ownText).join(' AND '), query)

/** Returns words and parts of words, rarest first, until they match too many documents together. */
function anyOf(
  reader: Reader,
  terms: readonly Term[],
): { readonly chosen: readonly string[]; readonly isCut: boolean } {
  const expressions = [...new Set(terms.flatMap((term) => [term.whole, ...term.pieces]))]
  const counted = expressions
    .map((expression) => ({ expression, rows: frequencyOf(reader, expression, COMMON) }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => a.rows - b.rows)
  const chosen: string[] = []
  let matched = 0
  for (const { expression, rows } of counted) {
    if (rows >= COMMON || (chosen.length > 0 && matched + rows > MAX_ANY_DOCS)) break
    chosen.push(expression)
    matched += rows
  }
  return { chosen, isCut: chosen.length < counted.length }
}

/** Restricts an expression to the document itself. */
const inText = (expression: string): string => `{text parts} : (${expression})`

/** Restricts a term to the document itself: words of its neighbours neither require nor exclude it. */
const ownText = (term: Term): string => inText(term.whole)

/** Adds the query's required phrases and exclusions to an expression. */
function framed(expression: string, query: RecallQuery, expressionOf: (term: Term) => string = ownText): string {
  const must = [...query.phrases.map(expressionOf), ...(expression === '' ? [] : [expression])]
  const kept = must.map((part) => `(${part})`).join(' AND ')
  const excluded = excludedWords(query).map(expressionOf)
  return excluded.length === 0 ? kept : `(${kept}) NOT (${excluded.join(' OR ')})`
}

/** Searches tool traffic, which has its own index. */
export function toolStages(reader: Reader, query: RecallQuery, filter: DocFilter, limit: number, found: Found): void {
  const terms = significantTerms(query)
  if (terms.length === 0 && query.phrases.length === 0) {
    addNewest(found, query, () => newestTools(reader, filter, limit))
    return
  }
  // The index of tool traffic has one column.
  const plain = (term: Term) => term.whole
  const all = framed(terms.map(plain).join(' AND '), query, plain)
  const strict = matchTools(reader, all, filter, limit)
  addStage(found, 'all', strict)
  if (strict.matches.length > 0 || terms.length < 2) return
  addStage(found, 'any', matchTools(reader, framed(terms.map(plain).join(' OR '), query, plain), filter, limit))
}

/** Searches tool traffic for a text as it was typed, word by word in order. */
export function typedInTools(reader: Reader, query: RecallQuery, filter: DocFilter, limit: number, found: Found): void {
  const [only] = query.terms
  const isQuoted = query.terms.length === 0 && query.phrases.length > 0
  const phrase = isQuoted ? '' : (query.phrase ?? (query.terms.length === 1 ? only?.whole : undefined))
  if (phrase === undefined) return
  const result = matchTools(
    reader,
    framed(phrase, query, (term) => term.whole),
    filter,
    limit,
  )
  if (result.matches.length > 0) addStage(found, 'phrase', result)
}
