import { matchWords } from '../../recall/query.ts'
import type { Ranked } from '../../recall/rank.ts'
import type { SearchResult } from '../../recall/search.ts'
import { memoryMatches, rememberedMatches } from '../../store/read/people.ts'
import { docsById, type RecallDocRow } from '../../store/read/recall-docs.ts'
import type { Reader } from '../../store/read/reader.ts'

interface SearchInput {
  readonly query: string
  readonly session_id?: string | undefined
  readonly project?: string | undefined
  readonly syntax?: 'plain' | 'fts5' | undefined
}

const MOST_MEMORIES = 20

/**
 * Ranks what people marked to be remembered first: their notes, each shown in place of its event, then marked events, even
 * those that have all the words but rank too low to be found.
 */
export function withRememberedFirst(
  reader: Reader,
  input: SearchInput,
  found: SearchResult,
  remembered: ReadonlySet<string>,
): SearchResult {
  if (remembered.size === 0) return found
  const words = input.syntax === 'fts5' ? null : matchWords(input.query)
  const facts = words === null ? [] : factsMatching(reader, input, words)
  const reported = new Set(facts.map(({ event_uuid }) => event_uuid))
  const listed = new Set(found.ranked.map(({ doc }) => doc.id))
  const ids = words === null ? [] : rememberedMatches(reader, words).filter((id) => !listed.has(id))
  const unlisted = [...docsById(reader, ids).values()].filter(
    (doc) => (input.session_id ?? doc.session_id) === doc.session_id && (input.project ?? doc.project) === doc.project,
  )
  const isReported = ({ doc }: { readonly doc: RecallDocRow }) => reported.has(doc.event_uuid)
  const isKept = ({ doc }: Ranked) => remembered.has(doc.event_uuid)
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

function factsMatching(reader: Reader, { session_id, project }: SearchInput, words: string): readonly RecallDocRow[] {
  const where = { session: session_id ?? null, project: project ?? null, limit: MOST_MEMORIES }
  return memoryMatches(reader, words, where).map((doc) => ({ ...doc, match_type: 'memory' }))
}
