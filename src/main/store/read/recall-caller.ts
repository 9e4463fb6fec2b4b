import type { Reader } from './reader.ts'

/** Returns the session and project of a model's tool call; undefined if the call is not recorded (yet). */
export function callerOf(reader: Reader, callId: string): { session_id: string; project: string | null } | undefined {
  return reader.get(
    `SELECT c.session_id, s.project FROM tool_calls c LEFT JOIN sessions s ON s.id = c.session_id
     WHERE c.call_id = ? ORDER BY c.id DESC LIMIT 1`,
    callId,
  )
}
