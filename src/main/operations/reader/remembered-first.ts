import { createMarkFinder } from '../../recall/marks.ts'
import { matchWords } from '../../recall/match-words.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import type { Ranked } from '../../recall/rank.ts'
import type { SearchResult } from '../../recall/search.ts'
import { sessionProject } from '../../store/read/guard.ts'
import { memoryMatches, type MemoryScope, rememberedMatches } from '../../store/read/people.ts'
import { docsById, type RecallDocRow, textOf } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'

type SearchInput = Pick<ParsedInput<'recall.search'>, 'of_client' | 'syntax'>

const MAX_MEMORIES = 20

/**
 * Ranks what people marked to be remembered first: their notes, each shown instead of its event, then marked events that
 * have a word of the query, even those that have all the words but rank too low to be found.
 */
export function withRememberedFirst(
  reader: Reader,
  input: SearchInput,
  found: SearchResult,
  remembered: ReadonlySet<string>,
): SearchResult {
  if (remembered.size === 0) return found
  const { query } = found
  const scope = input.syntax === 'fts5' ? null : scopeOf(found, input)
  // Filters are no words of a memory.
  const words = scope === null ? null : matchWords(query.typed)
  const facts = scope === null || words === null ? [] : factsMatching(reader, scope, words)
  const reported = new Set(facts.map(({ event_uuid }) => event_uuid))
  const listed = new Set(found.ranked.map(({ doc }) => doc.id))
  const ids =
    words === null || query.kinds.length > 0 ? [] : rememberedMatches(reader, words).filter((id) => !listed.has(id))
  const unlisted = [...docsById(reader, ids).values()].filter((doc) => scope !== null && isWithin(reader, scope, doc))
  const isReported = ({ doc }: { readonly doc: RecallDocRow }) => reported.has(doc.event_uuid)
  const finder = createMarkFinder([...found.words, ...found.otherWords], found.prefixes, found.forms)
  const hasWord = (doc: RecallDocRow) => found.words.length === 0 || finder.find(textOf(reader, doc), 1).length > 0
  const isKept = ({ doc }: Ranked) => remembered.has(doc.event_uuid) && hasWord(doc)
  const kept = [
    ...facts.map((doc) => ({ doc, score: 0 })),
    ...[...found.ranked.filter(isKept), ...unlisted.map((doc) => ({ doc, score: 0 }))].filter(
      (entry) => !isReported(entry),
    ),
  ]
  const best = found.ranked[0]?.score ?? 0
  const first = kept.map((entry, at) => ({ ...entry, score: best + 1 + (kept.length - at) / kept.length }))
  const ranked = [...first, ...found.ranked.filter((entry) => !isKept(entry))]
  return { ...found, ranked, total: Math.max(found.total, ranked.length) }
}

function factsMatching(reader: Reader, scope: MemoryScope, words: string): readonly RecallDocRow[] {
  return memoryMatches(reader, words, { ...scope, limit: MAX_MEMORIES }).map((doc) => ({
    ...doc,
    match_type: 'memory',
  }))
}

/**
 * Returns the scope of a search, its own fields and the filters in its text; null if a filter does not apply to
 * memories: then only remembered hits are ranked first.
 */
function scopeOf({ query, filter }: SearchResult, input: SearchInput): MemoryScope | null {
  const others = [query.tool, query.model, query.agent, query.client, input.of_client ?? null]
  if (query.kinds.some((kind) => kind !== 'memory') || query.excluded.length > 0) return null
  return others.every((value) => value === null) && Object.keys(query.not).length === 0 ? filter : null
}

const isWithin = (reader: Reader, scope: MemoryScope, doc: RecallDocRow): boolean =>
  (scope.session === null || scope.session.includes(doc.session_id)) &&
  (scope.project === null ||
    scope.project.includes(doc.project ?? '') ||
    scope.project.includes(sessionProject(reader, doc.session_id) ?? '')) &&
  (scope.since ?? '') <= doc.timestamp &&
  (scope.until === null || doc.timestamp < scope.until)
