import { correctionsOf, notesOf, unknownWordsOf, notesOfArguments, respell } from './search-notes.ts'
import type { RecallNotes } from '../../shared/contract/recall-notes.ts'
import { type FilterName, isDocKind } from './filters.ts'
import { filterOf } from './search-filter.ts'
import { storedMatches } from './stored-filters.ts'
import { type DocType, findDocs, type FoundDoc, withUuids } from '../store/read/recall-docs.ts'
import type { Reader } from '../store/read/reader.ts'
import { answersIn } from './answers.ts'
import { apart, rankDifferent } from './copies.ts'
import { lastWordOf, readQueryWords } from './query-words.ts'
import { wordsToMark } from './hit-marks.ts'
import { closenessOf } from './closeness.ts'
import { sinkEchoes } from './echoes.ts'
import { textsWithPasted } from './pasted.ts'
import { parseQuery, type RecallQuery } from './query.ts'
import { searchedPart } from './searched-part.ts'
import { questionIn } from './question.ts'
import { addRanks, fuse, type MatchedBy, type Ranked } from './rank.ts'
import { bestFirst, rankBest } from './rank-best.ts'
import { plainStages, rawStages } from './run-stages.ts'
import type { DocFilter, Found } from './stages.ts'
import { isTalk, talkAnswersIn } from './talk-answers.ts'
import { timeNamed } from './times-named.ts'
import { PASTED, TALK, WITHOUT_A_WORD } from './weights.ts'

export interface SearchOptions {
  readonly query: string
  readonly types: readonly DocType[]
  readonly tools: boolean
  readonly session: string | null
  /** A path, or the name of a folder. */
  readonly project: string | null
  /** ISO 8601. */
  readonly since: string | null
  readonly until: string | null
  /** Name of a client. */
  readonly client: string | null
  /** IANA name of the time zone of dates; default: the local one. */
  readonly zone?: string | undefined
  readonly order: 'relevance' | 'time'
  readonly syntax: 'plain' | 'fts5'
  /** The last word is still being typed: match it as a prefix. */
  readonly prefix: boolean
  /** Maximum number of hits. */
  readonly limit: number
  /** Milliseconds since 1970, to compute each text's age. */
  readonly now: number
}

export interface SearchResult extends Pick<SearchOptions, 'limit'> {
  /** Best first, or newest first. */
  readonly ranked: readonly Ranked[]
  /** Number of documents that match the loosest expression tried. */
  readonly total: number
  /** The total is not exact: there may be more. */
  readonly isAbout: boolean
  /** Hits may have none of the words: the answer to a question may be next to the text that has them. */
  readonly isQuestion: boolean
  readonly matchedBy: readonly MatchedBy[]
  readonly partial: boolean
  /** Matches texts with all words, for counting; null if there is no such expression. */
  readonly strict: string | null
  /** The query as it was read, and what it and the arguments select. */
  readonly query: RecallQuery
  readonly filter: DocFilter
  /** Folded words of the query, for highlighting. */
  readonly words: readonly string[]
  /** Other names and related words, some of several words, for hits that have none of the words. */
  readonly otherNames: readonly string[]
  /** Maps other forms to their query word, for highlighting. */
  readonly forms: ReadonlyMap<string, string>
  /** Words that may go on, folded: the one being typed, and those with `*`. */
  readonly prefixes: readonly string[]
  readonly notes: RecallNotes
}

/** Documents that each list contributes to the ranking of the first hits; twice as many for each further round. */
const CANDIDATES = 150
/** Longer lists are not read only to pass by copies. */
const MAX_CANDIDATES = 2400
/** The best candidates are read and scored by their text: about 0.1 ms each. */
const MAX_READ = 40

/**
 * Searches for the phrase, for all words and for any word, and fuses the results into one ranking. Hits of later rounds
 * are appended: longer lists have another order, so pages would otherwise repeat some hits and lose others. Copies of a
 * text from other times follow all others.
 */
export function search(reader: Reader, asked: SearchOptions): SearchResult {
  let result = searchOnce(reader, asked, CANDIDATES)
  const whole = { ...asked, limit: Number.MAX_SAFE_INTEGER }
  for (let candidates = 2 * CANDIDATES; result.isCut && lacksHits(result, asked.limit, candidates); candidates *= 2)
    result = followedBy(reader, result, searchOnce(reader, whole, candidates), candidates)
  return { ...result, ranked: named(reader, result.ranked.slice(0, asked.limit)) }
}

interface Round extends Omit<SearchResult, 'ranked'> {
  readonly ranked: readonly Ranked<FoundDoc>[]
  /** A list has more documents than requested. */
  readonly isCut: boolean
  /** Number of hits at the beginning whose texts differ; the others are copies. */
  readonly different: number
}

/** Lists may be cut within the copies of a text, before those that differ. */
const lacksHits = ({ ranked, different }: Round, limit: number, candidates: number): boolean =>
  ranked.length < limit || (different < limit && candidates <= MAX_CANDIDATES)

