import { where } from './page.ts'
import { addQuotations } from './quotations.ts'
import { AMONG, inProject, type RecallFilter } from './recall.ts'
import type { RecallDocRow } from './recall-docs.ts'
import type { Reader } from './reader.ts'

export type EpisodeFilter = Pick<RecallFilter, 'session' | 'project' | 'since' | 'until' | 'quotations'>

const TEXT = { text: 'x.content', index: 'episodes_fts', id: 'x.id', columns: 'content' }

/**
 * Returns summaries of whole sessions that match a complete FTS5 expression, best first; without one, the newest. Episodes
 * closed by a compaction are left out: their text is the compaction's summary, which is a document too.
 */
export function matchEpisodes(
  reader: Reader,
  match: string | null,
  filter: EpisodeFilter,
  limit: number,
): RecallDocRow[] {
  const clause = where()
  if (match !== null) clause.add('episodes_fts MATCH ?', `{content} : (${match})`)
  clause.add("x.closed_by = 'end'")
  if (filter.session !== null) clause.add(`x.session_id ${AMONG}`, JSON.stringify(filter.session))
  const folders = JSON.stringify(filter.project)
  if (filter.project !== null) clause.add(inProject('x'), folders, folders)
  if (filter.since !== null) clause.add('x.timestamp >= ?', filter.since)
  if (filter.until !== null) clause.add('x.timestamp < ?', filter.until)
  addQuotations(clause, filter.quotations, TEXT)
  const [from, order] =
    match === null
      ? ['episodes x', 'x.timestamp DESC']
      : ['episodes_fts JOIN episodes x ON x.id = episodes_fts.rowid', 'bm25(episodes_fts)']
  return reader.all<RecallDocRow>(
    `SELECT x.id, x.event_uuid, x.session_id, x.turn_id, NULL AS agent_id, 'episode' AS match_type, x.timestamp, x.project
     FROM ${from} ${clause.sql} ORDER BY ${order}, x.id DESC LIMIT ?`,
    ...clause.values,
    limit,
  )
}

/** Returns the digest of the session that ended with an event. */
export function digestEndingAt(
  reader: Reader,
  event: Pick<RecallDocRow, 'event_uuid' | 'session_id'>,
): RecallDocRow | undefined {
  return reader.get<RecallDocRow>(
    `SELECT x.id, x.event_uuid, x.session_id, x.turn_id, NULL AS agent_id, 'episode' AS match_type, x.timestamp, x.project
     FROM episodes x WHERE x.session_id = ? AND x.closed_by = 'end' AND x.event_uuid = ?`,
    event.session_id,
    event.event_uuid,
  )
}
