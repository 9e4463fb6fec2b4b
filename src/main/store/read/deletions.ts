import type { OperationOutput } from '../../../shared/contract/index.ts'
import { requestedDeletions } from '../delete/pending-deletions.ts'
import type { Reader } from './reader.ts'

/** Tables with a row for an event, and their longest column. */
const TEXTS = [
  ['user_prompts', 'content'],
  ['assistant_responses', 'content'],
  ['thinking_blocks', 'content'],
  ['compactions', 'content'],
  ['tool_calls', 'input_json'],
  ['tool_results', 'output_json'],
] as const

/** Returns the requested deletions, and the large sessions that are partly deleted. */
export function deletionRows(reader: Reader): OperationOutput<'sessions.deletions'> {
  const items = requestedDeletions((sql) => reader.all(sql)).map(
    ({ ids, sessions, undo_until, is_seen, has_begun }) => ({
      ids: has_begun ? [] : [...ids],
      sessions,
      sessions_deleted: has_begun ? sessions - ids.length : 0,
      undo_until: has_begun ? null : undo_until,
      is_seen,
    }),
  )
  const deleting = reader
    .all<{ key: string; value: string }>(
      "SELECT key, value FROM metadata WHERE key >= 'deleting:' AND key < 'deleting;'",
    )
    .map(({ key, value }) => ({
      session_id: key.slice('deleting:'.length),
      events_deleted: (JSON.parse(value) as { readonly events: number }).events,
    }))
  return { items, deleting }
}

/** Returns the size of a session: its events, and the bytes of their payloads and long texts before compression. */
export function footprintOf(reader: Reader, sessionId: string): { readonly events: number; readonly bytes: number } {
  const own = reader.get<{ events: number; bytes: number | null }>(
    'SELECT count(*) AS events, sum(octet_length(payload)) AS bytes FROM events WHERE session_id = ?',
    sessionId,
  )
  // Short texts are part of the payload; only longer ones add to it.
  const texts = TEXTS.map(([table, column]) => {
    const sql = `SELECT sum(max(0, octet_length(t.${column}) - octet_length(e.payload))) AS bytes FROM events e CROSS JOIN ${table} t ON t.id = e.id WHERE e.session_id = ?`
    return reader.get<{ bytes: number | null }>(sql, sessionId)?.bytes ?? 0
  })
  return { events: own?.events ?? 0, bytes: texts.reduce((sum, bytes) => sum + bytes, own?.bytes ?? 0) }
}
