import { where } from './page.ts'
import type { Reader, Rows } from './reader.ts'

/** An answer, or a fallback named in an answer. */
export interface ServedRow {
  readonly uuid: string
  readonly kind: 'model_response' | 'state_change'
  readonly session_id: string
  readonly agent_id: string | null
  readonly timestamp: string
  readonly payload: string
}

/** Bounds the answers that are compared. The newest count. */
const MAX_ROWS = 50_000

/** Returns answers or changes of state in a time range, newest first, as many as time allows. */
export function servedRows(
  reader: Reader,
  kind: ServedRow['kind'],
  span: { readonly session_id?: string; readonly since: string; readonly until?: string },
): Rows<ServedRow> {
  const filter = where()
  filter.add('kind = ?', kind)
  filter.add('ts_wall >= ?', span.since)
  if (span.until !== undefined) filter.add('ts_wall < ?', span.until)
  if (span.session_id !== undefined) filter.add('session_id = ?', span.session_id)
  filter.add('aspy_in_time()')
  return reader.inTime<ServedRow>(
    `SELECT uuid, kind, session_id, agent_id, ts_wall AS timestamp, payload FROM events INDEXED BY events_by_kind_time ${filter.sql}
     ORDER BY ts_wall DESC, id DESC LIMIT ?`,
    ...filter.values,
    MAX_ROWS,
  )
}
