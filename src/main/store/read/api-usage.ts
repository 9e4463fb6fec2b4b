import { numbersOfTurn } from './joined-turns.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'

/** An API call in lists. */
export type CallRow = OperationOutput<'stats.analytics'>['calls'][number]

/** Returns API calls of a session or a time range, newest first. */
export function apiCalls(
  reader: Reader,
  options: { session_id?: string; since?: string; turn_id?: number; limit: number },
): CallRow[] {
  const filter = where()
  // Calls of all sessions are read in the order of the log's index of kinds.
  const isOfAll = options.session_id === undefined
  const from = isOfAll ? 'events e CROSS JOIN api_usage u ON u.id = e.id' : 'api_usage u'
  if (options.session_id === undefined) filter.add("e.kind = 'api_usage'")
  else filter.add('u.session_id = ?', options.session_id)
  if (options.turn_id !== undefined) {
    const { session_id: session, turn_id: turn } = options
    const numbers = session === undefined ? [turn] : numbersOfTurn(reader, session, turn)
    filter.add(`u.turn_id IN (${numbers.map(() => '?').join(', ')})`, ...numbers)
  }
  if (options.since !== undefined) filter.add(isOfAll ? 'e.ts_wall >= ?' : 'u.timestamp >= ?', options.since)
  const order = isOfAll ? 'e.ts_wall DESC, e.id DESC' : 'u.turn_id DESC, u.id DESC'
  return reader.all<CallRow>(
    `SELECT u.id, u.event_uuid AS uuid, u.session_id, u.turn_id, u.agent_id, u.timestamp, u.model, u.input_tokens, u.output_tokens,
       u.thinking_tokens, u.cache_read_tokens, u.cache_creation_tokens, u.cost_usd, u.service_tier, u.price_basis,
       u.ttft_ms, u.duration_ms
     FROM ${from} ${filter.sql} ORDER BY ${order} LIMIT ?`,
    ...filter.values,
    options.limit,
  )
}
