import { parseQuery } from '../../recall/query.ts'
import { valuesMeant } from '../../recall/stored-filters.ts'
import type { SearchResult } from '../../recall/search.ts'
import { matchEpisodes } from '../../store/read/recall-episodes.ts'
import type { Reader } from '../../store/read/reader.ts'

interface SearchInput {
  readonly query: string
  readonly responses: boolean
  readonly session_id?: string | undefined
  readonly project?: string | undefined
  readonly of_client?: string | undefined
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly syntax?: 'plain' | 'fts5' | undefined
}

const MAX_EPISODES = 2
/** Hits before the episodes: actual quotes come first. */
const HITS_BEFORE = 2

/** Adds episodes that have all telling words of the query, unless a hit already covers them. */
export function withEpisodes(reader: Reader, input: SearchInput, found: SearchResult): SearchResult {
  const match =
    input.syntax === 'fts5' || !input.responses || input.of_client !== undefined ? null : expressionOf(input.query)
  if (match === null) return found
  const { session_id: session, project, since, until } = input
  const filter = {
    session: session ?? null,
    project: valuesMeant(reader, 'project', project ?? null),
    since: since ?? null,
    until: until ?? null,
  }
  const listed = new Set(found.ranked.map(({ doc }) => doc.event_uuid))
  const episodes = matchEpisodes(reader, match, filter, MAX_EPISODES).filter((doc) => !listed.has(doc.event_uuid))
  if (episodes.length === 0) return found
  const before = found.ranked.slice(0, HITS_BEFORE)
  const score = before.at(-1)?.score ?? 0
  const ranked = [...before, ...episodes.map((doc) => ({ doc, score })), ...found.ranked.slice(HITS_BEFORE)]
  return { ...found, ranked, total: found.total + episodes.length }
}

/** Returns null if the query has no telling words, or filters by something that episodes do not have. */
function expressionOf(text: string): string | null {
  const query = parseQuery(text)
  const distinctive = query.terms.filter(({ isStopWord }) => !isStopWord)
  const wanted = [...distinctive, ...query.phrases]
  if (Object.keys(query.not).length > 0) return null
  const narrowed = [
    query.tool,
    query.model,
    query.agent,
    query.client,
    query.session,
    query.project,
    query.before,
    query.after,
  ]
  if (wanted.length === 0 || query.kinds.length > 0 || narrowed.some((value) => value !== null)) return null
  const all = wanted.map(({ whole }) => `(${whole})`).join(' AND ')
  return query.excluded.length === 0 ? all : `(${all}) NOT (${query.excluded.map(({ whole }) => whole).join(' OR ')})`
}