/** Adds the new hits of a longer round, before copies unless too many or by time; the first counts stay on all pages. */
function followedBy(reader: Reader, first: Round, longer: Round, candidates: number): Round {
  const known = new Set(first.ranked.flatMap((hit) => eachText(hit).map(({ doc }) => doc.id)))
  const last = first.ranked.at(-1)?.score ?? Number.POSITIVE_INFINITY
  const further = longer.ranked
    .flatMap(eachText)
    .filter(({ doc }) => !known.has(doc.id))
    .map(({ doc, score }) => ({ doc, score: Math.min(score, last) }))
  const { different, copies } = apart(reader, further, first.ranked.slice(0, first.different))
  const round = { ...first, isCut: longer.isCut, partial: first.partial || longer.partial }
  const isByTime = longer.filter.isNewestFirst === true
  if (isByTime || candidates > MAX_CANDIDATES) {
    const added = [...different, ...copies]
    return { ...round, ranked: [...first.ranked, ...(isByTime ? newestFirst(added) : added)] }
  }
  const ranked = [...first.ranked.toSpliced(first.different, 0, ...different), ...copies]
  return { ...round, ranked, different: first.different + different.length }
}

/** Sorts hits by time, of one moment those recorded last first. */
export const newestFirst = <Doc extends FoundDoc>(hits: readonly Ranked<Doc>[]): Ranked<Doc>[] =>
  hits.toSorted((a, b) =>
    a.doc.timestamp < b.doc.timestamp ? 1 : a.doc.timestamp > b.doc.timestamp ? -1 : b.doc.id - a.doc.id,
  )

const eachText = ({ doc, score, same = [] }: Ranked<FoundDoc>): Ranked<FoundDoc>[] =>
  [doc, ...same].map((one) => ({ doc: one, score }))

function searchOnce(reader: Reader, asked: SearchOptions, candidates: number): Round {
  const options = { ...asked, candidates, ...(asked.syntax === 'fts5' ? {} : { query: searchedPart(asked.query) }) }
  const { query, found, filter, notes } = findStages(reader, options)
  const scores = fuse(found.stages)
  const isOfTexts = query.kinds.length > 0 ? query.kinds.some(isDocKind) : options.types.length > 0
  const pasted = options.syntax === 'plain' && isOfTexts ? pastedIn(reader, options, filter) : []
  // A text that holds what was typed may do so in words that no list asks for.
  const unlisted = pasted.filter((id) => !scores.has(id)).length
  for (const id of pasted) scores.set(id, (scores.get(id) ?? 0) + PASTED)
  const docs = findDocs(reader, bestFirst(scores).slice(0, MAX_READ))
  const isAnswer = options.syntax === 'plain' && scoreTexts(reader, { text: options.query, query }, scores, docs)
  // A search for prompts only looks for the question itself.
  if (filter.types.some((type) => type !== 'user_prompt') || filter.types.length === 0)
    sinkEchoes(reader, query, scores, { docs, pasted })
  const ranking = { now: options.now, named: timeNamed(options.query, options.now), spread: !isAnswer }
  const isByTime = options.order === 'time'
  // The newest may be any of them, the best must have a good score, and copies of tool traffic are found by reading all.
  const { different, copies } =
    isByTime || found.hasTools
      ? apart(reader, rankBest(reader, scores, docs, { ...ranking, limit: scores.size }))
      : rankDifferent(reader, scores, docs, { ...ranking, limit: options.limit })
  let ranked = [...different, ...copies]
  const cut = found.stages.filter(({ matches }) => matches.length >= candidates)
  if (isByTime) {
    // A list that was cut may continue with texts newer than the last ones of another list.
    const ends = cut.map(({ matches }) => docs.get(matches.at(-1)?.id ?? 0)?.timestamp ?? '')
    const complete = found.strict === null ? '' : (ends.toSorted().at(-1) ?? '')
    ranked = newestFirst(ranked).filter(({ doc }) => doc.timestamp >= complete)
  }
  return {
    ranked: ranked.slice(0, options.limit),
    different: isByTime ? options.limit : Math.min(different.length, options.limit),
    limit: options.limit,
    total: found.total + unlisted,
    isAbout: found.isAbout || found.partial,
    isQuestion: options.syntax === 'plain' && questionIn(query.typed) !== null,
    matchedBy: unlisted > 0 ? [...new Set<MatchedBy>(['phrase', ...waysOf(found)])] : waysOf(found),
    partial: found.partial,
    isCut: cut.length > 0,
    strict: found.strict,
    query,
    filter,
    ...wordsToMark(query),
    notes:
      options.query.length === asked.query.length ? notes : { ...notes, searched_characters: options.query.length },
  }
}

/** Returns how the hits match. `all` would be untrue of texts without the common words. */
const waysOf = ({ stages, lacksCommon, hasRelated }: Found): MatchedBy[] => [
  ...new Set([
    ...stages
      .filter(({ matches, counted }) => matches.length > 0 && counted > 0)
      .map(({ by }) => (by === 'all' && lacksCommon ? ('any' as const) : by)),
    ...(hasRelated ? (['related'] as const) : []),
  ]),
]

