import type { Reader } from './reader.ts'

/** Counts the sessions with a request that reached the proxy without the path secret. */
export function countUnproven(reader: Reader): number {
  const sql = 'SELECT count(*) AS count FROM sessions WHERE unproven_sender = 1'
  return reader.get<{ count: number }>(sql)?.count ?? 0
}

/** Bounds the newest events that are checked: a session that uses the proxy soon shows it. */
const NEWEST = 200

/** Returns true if a session's traffic goes through the proxy. */
export function wasCaptured(reader: Reader, sessionId: string): boolean {
  const sql = `SELECT 1 FROM (SELECT source FROM events WHERE session_id = ? ORDER BY ts_wall DESC, id DESC LIMIT ${NEWEST})
    WHERE source = 'wire' LIMIT 1`
  return reader.get(sql, sessionId) !== undefined
}
