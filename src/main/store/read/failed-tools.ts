import { fromCursor } from '../../listings/cursor.ts'
import { where } from './page.ts'
import type { ErrorRow } from './errors.ts'
import type { Reader, Rows } from './reader.ts'

/** What narrows a list of errors. */
export interface ErrorScope {
  readonly session_id?: string
  readonly project?: string
  readonly client?: string
  readonly since?: string
  readonly until?: string
  readonly limit: number
  readonly cursor?: string
}

/** Returns failed tool calls as rows of a list of errors, newest first, one more than the limit if there are more. */
export function failedToolRows(reader: Reader, options: ErrorScope): Rows<ErrorRow> {
  const filter = where()
  filter.add('r.success = 0 AND r.rejected = 0')
  // Failures have an index by time; those of a session are read in the order of the log's index.
  const ofSession = options.session_id !== undefined
  const from = ofSession
    ? 'events e CROSS JOIN tool_result_rows r ON r.event_id = e.id'
    : 'tool_result_rows r CROSS JOIN events e ON e.id = r.event_id'
  const [time, id] = ofSession ? ['e.ts_wall', 'e.id'] : ['r.timestamp', 'r.event_id']
  if (options.session_id !== undefined) filter.add('aspy_in_time() AND e.session_id = ?', options.session_id)
  if (options.project !== undefined)
    filter.add('aspy_in_time() AND (SELECT s.project FROM sessions s WHERE s.id = e.session_id) = ?', options.project)
  if (options.client !== undefined)
    filter.add('aspy_in_time() AND (SELECT s.client FROM sessions s WHERE s.id = e.session_id) = ?', options.client)
  if (options.since !== undefined) filter.add(`${time} >= ?`, options.since)
  if (options.until !== undefined) filter.add(`${time} < ?`, options.until)
  if (options.cursor !== undefined)
    filter.add(`(${time}, ${id}) < (?, ?)`, ...fromCursor(options.cursor, ['string', 'number']))
  return reader.inTime<ErrorRow>(
    `SELECT e.id, e.uuid, e.session_id, e.turn_id, r.timestamp, 'tool' AS origin, r.tool_name AS type,
       NULL AS status, coalesce(r.error, '') AS content
     FROM ${from} ${filter.sql} ORDER BY ${time} DESC, ${id} DESC LIMIT ?`,
    ...filter.values,
    options.limit + 1,
  )
}
