import type { Reader } from './reader.ts'

/** The newest events of a session that are looked at: one that passes here shows it soon. */
const NEWEST = 200

/** Whether a session's traffic passes through the proxy. */
export function wasCaptured(reader: Reader, sessionId: string): boolean {
  const sql = `SELECT 1 FROM (SELECT source FROM events WHERE session_id = ? ORDER BY ts_wall DESC, id DESC LIMIT ${NEWEST})
    WHERE source = 'wire' LIMIT 1`
  return reader.get(sql, sessionId) !== undefined
}
