import { AspyError } from '../../../shared/contract/errors.ts'
import type { Reader } from './reader.ts'
import { requireSession } from './sessions.ts'

export interface CompactionRow {
  readonly id: number
  readonly session_id: string
  readonly turn_id: number
  readonly timestamp: string
  readonly content: string
}

/** Returns a compaction with its summary. @throws AspyError not_found */
export function requireCompaction(reader: Reader, uuid: string): CompactionRow {
  const row = reader.get<CompactionRow>(
    'SELECT id, session_id, turn_id, timestamp, content FROM compactions WHERE id = (SELECT e.id FROM events e WHERE e.uuid = ?)',
    uuid,
  )
  if (row === undefined) throw new AspyError('not_found', `${uuid} is not a compaction`)
  return row
}

/** Returns the last compaction of a session. @throws AspyError not_found */
export function requireLastCompaction(reader: Reader, sessionId: string): CompactionRow {
  const row = reader.get<CompactionRow>(
    `SELECT id, session_id, turn_id, timestamp, content FROM compactions WHERE session_id = ?
     ORDER BY timestamp DESC, id DESC LIMIT 1`,
    sessionId,
  )
  if (row === undefined)
    throw new AspyError('not_found', `session ${requireSession(reader, sessionId).id} was never compacted`)
  return row
}

export interface SpokenText {
  readonly uuid: string
  readonly kind: 'user_prompt' | 'assistant_text' | 'thinking'
  readonly turn_id: number
  readonly timestamp: string
  readonly content: string
}

/** Returns the time of the compaction before this one; empty if it is the first. */
export function timeOfCompactionBefore(reader: Reader, { session_id, timestamp, id }: CompactionRow): string {
  const sql = 'SELECT max(timestamp) AS at FROM compactions WHERE session_id = ? AND timestamp < ? AND id <> ?'
  return reader.get<{ at: string | null }>(sql, session_id, timestamp, id)?.at ?? ''
}

/** Returns the messages of the main agent and the user between the previous compaction and this one, newest first. */
export function textsBefore(reader: Reader, compaction: CompactionRow, limit: number): SpokenText[] {
  const { session_id: session, turn_id: turn, timestamp } = compaction
  const since = timeOfCompactionBefore(reader, compaction)
  const within = [session, turn, timestamp, since]
  const part = (kind: string, table: string, own = '') =>
    `SELECT id, event_uuid AS uuid, '${kind}' AS kind, turn_id, timestamp, content FROM ${table}
     WHERE session_id = ? AND turn_id <= ? AND timestamp < ? AND timestamp >= ? ${own}`
  return reader.all<SpokenText>(
    `SELECT uuid, kind, turn_id, timestamp, content FROM (${part('user_prompt', 'user_prompts')}
     UNION ALL ${part('assistant_text', 'assistant_responses', 'AND agent_id IS NULL')}
     UNION ALL ${part('thinking', 'thinking_blocks', 'AND agent_id IS NULL')}) ORDER BY timestamp DESC, id DESC LIMIT ?`,
    ...within,
    ...within,
    ...within,
    limit,
  )
}
