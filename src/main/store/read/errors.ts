import { fromCursor } from '../../listings/cursor.ts'
import { toPage, where } from './page.ts'
import { failedToolRows, type ErrorScope } from './failed-tools.ts'
import type { Reader, Rows } from './reader.ts'

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

/**
 * Returns errors, newest first; with `tools`, also failed tool calls. `match` is a complete FTS5 expression over the messages
 * of errors: tool calls have no index of theirs.
 */
export function listErrors(
  reader: Reader,
  options: ErrorScope & { readonly match?: string; readonly tools?: boolean },
): { items: ErrorRow[]; next: string | null } {
  const filter = where()
  if (options.match !== undefined)
    filter.add('x.id IN (SELECT rowid FROM errors_fts WHERE errors_fts MATCH ?)', options.match)
  if (options.session_id !== undefined) filter.add('x.session_id = ?', options.session_id)
  if (options.project !== undefined) {
    filter.add('aspy_in_time() AND (SELECT s.project FROM sessions s WHERE s.id = x.session_id) = ?', options.project)
  }
  if (options.client !== undefined)
    filter.add('aspy_in_time() AND (SELECT s.client FROM sessions s WHERE s.id = x.session_id) = ?', options.client)
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
  const tools = options.tools === true && options.match === undefined ? failedToolRows(reader, options) : null
  return toPage(
    tools === null ? rows : mergedNewestFirst(rows, tools),
    options.limit,
    (row) => [row.timestamp, row.id],
    (row) => row,
  )
}

/** Merges two lists of the same page. Of a list that time cut short, the other one must not run ahead. */
function mergedNewestFirst(one: Rows<ErrorRow>, other: Rows<ErrorRow>): Rows<ErrorRow> {
  const ends = [one, other].flatMap((rows) => (rows.isCut === true ? [rows.lastRead ?? null] : []))
  const merged: Rows<ErrorRow> = [...one, ...other]
    .filter((row) => ends.every((end) => end !== null && newestFirst(row, end) <= 0))
    .toSorted(newestFirst)
  if (ends.length > 0) merged.isCut = true
  return merged
}

const newestFirst = (one: ErrorRow, other: ErrorRow): number =>
  one.timestamp === other.timestamp ? other.id - one.id : one.timestamp < other.timestamp ? 1 : -1
