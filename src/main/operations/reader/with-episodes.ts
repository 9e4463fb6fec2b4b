import type { ParsedInput } from '../../../shared/contract/index.ts'
import { excludedWords } from '../../recall/quotations.ts'
import type { RecallQuery } from '../../recall/query.ts'
import type { SearchResult } from '../../recall/search.ts'
import { matchEpisodes } from '../../store/read/recall-episodes.ts'
import { MAX_NEWEST } from '../../store/read/recall.ts'
import type { Reader } from '../../store/read/reader.ts'

type SearchInput = Pick<ParsedInput<'recall.search'>, 'responses' | 'of_client' | 'syntax'>

const MAX_EPISODES = 2
/** Hits before the episodes: actual quotes come first. */
const HITS_BEFORE = 2
/** What is among so many hits decides what else is listed. A search for fewer also reads them, so that all its pages agree. */
export const FIRST_HITS = 10

/**
 * Adds episodes that have all telling words of the query, unless one of the first hits is their event or its words filter.
 * Only `kind:episode` lists all of them.
 */
export function withEpisodes(reader: Reader, input: SearchInput, found: SearchResult): SearchResult {
  if (input.syntax === 'fts5' || !input.responses || input.of_client !== undefined) return found
  const { query } = found
  const isAsked = query.kinds.includes('episode')
  const isNarrowed = [query.session, query.project, query.after, query.before].some((value) => value !== null)
  if (!isAsked && (isNarrowed || query.kinds.length > 0)) return found
  const match = expressionOf(query)
  if (match === undefined || (match === null && !isAsked)) return found
  const most = Math.max(MAX_NEWEST, found.limit)
  const matching = matchEpisodes(reader, match, found.filter, isAsked ? most + 1 : MAX_EPISODES)
  const listed = new Set(found.ranked.slice(0, FIRST_HITS).map(({ doc }) => doc.event_uuid))
  const episodes = isAsked ? matching : matching.filter((doc) => !listed.has(doc.event_uuid))
  if (episodes.length === 0) return found
  const before = found.ranked.slice(0, HITS_BEFORE)
  const score = before.at(-1)?.score ?? 0
  const ranked = [...before, ...episodes.map((doc) => ({ doc, score })), ...found.ranked.slice(HITS_BEFORE)]
  const matchedBy = found.matchedBy.length === 0 ? (['all'] as const) : found.matchedBy
  const isAbout = found.isAbout || episodes.length > most
  return { ...found, ranked, matchedBy, isAbout, total: found.total + Math.min(episodes.length, most) }
}

/** Returns null if the query has no telling words; undefined if it filters by something that episodes do not have. */
function expressionOf(query: RecallQuery): string | null | undefined {
  const narrowed = [query.tool, query.model, query.agent, query.client]
  if (Object.keys(query.not).length > 0 || narrowed.some((value) => value !== null)) return undefined
  const wanted = [...query.terms.filter(({ isStopWord }) => !isStopWord), ...query.phrases]
  if (wanted.length === 0) return query.terms.length === 0 ? null : undefined
  const all = wanted.map(({ whole }) => `(${whole})`).join(' AND ')
  const excluded = excludedWords(query).map(({ whole }) => whole)
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(' OR ')})`
}
