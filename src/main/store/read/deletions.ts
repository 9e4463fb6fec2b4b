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

/** The part of an id that an answer of recall names a session by. */
const SHORT_ID = /[\da-f]{8}(?=-)/i
/** Shorter ids are words of other texts, too. */
const LEAST_ID = 8

/** Returns the other sessions that hold texts of a session: they repeat its events, go on from it, or a tool told them of it. */
export function sessionsThatQuote(reader: Reader, sessionId: string): readonly string[] {
  const named = SHORT_ID.exec(sessionId)?.[0] ?? sessionId
  const quoting = [
    reader.all<{ id: string }>('SELECT session_id AS id FROM session_links WHERE other_session_id = ?', sessionId),
    reader.all<{ id: string }>(
      `SELECT l.session_id AS id FROM session_links l JOIN key_rows k ON k.key = 'line:' || l.line_uuid JOIN events e ON e.id = k.event_id
       WHERE l.other_session_id = '' AND e.session_id = ?
       UNION SELECT l.session_id FROM session_links l JOIN events e ON e.uuid = l.line_uuid WHERE l.other_session_id = '' AND e.session_id = ?`,
      sessionId,
      sessionId,
    ),
    named.length < LEAST_ID
      ? []
      : reader.all<{ id: string }>(
          'SELECT DISTINCT e.session_id AS id FROM tools_fts f CROSS JOIN events e ON e.id = f.rowid WHERE f.tools_fts MATCH ?',
          `"${named.replaceAll('"', '""')}"`,
        ),
  ]
  return [...new Set(quoting.flat().map(({ id }) => id))].filter((id) => id !== sessionId)
}
