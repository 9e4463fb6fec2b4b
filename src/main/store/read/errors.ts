import { fromCursor, toPage, where } from './page.ts'
import type { Reader } from './reader.ts'

export interface ErrorRow {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly origin: string
  readonly type: string | null
  readonly status: number | null
  readonly content: string
}

/** Returns errors, newest first. `match` is a complete FTS5 expression over their messages. */
export function listErrors(
  reader: Reader,
  options: {
    match?: string
    session_id?: string
    project?: string
    since?: string
    until?: string
    limit: number
    cursor?: string
  },
): { items: ErrorRow[]; next: string | null } {
  const filter = where()
  if (options.match !== undefined)
    filter.add('x.id IN (SELECT rowid FROM errors_fts WHERE errors_fts MATCH ?)', options.match)
  if (options.session_id !== undefined) filter.add('x.session_id = ?', options.session_id)
  if (options.project !== undefined) {
    filter.add('aspy_in_time() AND (SELECT s.project FROM sessions s WHERE s.id = x.session_id) = ?', options.project)
  }
  if (options.since !== undefined) filter.add('x.timestamp >= ?', options.since)
  if (options.until !== undefined) filter.add('x.timestamp < ?', options.until)
  if (options.cursor !== undefined)
    filter.add('(x.timestamp, x.id) < (?, ?)', ...fromCursor(options.cursor, ['string', 'number']))
  const rows = reader.inTime<ErrorRow>(
    `SELECT x.id, x.event_uuid AS uuid, x.session_id, x.turn_id, x.timestamp, x.origin, x.type, x.status, x.content
     FROM errors x ${filter.sql} ORDER BY x.timestamp DESC, x.id DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
  return toPage(
    rows,
    options.limit,
    (row) => [row.timestamp, row.id],
    (row) => row,
  )
}
