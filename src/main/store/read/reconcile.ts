import { accountSql } from '../../../shared/account.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { EventSource, RequestKind } from '../../../shared/event.ts'
import { where } from './page.ts'
import type { LimitOwner } from './limit-readings.ts'
import type { Reader } from './reader.ts'

/** An API call and the sources that saw it. */
export interface SeenCall {
  readonly uuid: string
  readonly timestamp: string
  readonly model: string
  readonly request_kind: RequestKind | null
  readonly tokens: number
  readonly cost_usd: number | null
  readonly basis: 'measured' | 'lower_bound'
  readonly by_wire: boolean
  readonly by_transcript: boolean
}

/** Returns a session's calls, newest first, each with whether wire and transcript saw it. */
export function seenCalls(reader: Reader, sessionId: string, limit: number): SeenCall[] {
  return reader
    .all<Omit<SeenCall, 'by_wire' | 'by_transcript'> & { readonly source: EventSource; readonly seen: number | null }>(
      `SELECT u.event_uuid AS uuid, u.timestamp, u.model, u.request_kind,
         u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_creation_tokens AS tokens, u.cost_usd, u.basis,
         e.source, (SELECT max(s.source = 'wire') + 2 * max(s.source = 'transcript') FROM sighting_rows s
                    WHERE s.event_id = u.id) AS seen
       FROM api_usage u CROSS JOIN events e ON e.id = u.id WHERE u.session_id = ? ORDER BY u.turn_id DESC, u.id DESC LIMIT ?`,
      sessionId,
      limit,
    )
    .map(({ source, seen, ...call }) => ({
      ...call,
      by_wire: source === 'wire' || (seen ?? 0) % 2 === 1,
      by_transcript: source === 'transcript' || (seen ?? 0) >= 2,
    }))
}

/**
 * Returns what the sessions from which this one was forked had spent by then. It is counted in them, but the client goes
 * on counting from their totals, also for what a compaction left out of the copy.
 */
export function copiedCalls(
  reader: Reader,
  sessionId: string,
): { readonly calls: number; readonly cost_usd: number } | undefined {
  return reader.get(
    `WITH RECURSIVE origins (id, until) AS (
       SELECT id, started_at FROM sessions WHERE id = ?
       UNION SELECT l.other_session_id, min(o.until, s.started_at) FROM origins o JOIN sessions s ON s.id = o.id
         JOIN session_links l ON l.session_id = o.id AND l.kind <> 'compacted_from')
     SELECT count(*) AS calls, total(cost_usd) AS cost_usd FROM (SELECT id, max(until) AS until FROM origins GROUP BY id) o
     JOIN api_usage u ON u.session_id = o.id AND u.timestamp <= o.until WHERE o.id <> ?`,
    sessionId,
    sessionId,
  )
}

/** Returns the client's own totals of a session, as its transcript last reported them. */
export function clientAccount(
  reader: Reader,
  sessionId: string,
): { readonly client_cost: string; readonly client_cost_usd: number; readonly client_cost_at: string } | undefined {
  return reader.get(
    'SELECT client_cost, client_cost_usd, client_cost_at FROM sessions WHERE id = ? AND client_cost_usd IS NOT NULL',
    sessionId,
  )
}

type Limits = OperationOutput<'limits.series'>['items'][number]

/** Returns the last limits of each bucket and account, oldest first; if there are too many, the newest ones. */
export function limitsByBucket(
  reader: Reader,
  options: { since?: string; until?: string; bucket_minutes: number; limit: number },
): (Limits & LimitOwner)[] {
  const filter = where()
  if (options.since !== undefined) filter.add('limits.timestamp >= ?', options.since)
  if (options.until !== undefined) filter.add('limits.timestamp < ?', options.until)
  // For a bare MAX, SQLite takes the other columns from the row that has the maximum.
  return reader
    .all<Limits & LimitOwner & { bucket: number }>(
      `SELECT max(limits.timestamp) AS timestamp, ${accountSql('e.')} AS owner, e.user_id, requests_limit, requests_remaining, tokens_limit, tokens_remaining, input_tokens_limit,
         input_tokens_remaining, output_tokens_limit, output_tokens_remaining, unified_status, claim, five_hour_used,
         five_hour_resets_at, seven_day_used, seven_day_resets_at, unixepoch(limits.timestamp) / CAST(? AS INTEGER) AS bucket
       FROM rate_limits limits CROSS JOIN events e ON e.id = limits.id ${filter.sql} GROUP BY bucket, owner
       ORDER BY bucket DESC, timestamp DESC LIMIT ?`,
      options.bucket_minutes * 60,
      ...filter.values,
      options.limit,
    )
    .map(({ bucket: _bucket, ...row }) => row)
    .reverse()
}
