import { where } from './page.ts'
import type { Reader } from './reader.ts'

export interface CallRow {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly timestamp: string
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  /** Part of the output; null: not told. */
  readonly thinking_tokens: number | null
  readonly cache_read_tokens: number
  readonly cache_creation_tokens: number
  readonly cost_usd: number | null
  readonly ttft_ms: number | null
  readonly duration_ms: number | null
}

/** Calls of the API, newest first; of a session or of a span of time. */
export function apiCalls(
  reader: Reader,
  options: { session_id?: string; since?: string; turn_id?: number; limit: number },
): CallRow[] {
  const filter = where()
  if (options.session_id !== undefined) filter.add('session_id = ?', options.session_id)
  if (options.turn_id !== undefined) filter.add('turn_id = ?', options.turn_id)
  if (options.since !== undefined) filter.add('timestamp >= ?', options.since)
  const order = options.session_id === undefined ? 'timestamp DESC, id DESC' : 'turn_id DESC, id DESC'
  return reader.all<CallRow>(
    `SELECT id, event_uuid AS uuid, session_id, turn_id, agent_id, timestamp, model, input_tokens, output_tokens, thinking_tokens, cache_read_tokens,
       cache_creation_tokens, cost_usd, ttft_ms, duration_ms
     FROM api_usage ${filter.sql} ORDER BY ${order} LIMIT ?`,
    ...filter.values,
    options.limit,
  )
}
