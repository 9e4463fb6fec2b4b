import type { OperationOutput } from '../../../shared/contract/index.ts'
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

/** Returns the deletions that can still be undone, and those that are being carried out. */
export function deletionRows(reader: Reader): OperationOutput<'sessions.deletions'>['items'] {
  const pending = [...reader.pendingDeletions()].map(([session_id, { undo_until }]) => ({
    session_id,
    undo_until,
    events_deleted: 0,
  }))
  const running = reader
    .all<{ key: string; value: string }>(
      "SELECT key, value FROM metadata WHERE key >= 'deleting:' AND key < 'deleting;'",
    )
    .map(({ key, value }) => ({
      session_id: key.slice('deleting:'.length),
      undo_until: null,
      events_deleted: (JSON.parse(value) as { readonly events: number }).events,
    }))
  return [...pending, ...running]
}

/** Returns how much a session holds: its events, and the bytes of their payloads and long texts before compression. */
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
