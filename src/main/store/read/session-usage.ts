import type { OperationOutput } from '../../../shared/contract/index.ts'
import { sqlTurnOf } from './joined-turns.ts'
import type { Reader } from './reader.ts'
import { UNPRICED_OF_CALLS } from '../../../shared/spend.ts'

export type TurnUsage = OperationOutput<'sessions.usage'>['turns'][number]

const CONTEXT = 'input_tokens + cache_read_tokens + cache_creation_tokens'

/** Returns the usage of each turn of a session, in order. A session that ends long after its last turn adds no time to it. */
export function turnUsage(reader: Reader, sessionId: string): TurnUsage[] {
  return reader.all<TurnUsage>(
    `SELECT ${sqlTurnOf('u')} AS turn_id, min(timestamp) AS started_at, count(*) AS calls, sum(${CONTEXT} + output_tokens) AS tokens,
       sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cache_read_tokens) AS cache_read_tokens,
       sum(cache_creation_tokens) AS cache_creation_tokens, sum(cost_usd) AS cost_usd, ${UNPRICED_OF_CALLS},
       coalesce((SELECT t.started_at FROM turns t WHERE t.session_id = u.session_id AND t.turn_id = ${sqlTurnOf('u')}), min(timestamp)) AS began_at,
       coalesce((SELECT coalesce(t.ended_at, nullif(t.last_event_at, s.ended_at)) FROM turns t LEFT JOIN sessions s ON s.id = t.session_id
         WHERE t.session_id = u.session_id AND t.turn_id = ${sqlTurnOf('u')}), max(timestamp)) AS ended_at,
       coalesce((SELECT t.api_errors FROM turns t WHERE t.session_id = u.session_id AND t.turn_id = ${sqlTurnOf('u')}), 0) AS api_errors,
       coalesce((SELECT t.failed_tools FROM turns t WHERE t.session_id = u.session_id AND t.turn_id = ${sqlTurnOf('u')}), 0) AS failed_tools
     FROM api_usage u WHERE session_id = ? GROUP BY 1 ORDER BY 1`,
    sessionId,
  )
}

export type ContextPoint = Omit<OperationOutput<'sessions.usage'>['context'][number], 'context_window'>

/**
 * Returns the growth of the main agent's context: at most `points` groups of equally many calls, each by its largest.
 * Numbers are bound as reals: without the cast each call would be its own group.
 */
export function contextCurve(reader: Reader, sessionId: string, points: number): ContextPoint[] {
  return reader.all<ContextPoint>(
    `WITH calls AS (
       SELECT event_uuid AS uuid, timestamp, turn_id, model, coalesce(context_tokens, ${CONTEXT}) AS context_tokens,
         row_number() OVER (ORDER BY timestamp, id) - 1 AS at, count(*) OVER () AS n
       FROM api_usage
       WHERE session_id = ? AND agent_id IS NULL AND coalesce(request_kind, 'loop') IN ('prompt', 'loop', 'compaction'))
     SELECT timestamp, turn_id, uuid, model, max(context_tokens) AS context_tokens FROM calls
     GROUP BY CAST(at * min(?, n) / n AS INTEGER) ORDER BY min(at)`,
    sessionId,
    points,
  )
}

/** Returns the compactions of a session, in order. */
export function compactionsOf(
  reader: Reader,
  sessionId: string,
): { uuid: string; timestamp: string; turn_id: number }[] {
  return reader.all(
    'SELECT event_uuid AS uuid, timestamp, turn_id FROM compactions WHERE session_id = ? ORDER BY id',
    sessionId,
  )
}
