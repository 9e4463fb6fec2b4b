import { finderFor } from '../../recall/hit-marks.ts'
import { excludedWords } from '../../recall/quotations.ts'
import { matchWords } from '../../recall/match-words.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import type { Ranked } from '../../recall/rank.ts'
import { newestFirst, type SearchResult } from '../../recall/search.ts'
import { sessionProject } from '../../store/read/guard.ts'
import { memoryMatches, type MemoryScope, rememberedMatches, rememberedUuids } from '../../store/read/people.ts'
import { docsById, type RecallDocRow, textOf } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'
import { typesOf } from './search-types.ts'
import { FIRST_HITS, withEpisodes } from './with-episodes.ts'

type SearchInput = Pick<
  ParsedInput<'recall.search'>,
  'of_client' | 'syntax' | 'prompts' | 'thinking' | 'responses' | 'tools'
> &
  Partial<Pick<ParsedInput<'recall.search'>, 'order'>>

const MAX_MEMORIES = 20

/** Adds memories and episodes to the texts that a search found. By time, only those that it asks for by kind. */
export function withMemoriesAndEpisodes(reader: Reader, input: SearchInput, found: SearchResult): SearchResult {
  // Their indexes are rebuilt with that of the texts.
  if (found.notes.index !== undefined) return found
  const isByTime = input.order === 'time'
  if (isByTime && !found.query.kinds.some((kind) => kind === 'memory' || kind === 'episode')) return found
  const all = withRememberedFirst(reader, input, withEpisodes(reader, input, found))
  return isByTime ? { ...all, ranked: newestFirst(all.ranked) } : all
}

/**
 * Ranks what people marked to be remembered first: their notes, each shown instead of its event, then marked events that
 * have a word of the query and are among the first hits, or that have all words.
 */
function withRememberedFirst(reader: Reader, input: SearchInput, found: SearchResult): SearchResult {
  const remembered = rememberedUuids(reader)
  if (remembered.size === 0) return found
  const { query } = found
  const isAsked = query.kinds.includes('memory')
  const scope = input.syntax === 'fts5' ? null : scopeOf(found, input)
  // Filters are no words of a memory.
  const words = scope === null ? null : matchWords(query.typed)
  const limit = isAsked ? null : MAX_MEMORIES
  const matches =
    scope === null || (words === null && !isAsked) ? [] : memoryMatches(reader, words, { ...scope, limit })
  const facts = matches.map((doc): RecallDocRow => ({ ...doc, match_type: 'memory' }))
  const withAll = new Set(words === null ? [] : rememberedMatches(reader, words, found.filter.quotations))
  const find = finderFor(found)
  const hasWord = (doc: RecallDocRow) => found.words.length === 0 || find(textOf(reader, doc)).marks.length > 0
  const types: readonly string[] =
    query.kinds.length > 0 ? query.kinds : [...typesOf(input), ...(input.tools ? ['tool'] : [])]
  const isWanted = (doc: RecallDocRow) =>
    scope !== null && types.includes(doc.match_type) && isWithin(reader, scope, doc)
  const reported = new Set(facts.map(({ event_uuid }) => event_uuid))
  const isReported = ({ doc }: Ranked) => doc.match_type !== 'episode' && reported.has(doc.event_uuid)
  const isMarked = ({ doc }: Ranked) => doc.match_type !== 'episode' && remembered.has(doc.event_uuid) && hasWord(doc)
  const marked = [
    ...found.ranked.slice(0, FIRST_HITS).filter(isMarked),
    ...[...docsById(reader, [...withAll]).values()].filter(isWanted).map((doc) => ({ doc, score: 0 })),
  ].filter((hit) => !isReported(hit))
  const kept = [...facts.map((doc) => ({ doc, score: 0 })), ...new Map(marked.map((hit) => [hit.doc.id, hit])).values()]
  const best = found.ranked[0]?.score ?? 0
  const first = kept.map((hit, at) => ({ ...hit, score: best + 1 + (kept.length - at) / kept.length }))
  const isFirst = new Set(marked.map(({ doc }) => doc.id))
  const others = found.ranked.filter(
    (hit) => !isReported(hit) && (hit.doc.match_type === 'episode' || !isFirst.has(hit.doc.id)),
  )
  const isLoose = found.matchedBy.some((by) => by === 'any' || by === 'related')
  const ids = facts.map(({ id }) => id)
  const isCounted = (doc: RecallDocRow) => isWanted(doc) && (withAll.has(doc.id) || (isLoose && hasWord(doc)))
  const replaced = [...docsById(reader, ids).values()].filter(isCounted)
  return { ...found, ranked: [...first, ...others], total: found.total + facts.length - replaced.length }
}

/**
 * Returns the scope of a search, its own fields and the filters in its text; null if a filter does not apply to
 * memories: then only remembered hits are ranked first.
 */
function scopeOf({ query, filter }: SearchResult, input: SearchInput): MemoryScope | null {
  const others = [query.tool, query.model, query.agent, query.client, input.of_client ?? null]
  if (excludedWords(query).length > 0 || (query.kinds.length > 0 && !query.kinds.includes('memory'))) return null
  return others.every((value) => value === null) && Object.keys(query.not).length === 0 ? filter : null
}

const isWithin = (reader: Reader, scope: MemoryScope, doc: RecallDocRow): boolean =>
  (scope.session === null || scope.session.includes(doc.session_id)) &&
  (scope.project === null ||
    scope.project.includes(doc.project ?? '') ||
    scope.project.includes(sessionProject(reader, doc.session_id) ?? '')) &&
  (scope.since ?? '') <= doc.timestamp &&
  (scope.until === null || doc.timestamp < scope.until)
