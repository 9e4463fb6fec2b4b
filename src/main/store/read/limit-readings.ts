import { accountSql } from '../../../shared/account.ts'
import type { Reader } from './reader.ts'
import type { PaidCall } from './receipt.ts'

/** Whose limits were reported. */
export interface LimitOwner {
  /** Keyed hash of the user or key that the request named. */
  readonly user_id: string | null
  /** What `accountSql` returns. */
  readonly owner: string | null
}

/** One report of an account's limits by the API. */
export interface LimitReport extends LimitOwner {
  readonly timestamp: string
  readonly session_id: string
  readonly request_id: string | null
  readonly client: string | null
  /** JSON of the event's payload. */
  readonly payload: string
}

/** A call with the amounts that may count in a limit. */
export interface WeighedCall extends Omit<PaidCall, 'basis' | 'seen'> {
  readonly turn_id: number
  readonly request_id: string | null
  readonly user_id: string | null
  readonly client: string | null
}

/** Bounds the reports and calls that one answer reads. The newest count. */
const MAX_ROWS = 60_000

const REPORT = `e.ts_wall AS timestamp, e.request_id, e.user_id, ${accountSql('e.')} AS owner,
  (SELECT client FROM sessions s WHERE s.id = e.session_id) AS client, e.payload, e.session_id`

/** Returns the reports of a time range, oldest first. */
export function limitReports(reader: Reader, since: string, until: string): LimitReport[] {
  return reader
    .all<LimitReport>(
      `SELECT ${REPORT} FROM events e INDEXED BY events_by_kind_time
       WHERE e.kind = 'rate_limit' AND e.ts_wall >= ? AND e.ts_wall < ? ORDER BY e.ts_wall DESC, e.id DESC LIMIT ?`,
      since,
      until,
      MAX_ROWS,
    )
    .reverse()
}

/** Bounds the accounts of one answer: each key that named no organization counts as one. */
const MAX_ACCOUNTS = 50

/** Returns the newest reports since a time, at most `count` of each account, oldest first. */
export function newestReports(reader: Reader, since: string, count: number): LimitReport[] {
  return reader.all(
    `WITH RECURSIVE account (id) AS (
       SELECT min(${accountSql()}) FROM events INDEXED BY events_limits WHERE kind = 'rate_limit' AND ${accountSql()} > ''
       UNION ALL
       SELECT (SELECT min(${accountSql()}) FROM events INDEXED BY events_limits WHERE kind = 'rate_limit' AND ${accountSql()} > account.id)
       FROM account WHERE account.id IS NOT NULL)
     SELECT * FROM (
       SELECT ${REPORT} FROM (SELECT id FROM account LIMIT ?) a CROSS JOIN events e ON e.id IN (
         SELECT n.id FROM events n INDEXED BY events_limits
         WHERE n.kind = 'rate_limit' AND ${accountSql('n.')} IS a.id AND n.ts_wall >= ? ORDER BY n.ts_wall DESC, n.id DESC LIMIT ?))
     ORDER BY timestamp`,
    MAX_ACCOUNTS,
    since,
    count,
  )
}

/** The newest events of a session among which its user and its limits are looked for: both come with each answer. */
const NEWEST_EVENTS = 500

/** Returns the user that a session used last, and the account that was reported to both last; undefined: not known. */
export function ownerOfSession(reader: Reader, sessionId: string): LimitOwner | undefined {
  const newest = (alias: string) => `ORDER BY ${alias}.ts_wall DESC, ${alias}.id DESC LIMIT 1`
  return reader.get<LimitOwner>(
    `WITH newest AS (SELECT * FROM events INDEXED BY events_by_session_time
       WHERE session_id = ? ORDER BY ts_wall DESC, id DESC LIMIT ?)
     SELECT e.user_id, (
       SELECT ${accountSql('r.')} FROM newest r WHERE r.kind = 'rate_limit' AND r.user_id IS e.user_id ${newest('r')}) AS owner
     FROM newest e WHERE e.user_id IS NOT NULL OR (e.kind = 'rate_limit' AND ${accountSql('e.')} IS NOT NULL) ${newest('e')}`,
    sessionId,
    NEWEST_EVENTS,
  )
}

/** Returns the calls of a time range, oldest first. */
export function weighedCalls(reader: Reader, since: string, until: string): WeighedCall[] {
  return reader
    .all<WeighedCall>(
      `SELECT u.id, u.session_id, u.agent_id, u.turn_id, u.timestamp, e.request_id, e.user_id,
         (SELECT client FROM sessions s WHERE s.id = u.session_id) AS client, u.model, u.input_tokens, u.output_tokens,
         u.cache_read_tokens, u.cache_creation_tokens AS cache_write_tokens,
         u.cache_creation_1h_tokens AS cache_write_1h_tokens, u.web_search_requests, u.speed, u.inference_geo,
         u.service_tier, u.cost_usd
       FROM events e INDEXED BY events_by_kind_time CROSS JOIN api_usage u ON u.id = e.id
       WHERE e.kind = 'api_usage' AND e.ts_wall >= ? AND e.ts_wall < ? ORDER BY e.ts_wall DESC, e.id DESC LIMIT ?`,
      since,
      until,
      MAX_ROWS,
    )
    .reverse()
}

/** Returns the title of each session, and the prompt of each turn. */
export function limitNames(
  reader: Reader,
  turns: readonly { readonly session_id: string; readonly turn_id: number }[],
): { session_id: string; turn_id: number; title: string | null; prompt: string | null }[] {
  return reader.all(
    `SELECT j.value ->> 0 AS session_id, j.value ->> 1 AS turn_id, (SELECT title FROM sessions s WHERE s.id = j.value ->> 0) AS title,
       (SELECT substr(p.content, 1, 200) FROM user_prompts p WHERE p.session_id = j.value ->> 0 AND p.turn_id = j.value ->> 1
        ORDER BY p.prompt_number LIMIT 1) AS prompt
     FROM json_each(?) j`,
    JSON.stringify(turns.map(({ session_id, turn_id }) => [session_id, turn_id])),
  )
}
