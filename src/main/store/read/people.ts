import type { RecallDocRow } from './recall-docs.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { where } from './page.ts'
import { inBudget } from './budget.ts'
import { addQuotations, DOC_PLACE } from './quotations.ts'
import { AMONG, inProject, type RecallFilter } from './recall.ts'
import type { Reader } from './reader.ts'

type Memory = Omit<OperationOutput<'memories.list'>['items'][number], 'content'> & { readonly payload: string }

/** Returns memories, newest first; `match` is a complete FTS5 expression over facts, categories and notes. */
export function memoryRows(
  reader: Reader,
  options: {
    limit: number
    match?: string
    uuid?: string
    category?: string
    scope?: MemoryScope
  },
): Memory[] {
  const filter = where()
  if (options.match !== undefined)
    filter.add('m.id IN (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ?)', options.match)
  if (options.uuid !== undefined) filter.add('m.event_uuid = ?', options.uuid)
  if (options.category !== undefined) filter.add('m.category = ? COLLATE NOCASE', options.category)
  if (options.scope !== undefined) addScope(filter, options.scope)
  return reader.all<Memory>(
    `SELECT m.event_uuid AS uuid, m.note, m.created_at, e.kind, e.session_id, e.turn_id, e.ts_wall AS timestamp, e.project, e.payload,
       m.fact, m.category, m.confidence, m.source, m.first_confirmed_at, m.last_confirmed_at,
       1 + (SELECT count(*) FROM memory_evidence x WHERE x.memory_uuid = m.event_uuid) AS evidence_count
     FROM memories m CROSS JOIN events e ON e.uuid = m.event_uuid ${filter.sql}
     ORDER BY m.created_at DESC, m.event_uuid LIMIT ?`,
    ...filter.values,
    options.limit,
  )
}

/** The text that a person wrote: the fact, and the note if it differs. */
export const MEMORY_TEXT = `trim(m.fact || char(10) || coalesce(nullif(m.note, m.fact), ''), char(10))`

/** An event with a memory that has text written by a person. */
type RememberedEvent = Omit<RecallDocRow, 'match_type'>

/** Limits memories by the session, project and time of their events. */
export type MemoryScope = Pick<RecallFilter, 'session' | 'project' | 'since' | 'until' | 'quotations'>

/**
 * Returns memories whose own text matches, best first; `match` is a complete FTS5 expression over fact and note.
 * Without one, the newest.
 */
export function memoryMatches(
  reader: Reader,
  match: string | null,
  options: MemoryScope & { limit: number | null },
): RememberedEvent[] {
  const filter = where()
  if (match !== null) filter.add('memories_fts MATCH ?', `{fact note} : (${match})`)
  filter.add(`${MEMORY_TEXT} <> ''`)
  addScope(filter, options)
  const place = { text: MEMORY_TEXT, index: 'memories_fts', id: 'm.id', columns: 'fact note' }
  addQuotations(filter, options.quotations, place)
  const [from, order] =
    match === null
      ? ['memories m', 'e.ts_wall DESC']
      : ['memories_fts JOIN memories m ON m.id = memories_fts.rowid', 'bm25(memories_fts)']
  const read = () =>
    reader.all<RememberedEvent>(
      `SELECT e.id, m.event_uuid, m.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp, e.project
     FROM ${from} CROSS JOIN events e ON e.uuid = m.event_uuid
     ${filter.sql} ORDER BY ${order}, m.id DESC LIMIT ?`,
      ...filter.values,
      options.limit ?? -1,
    )
  return inBudget(read) ?? []
}

function addScope(filter: ReturnType<typeof where>, { session, project, since, until }: MemoryScope): void {
  if (session !== null) filter.add(`m.session_id ${AMONG}`, JSON.stringify(session))
  if (project !== null) filter.add(inProject('m', 'e'), JSON.stringify(project), JSON.stringify(project))
  if (since !== null) filter.add('e.ts_wall >= ?', since)
  if (until !== null) filter.add('e.ts_wall < ?', until)
}

/** An event that confirms a memory. */
interface Evidence extends Pick<
  Memory,
  'uuid' | 'session_id' | 'turn_id' | 'timestamp' | 'project' | 'kind' | 'payload'
> {
  readonly added_at: string
}

/** Returns the events that confirm a memory, oldest first, the remembered one included. */
export function evidenceRows(reader: Reader, memory: string, limit: number): Evidence[] {
  return reader.all<Evidence>(
    `SELECT e.uuid, e.session_id, e.turn_id, e.ts_wall AS timestamp, e.project, e.kind, e.payload, given.added_at FROM (
       SELECT event_uuid, created_at AS added_at FROM memories WHERE event_uuid = ?
       UNION SELECT event_uuid, added_at FROM memory_evidence WHERE memory_uuid = ?) given
     CROSS JOIN events e ON e.uuid = given.event_uuid ORDER BY e.ts_wall, e.id LIMIT ?`,
    memory,
    memory,
    limit,
  )
}

/** Returns the ids of remembered documents that match an FTS5 expression and have what was quoted. */
export function rememberedMatches(
  reader: Reader,
  expression: string,
  quotations: RecallFilter['quotations'],
): number[] {
  const filter = where()
  filter.add('recall_fts MATCH ?', `{text parts} : (${expression})`)
  filter.add('d.id IN (SELECT e.id FROM memories m CROSS JOIN events e ON e.uuid = m.event_uuid)')
  addQuotations(filter, quotations, DOC_PLACE)
  const read = () =>
    reader.all<{ id: number }>(
      `SELECT d.id FROM recall_fts JOIN recall_docs d ON d.id = recall_fts.rowid ${filter.sql} ORDER BY bm25(recall_fts)`,
      ...filter.values,
    )

  return (inBudget(read) ?? []).map(({ id }) => id)
}

/** Returns all memories; people keep dozens, not thousands. */
export function rememberedUuids(reader: Reader): ReadonlySet<string> {
  return new Set(reader.all<{ uuid: string }>('SELECT event_uuid AS uuid FROM memories').map(({ uuid }) => uuid))
}

/** Returns saved searches by name. */
export function savedSearches(reader: Reader): { id: number; name: string; address: string; created_at: string }[] {
  return reader.all('SELECT id, name, address, created_at FROM saved_searches ORDER BY name COLLATE NOCASE')
}
