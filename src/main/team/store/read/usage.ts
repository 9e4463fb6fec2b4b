import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { findSession, type TeamHandler } from './scope.ts'
import { UNPRICED_OF_CALLS } from '../../../../shared/spend.ts'

type Usage = OperationOutput<'sessions.usage'>

/** At most 500 groups of equally many calls, each by its largest. */
const GROUP = 'at * least(500, n) / n'
const CONTEXT = 'e.input_tokens + e.cache_read_tokens + e.cache_creation_tokens'

/** The cost of each turn of a session, and the growth of its context by call. Sizes of context windows are on the laptop. */
export const sessionUsage: TeamHandler<'sessions.usage'> = async (context, { session_id }) => {
  const { sql } = context
  const { member_id, session_key } = await findSession(context, session_id)
  const own = sql`e.session_key = ${session_key} AND e.member_id = ${member_id}`
  const moment = (end: string) => sql.unsafe(`to_char(${end} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
  // A session that ends long after its last turn adds no time to it.
  const lastWork = "max(e.ts) FILTER (WHERE e.kind <> 'session_ended')"
  const turns = await sql<
    Usage['turns']
  >`SELECT u.*, f.began_at, f.ended_at, coalesce(f.api_errors, 0) AS api_errors, coalesce(f.failed_tools, 0) AS failed_tools
    FROM (SELECT e.turn_id, ${moment('min(e.ts)')} AS started_at, count(*)::int AS calls, sum(${sql.unsafe(CONTEXT)} + e.output_tokens)::float8 AS tokens,
        sum(e.input_tokens)::float8 AS input_tokens, sum(e.output_tokens)::float8 AS output_tokens,
        sum(e.cache_read_tokens)::float8 AS cache_read_tokens, sum(e.cache_creation_tokens)::float8 AS cache_creation_tokens,
        sum(e.cost_usd) AS cost_usd, ${sql.unsafe(UNPRICED_OF_CALLS)}
      FROM events e WHERE ${own} AND e.kind = 'api_usage' AND e.model IS NOT NULL GROUP BY e.turn_id) u
    LEFT JOIN (SELECT e.turn_id, ${moment('min(e.ts)')} AS began_at, ${moment(lastWork)} AS ended_at,
        (count(*) FILTER (WHERE e.outcome = 'api_error'))::int AS api_errors,
        (count(*) FILTER (WHERE e.kind = 'tool_result' AND e.outcome = 'failed'))::int AS failed_tools
      FROM events e WHERE ${own} GROUP BY e.turn_id) f USING (turn_id) ORDER BY turn_id`
  const points = await sql<
    { ts: Date; turn_id: number; uuid: string; model: string; tokens: number }[]
  >`WITH calls AS (SELECT e.ts, e.turn_id, e.uuid, e.model, (${sql.unsafe(CONTEXT)})::float8 AS tokens,
      row_number() OVER (ORDER BY e.ts, e.id) - 1 AS at, count(*) OVER () AS n
    FROM events e WHERE ${own} AND e.kind = 'api_usage' AND e.model IS NOT NULL AND e.agent_id IS NULL)
    SELECT DISTINCT ON (${sql.unsafe(GROUP)}) ts, turn_id, uuid, model, tokens FROM calls
    ORDER BY ${sql.unsafe(GROUP)}, tokens DESC`
  const compactions = await sql<
    { uuid: string; ts: Date; turn_id: number }[]
  >`SELECT e.uuid, e.ts, e.turn_id FROM events e
    WHERE ${own} AND e.kind = 'compaction' ORDER BY e.ts, e.id`
  return {
    turns: [...turns],
    context: points.map(({ ts, turn_id, uuid, model, tokens }) => ({
      timestamp: ts.toISOString(),
      turn_id,
      uuid,
      model,
      context_tokens: tokens,
      context_window: null,
    })),
    compactions: compactions.map(({ uuid, ts, turn_id }) => ({ uuid, timestamp: ts.toISOString(), turn_id })),
  }
}
