import { SESSION_FIGURES } from '../../listings/session-figures.ts'
import type { Transaction } from './connection.ts'
import type { Touched } from './remove.ts'
import { UNPRICED } from '../../../shared/spend.ts'

/**
 * The derived tables follow in the transaction of the batch. Rows are computed again from the events, never
 * incremented, so repeated, corrected and removed events cannot make sums drift.
 */

const figures = Object.entries(SESSION_FIGURES)
const SET_FIGURES = figures.map(([name]) => `${name} = c.${name}`).join(', ')
const FIGURES = figures.map(([name, { team, type }]) => `(${team})::${type} AS ${name}`).join(', ')

/** Computes the sessions that were touched. One without events disappears. */
export async function deriveSessions(tx: Transaction, memberId: number, { sessions }: Touched): Promise<void> {
  if (sessions.size === 0) return
  const keys = [...sessions]
  await tx`UPDATE sessions s SET events = c.events, started_at = c.started_at, last_event_at = c.last_event_at,
      turn_count = c.turns, calls = c.calls, ${tx.unsafe(SET_FIGURES)}
    FROM (
      SELECT session_key, count(*) AS events, min(ts) AS started_at, max(ts) AS last_event_at,
        count(DISTINCT turn_id) FILTER (WHERE turn_id > 0) AS turns, ${tx.unsafe(FIGURES)},
        count(*) FILTER (WHERE kind = 'api_usage' AND model IS NOT NULL) AS calls
      FROM events WHERE member_id = ${memberId} AND session_key = ANY(${keys}::uuid[]) GROUP BY session_key, member_id
    ) c WHERE s.member_id = ${memberId} AND s.session_key = c.session_key`
  await tx`DELETE FROM sessions s WHERE s.member_id = ${memberId} AND s.session_key = ANY(${keys}::uuid[])
    AND NOT EXISTS (SELECT 1 FROM events e WHERE e.member_id = s.member_id AND e.session_key = s.session_key)`
}

/** Computes the usage of the days that were touched. */
export async function deriveUsage(tx: Transaction, memberId: number, { days }: Touched): Promise<void> {
  if (days.size === 0) return
  const all = [...days]
  await tx`DELETE FROM usage_daily WHERE member_id = ${memberId} AND day = ANY(${all}::date[])`
  await tx`INSERT INTO usage_daily (day, member_id, project, model, shared, calls, input_tokens, output_tokens, cache_read_tokens,
      cache_creation_tokens, cost_usd, ${tx.unsafe(UNPRICED)}, lower_bound_calls)
    SELECT d, ${memberId}::integer, e.project, e.model, e.shared, count(*), sum(e.input_tokens), sum(e.output_tokens),
      sum(e.cache_read_tokens), sum(e.cache_creation_tokens), coalesce(sum(e.cost_usd), 0),
      count(*) FILTER (WHERE e.cost_usd IS NULL), count(*) FILTER (WHERE e.basis = 'lower_bound')
    FROM unnest(${all}::date[]) d JOIN events e ON e.member_id = ${memberId} AND e.kind = 'api_usage' AND e.model IS NOT NULL
      AND e.ts >= d::timestamp AT TIME ZONE 'UTC' AND e.ts < (d + 1)::timestamp AT TIME ZONE 'UTC'
    GROUP BY d, e.project, e.model, e.shared`
}

/** Computes the sums of the cache ledger of the sessions whose requests were touched. */
export async function deriveCache(tx: Transaction, memberId: number, { judged }: Touched): Promise<void> {
  if (judged.size === 0) return
  const keys = [...judged]
  await tx`DELETE FROM cache_daily WHERE member_id = ${memberId} AND session_key = ANY(${keys}::uuid[])`
  await tx`INSERT INTO cache_daily (day, member_id, session_key, project, shared, cause, requests, could_read, cache_read_tokens,
      missed_tokens, waste_usd, cost_usd, unpriced, compared, agreed)
    SELECT (cache_sent_at AT TIME ZONE 'UTC')::date, member_id, session_key, project, shared, coalesce(cache_cause, ''), count(*),
      coalesce(sum(cache_could_read), 0), coalesce(sum(cache_read_tokens), 0), coalesce(sum(cache_missed_tokens), 0),
      coalesce(sum(cache_waste_usd), 0), coalesce(sum(cost_usd), 0), count(*) FILTER (WHERE cache_waste_usd IS NULL),
      count(cache_vendor_agrees), count(*) FILTER (WHERE cache_vendor_agrees)
    FROM events WHERE member_id = ${memberId} AND session_key = ANY(${keys}::uuid[]) AND cache_sent_at IS NOT NULL
    GROUP BY 1, 2, 3, 4, 5, 6`
}