/** Reads the uuids of the hits only: each candidate's would cost another page of the file. */
function named(reader: Reader, ranked: readonly Ranked<FoundDoc>[]): Ranked[] {
  const hits = new Map(ranked.map((hit) => [hit.doc.id, hit]))
  return withUuids(
    reader,
    ranked.map(({ doc }) => doc),
  ).map((doc) => ({ score: 0, ...hits.get(doc.id), doc }))
}

/** A question does not repeat its answer's words: nobody pastes one, and searching for it as a phrase takes time. */
const pastedIn = (reader: Reader, { query }: SearchOptions, filter: DocFilter): number[] =>
  query.trim().endsWith('?') ? [] : textsWithPasted(reader, query, filter)

interface RoundOptions extends SearchOptions {
  readonly candidates: number
}

interface FoundStages {
  readonly query: RecallQuery
  readonly found: Found
  readonly filter: DocFilter
  readonly notes: RecallNotes
}

/** Parses the query and runs its lists. Relaxes it if it finds nothing: quotations, then spelling. */
function findStages(reader: Reader, options: RoundOptions): FoundStages {
  const lookUp = (name: FilterName, value: string) => storedMatches(reader, name, value)
  const last = options.prefix
    ? lastWordOf(reader, options.query, (prefix) => parseQuery(options.query, { lookUp, prefix }))
    : 'whole'
  const run = (text: string, softQuotes = false): FoundStages => {
    const query = parseQuery(text, {
      prefix: last === 'prefix',
      lookUp,
      now: options.now,
      zone: options.zone,
      softQuotes,
    })
    const filter = filterOf(reader, query, options)
    const found =
      options.syntax === 'fts5' ? rawStages(reader, options, filter) : plainStages(reader, query, options, filter)
    return { query, filter, found, notes: notesOf(reader, query, options) }
  }
  const first = run(options.query)
  if (options.syntax === 'fts5') return { ...first, notes: notesOfArguments(reader, options) }
  const strict = first.query.phrases.length > 0 && first.query.terms.some((term) => !term.isStopWord)
  const loose = strict && !hasAll(first.found) ? run(options.query, true) : first
  const best = hasAny(loose.found) ? loose : first
  const quotes = best === first ? {} : { quotes: 'preferred' as const }
  // A word that is still being typed is misspelt only if no stored word begins with it.
  if (last === 'begun' || best.found.partial) return { ...best, notes: { ...best.notes, ...quotes } }
  // A correction that finds nothing under the same filters is worse than none.
  const finds = (word: string) => hasAll(plainStages(reader, parseQuery(word), options, best.filter))
  const corrections = correctionsOf(reader, best.query).filter(({ meant }) => finds(meant))
  const unknown = unknownWordsOf(reader, best.query, { corrections, hasHits: hasAny(best.found) })
  const notes = { ...quotes, ...(unknown.length === 0 ? {} : { unknown_words: unknown }) }
  if (corrections.length === 0) return { ...best, notes: { ...best.notes, ...notes } }
  const query = respell(options.query, corrections)
  if (hasAny(best.found)) {
    return { ...best, notes: { ...best.notes, ...notes, did_you_mean: { query, searched: false } } }
  }
  const again = run(query, true)
  return { ...again, notes: { ...again.notes, ...notes, did_you_mean: { query, searched: true } } }
}

const hasAny = ({ stages }: Found): boolean => stages.some(({ matches }) => matches.length > 0)
const hasAll = ({ stages }: Found): boolean =>
  stages.some(({ by, matches }) => by !== 'any' && by !== 'related' && matches.length > 0)

/** Reads the best documents and adds a score for their text. Returns true if they were ranked as answers about work. */
function scoreTexts(
  reader: Reader,
  { text, query }: { readonly text: string; readonly query: RecallQuery },
  scores: Map<number, number>,
  docs: ReadonlyMap<number, FoundDoc>,
): boolean {
  const queryWords = readQueryWords(reader, query)
  if (queryWords.length === 0) return false
  const best = bestFirst(scores).flatMap((id) => docs.get(id) ?? [])
  const candidates = best.filter(({ match_type }) => match_type !== 'tool')
  const question = questionIn(text)
  if (question === null) {
    const close = [...closenessOf(reader, candidates, queryWords)].sort(([, a], [, b]) => b.score - a.score)
    addRanks(
      scores,
      close.map(([id]) => id),
    )
    for (const [id, { hasWord }] of close) if (!hasWord) scores.set(id, (scores.get(id) ?? 0) * WITHOUT_A_WORD)
    return false
  }
  const talk = isTalk(reader, candidates)
  const weight = talk ? TALK.whole : 1
  const answers = (talk ? talkAnswersIn : answersIn)(reader, candidates, queryWords, question)
  for (const [id, score] of answers) scores.set(id, (scores.get(id) ?? 0) + weight * score)
  return !talk
}
