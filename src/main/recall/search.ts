import {
  checkExpression,
  frequencyOf,
  type Matched,
  matchDocs,
  matchTools,
  newestDocs,
  newestMatches,
  type RecallFilter,
} from '../store/read/recall.ts'
import { docsById, type DocType } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { parseQuery, type RecallQuery, type Term } from './query.ts'
import { fuse, type MatchedBy, type Ranked, rankDocs, type Stage } from './rank.ts'

export interface SearchOptions {
  readonly query: string
  readonly types: readonly DocType[]
  readonly tools: boolean
  readonly session: string | null
  readonly project: string | null
  /** ISO 8601. */
  readonly since: string | null
  readonly until: string | null
  readonly order: 'relevance' | 'time'
  readonly syntax: 'plain' | 'fts5'
  /** The last word is still being typed. */
  readonly prefix: boolean
  /** The most hits wanted. */
  readonly most: number
  /** Milliseconds since 1970, for the weight of age. */
  readonly now: number
}

export interface SearchResult {
  /** Best first, or newest first. */
  readonly ranked: readonly Ranked[]
  /** Documents that match in the loosest way that was tried. */
  readonly total: number
  readonly matchedBy: readonly MatchedBy[]
  readonly partial: boolean
  /** Folded words of the query, for marks. */
  readonly words: readonly string[]
  /** The word that is still being typed, folded. */
  readonly prefix: string | null
}

/** How many documents a list brings into the ranking. */
const CANDIDATES = 150
/** A word in more documents than this is common: it is left out where another word is there. */
const COMMON = 20_000
/** Documents that `any` may touch; ranking costs about a microsecond for each. */
const MOST_TOUCHED = 15_000
/** Milliseconds for going back through the log where every word is common. */
const COMMON_WORDS_MS = 12
/** So many documents that hold all words, and those with any need not be looked for. */
const ENOUGH = 100

/** Searches: as a phrase, then all words, then any of them; fused, weighed, best first. */
export function search(reader: Reader, options: SearchOptions): SearchResult {
  const query = parseQuery(options.query, { prefix: options.prefix })
  const filter = filterOf(query, options)
  const docTypes = options.types.length > 0 || query.kinds.length > 0
  const found =
    options.syntax === 'fts5'
      ? rawStages(reader, options, filter)
      : plainStages(reader, query, options, filter, docTypes)
  const docs = docsById(reader, [...new Set(found.stages.flatMap((stage) => stage.matches.map((match) => match.id)))])
  const ranked = rankDocs(fuse(found.stages), docs, options.now)
  if (options.order === 'time') {
    ranked.sort((a, b) =>
      a.doc.timestamp < b.doc.timestamp ? 1 : a.doc.timestamp > b.doc.timestamp ? -1 : b.doc.id - a.doc.id,
    )
  }
  const asked = [...query.terms, ...query.phrases]
  const meant = asked.some((term) => !term.filler) ? asked.filter((term) => !term.filler) : asked
  return {
    ranked: ranked.slice(0, options.most),
    total: Math.max(found.total, ranked.length),
    matchedBy: found.stages.filter((stage) => stage.matches.length > 0).map((stage) => stage.by),
    partial: found.partial,
    words: [...new Set(meant.flatMap((term) => term.words))],
    prefix: options.prefix ? (asked.at(-1)?.words.at(-1) ?? null) : null,
  }
}

interface Found {
  readonly stages: Stage[]
  total: number
  partial: boolean
}

function filterOf(query: RecallQuery, options: SearchOptions): RecallFilter & { tool: string | null } {
  const wanted = query.kinds.filter((kind): kind is DocType => kind !== 'tool')
  const later = (a: string | null, b: string | null) => (a === null ? b : b === null ? a : a > b ? a : b)
  const sooner = (a: string | null, b: string | null) => (a === null ? b : b === null ? a : a < b ? a : b)
  const types = wanted.length > 0 ? wanted : options.types
  return {
    // All of them is no filter.
    types: types.length === 4 ? [] : types,
    session: query.session ?? options.session,
    project: query.project ?? options.project,
    since: later(query.after, options.since),
    until: sooner(query.before, options.until),
    agent: query.agent,
    model: query.model,
    tool: query.tool,
  }
}

function add(found: Found, by: MatchedBy, result: Matched): void {
  found.stages.push({ by, matches: result.matches })
  found.total = Math.max(found.total, result.counted)
  found.partial ||= result.partial
}

function rawStages(reader: Reader, options: SearchOptions, filter: RecallFilter & { tool: string | null }): Found {
  const found: Found = { stages: [], total: 0, partial: false }
  checkExpression(reader, options.query)
  if (options.types.length > 0) {
    // Of the text itself: the column of the neighbours would bring texts that hold none of the words.
    const own = `{text parts} : (${options.query})`
    add(found, 'raw', matchDocs(reader, own, filter, Math.max(CANDIDATES, options.most)))
  }
  return found
}

function plainStages(
  reader: Reader,
  query: RecallQuery,
  options: SearchOptions,
  filter: RecallFilter & { tool: string | null },
  docTypes: boolean,
): Found {
  const found: Found = { stages: [], total: 0, partial: false }
  const candidates = Math.max(CANDIDATES, options.most)
  const onlyTools = filter.tool !== null || (query.kinds.length > 0 && query.kinds.every((kind) => kind === 'tool'))
  if (docTypes && !onlyTools) docStages(reader, query, filter, candidates, found)
  if (options.tools || onlyTools || query.kinds.includes('tool')) toolStages(reader, query, filter, candidates, found)
  return found
}

function docStages(reader: Reader, query: RecallQuery, filter: RecallFilter, limit: number, found: Found): void {
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
  const all = run('all', required.map(ownText).join(' AND '))
  // A single word by itself is looked for, not asked about: only texts that hold it are meant.
  const looked = query.terms.length === 1 && all > 0
  if (meant.length === 0 || looked || all >= ENOUGH || found.partial) return
  const any = anyOf(reader, rare)
  if (any.length > 0) run('any', any.join(' OR '))
}

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

function toolStages(
  reader: Reader,
  query: RecallQuery,
  filter: RecallFilter & { tool: string | null },
  limit: number,
  found: Found,
): void {
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
