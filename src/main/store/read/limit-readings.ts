import type { Reader } from './reader.ts'

/** One report of the account's limits by the API. */
export interface LimitReport {
  readonly id: number
  readonly timestamp: string
  readonly request_id: string | null
  /** JSON of the event's payload. */
  readonly payload: string
}

/** A call with the amounts that may count in a limit. */
export interface WeighedCall {
  readonly id: number
  readonly session_id: string
  readonly agent_id: string | null
  readonly turn_id: number
  readonly timestamp: string
  readonly request_id: string | null
  readonly model: string
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_tokens: number
  readonly cache_write_tokens: number
  readonly cache_write_1h_tokens: number
  readonly web_search_requests: number
  readonly speed: string | null
  readonly inference_geo: string | null
  readonly service_tier: string | null
  readonly cost_usd: number | null
}

/** Bounds the reports and calls that one answer reads. The newest count. */
const MAX_ROWS = 60_000

/** Returns the reports of a time range, oldest first. */
export function limitReports(reader: Reader, since: string, until: string): LimitReport[] {
  return reader
    .all<LimitReport>(
      `SELECT id, ts_wall AS timestamp, request_id, payload FROM events INDEXED BY events_by_kind_time
       WHERE kind = 'rate_limit' AND ts_wall >= ? AND ts_wall < ? ORDER BY ts_wall DESC, id DESC LIMIT ?`,
      since,
      until,
      MAX_ROWS,
    )
    .reverse()
}

/** Returns the calls of a time range, oldest first. */
export function weighedCalls(reader: Reader, since: string, until: string): WeighedCall[] {
  return reader
    .all<WeighedCall>(
      `SELECT u.id, u.session_id, u.agent_id, u.turn_id, u.timestamp, e.request_id, u.model, u.input_tokens, u.output_tokens,
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
