import { where } from './page.ts'
import type { RecallDocRow } from './recall-docs.ts'
import type { Reader } from './reader.ts'

export interface EpisodeFilter {
  readonly session: string | null
  readonly project: string | null
  readonly since: string | null
  readonly until: string | null
}

/**
 * What whole sessions came to, as far as it matches a finished FTS5 expression, best first. Those that a compaction closed
 * are its summary, which is found by itself.
 */
export function matchEpisodes(reader: Reader, match: string, filter: EpisodeFilter, limit: number): RecallDocRow[] {
  const clause = where()
  clause.add('episodes_fts MATCH ?', match)
  clause.add("x.closed_by = 'end'")
  if (filter.session !== null) clause.add('x.session_id = ?', filter.session)
  if (filter.project !== null) clause.add('x.project = ?', filter.project)
  if (filter.since !== null) clause.add('x.timestamp >= ?', filter.since)
  if (filter.until !== null) clause.add('x.timestamp < ?', filter.until)
  return reader.all<RecallDocRow>(
    `SELECT x.id, x.event_uuid, x.session_id, x.turn_id, NULL AS agent_id, 'episode' AS match_type, x.timestamp, x.project
     FROM episodes_fts JOIN episodes x ON x.id = episodes_fts.rowid ${clause.sql} ORDER BY bm25(episodes_fts), x.id DESC LIMIT ?`,
    ...clause.values,
    limit,
  )
}
