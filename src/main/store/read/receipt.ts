import type { JsonObject } from '../../../shared/event.ts'
import { naturalKey } from '../../decode/draft.ts'
import { where } from './page.ts'
import type { Reader, Rows } from './reader.ts'

/** A call with all facts that decide its price. */
export interface PaidCall {
  readonly id: number
  readonly session_id: string
  readonly agent_id: string | null
  readonly timestamp: string
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
  readonly basis: 'measured' | 'lower_bound'
  /** 1: seen on the wire. 2: in a transcript. 3: both. */
  readonly seen: number
}

export interface Span {
  readonly session_id?: string
  readonly since?: string
  readonly until?: string
}

/** Selects calls by their properties. Null: the API did not name it; for an agent: the main agent; for a speed: standard. */
export interface CallFilter extends Span {
  readonly model?: string
  readonly agent_id?: string | null
  readonly service_tier?: string | null
  readonly speed?: string | null
  readonly inference_geo?: string | null
}

const OF_CALL = ['model', 'agent_id', 'service_tier', 'speed', 'inference_geo'] as const

/** Bounds the calls of a receipt. */
const MAX_CALLS = 400_000

const COLUMNS = `u.id, u.session_id, u.agent_id, u.timestamp, u.model, u.input_tokens, u.output_tokens, u.cache_read_tokens,
  u.cache_creation_tokens AS cache_write_tokens, u.cache_creation_1h_tokens AS cache_write_1h_tokens, u.web_search_requests,
  u.speed, u.inference_geo, u.service_tier, u.cost_usd, u.basis,
  CASE e.source WHEN 'wire' THEN 1 WHEN 'transcript' THEN 2 ELSE 0 END | coalesce((SELECT max(s.source = 'wire') + 2 * max(s.source = 'transcript')
    FROM sighting_rows s WHERE s.event_id = u.id), 0) AS seen`

/** Returns the calls of a session or a time span, as many as time allows, newest first. */
export function paidCalls(reader: Reader, wanted: CallFilter): Rows<PaidCall> {
  const { session_id, since, until } = wanted
  const filter = where()
  if (session_id !== undefined) filter.add('u.session_id = ?', session_id)
  else filter.add("e.kind = 'api_usage'")
  if (since !== undefined) filter.add('e.ts_wall >= ?', since)
  if (until !== undefined) filter.add('e.ts_wall < ?', until)
  for (const name of OF_CALL) {
    const value = wanted[name]
    if (value === null && name === 'speed') filter.add("(u.speed IS NULL OR u.speed = 'standard')")
    else if (value === null) filter.add(`u.${name} IS NULL`)
    else if (value !== undefined) filter.add(`u.${name} = ?`, value)
  }
  filter.add('aspy_in_time()')
  const from =
    session_id === undefined
      ? 'events e INDEXED BY events_by_kind_time CROSS JOIN api_usage u ON u.id = e.id'
      : 'api_usage u CROSS JOIN events e ON e.id = u.id'
  const order = session_id === undefined ? 'e.ts_wall DESC, e.id DESC' : 'u.turn_id DESC, u.id DESC'
  return reader.inTime<PaidCall>(
    `SELECT ${COLUMNS} FROM ${from} ${filter.sql} ORDER BY ${order} LIMIT ?`,
    ...filter.values,
    MAX_CALLS,
  )
}

/** Returns a call by the key of its usage. */
export const paidCallOf = (reader: Reader, key: string): PaidCall | undefined =>
  reader.get(
    `SELECT ${COLUMNS} FROM key_rows k CROSS JOIN api_usage u ON u.id = k.event_id CROSS JOIN events e ON e.id = u.id
     WHERE k.key = ?`,
    key,
  )

/** The request and session of a call. */
export interface CallPlace {
  readonly id: number
  readonly event: string
  /** uuid of its request; null if that was not captured. */
  readonly exchange: string | null
  readonly title: string | null
  readonly turn_id: number
}

/** Returns the requests and sessions of calls. */
export function placesOfCalls(reader: Reader, ids: readonly number[]): CallPlace[] {
  return reader.all(
    `SELECT u.id, e.uuid AS event, q.request_uuid AS exchange, s.title, u.turn_id
     FROM json_each(?) wanted CROSS JOIN api_usage u ON u.id = wanted.value JOIN events e ON e.id = u.id
     LEFT JOIN cache_calls q ON q.id = u.id LEFT JOIN sessions s ON s.id = u.session_id`,
    JSON.stringify(ids),
  )
}

/** Returns the usage that a transcript gave for a call; null if no transcript did. */
export function transcriptUsage(reader: Reader, id: number): JsonObject | null {
  const row = reader.get<{ own: string | null; seen: string | null }>(
    `SELECT CASE WHEN e.source = 'transcript' THEN e.payload END AS own,
       (SELECT s.payload FROM sighting_rows s WHERE s.event_id = e.id AND s.source = 'transcript' AND s.payload IS NOT NULL
        ORDER BY s.id DESC LIMIT 1) AS seen
     FROM events e WHERE e.id = ?`,
    id,
  )
  for (const json of [row?.own, row?.seen]) {
    if (json === null || json === undefined) continue
    const usage = (JSON.parse(json) as JsonObject)['usage']
    if (usage !== null && typeof usage === 'object' && !Array.isArray(usage)) return usage as JsonObject
  }
  return null
}

/** Returns the titles, projects and client's totals of sessions. */
export function receiptSessions(
  reader: Reader,
  ids: readonly string[],
): { id: string; title: string | null; project: string | null; client_cost_usd: number | null }[] {
  return reader.all(
    `SELECT s.id, s.title, s.project, s.client_cost_usd FROM json_each(?) wanted CROSS JOIN sessions s ON s.id = wanted.value`,
    JSON.stringify(ids),
  )
}

/** Returns the types of the agents of sessions. */
export function agentTypes(
  reader: Reader,
  ids: readonly string[],
): { session_id: string; agent_id: string; agent_type: string | null }[] {
  return reader.all(
    `SELECT a.session_id, a.agent_id, a.agent_type FROM json_each(?) wanted CROSS JOIN agents a ON a.session_id = wanted.value`,
    JSON.stringify(ids),
  )
}

/** Counts requests that failed upstream or never arrived there. */
export function failedRequests(reader: Reader, { session_id, since, until }: Span): number {
  const filter = where()
  if (session_id !== undefined) filter.add('session_id = ?', session_id)
  if (since !== undefined) filter.add('timestamp >= ?', since)
  if (until !== undefined) filter.add('timestamp < ?', until)
  if (session_id === undefined && since === undefined) filter.add("timestamp >= ''")
  filter.add("origin IN ('upstream', 'connection')")
  return (
    reader.get<{ failed: number }>(`SELECT count(*) AS failed FROM errors ${filter.sql}`, ...filter.values)?.failed ?? 0
  )
}

/** Counts answers for which no usage is stored: messages that the API sent without saying what they cost. */
export function answersWithoutUsage(reader: Reader, { session_id, since, until }: Span): number {
  const filter = where()
  if (session_id !== undefined) filter.add('e.session_id = ?', session_id)
  if (since !== undefined) filter.add('e.ts_wall >= ?', since)
  if (until !== undefined) filter.add('e.ts_wall < ?', until)
  filter.add("e.kind = 'model_response'")
  // Both are known by the name of the message.
  const [own, usage] = [naturalKey.response(''), naturalKey.usage('')]
  filter.add(`EXISTS (SELECT 1 FROM key_rows own WHERE own.event_id = e.id AND substr(own.key, 1, ${own.length}) = '${own}'
    AND NOT EXISTS (SELECT 1 FROM key_rows k JOIN api_usage u ON u.id = k.event_id
      WHERE k.key = '${usage}' || substr(own.key, ${own.length + 1})))`)
  filter.add('aspy_in_time()')
  const index = session_id === undefined ? 'events_by_kind_time' : 'events_by_session_time'
  return reader.inTime(`SELECT e.session_id FROM events e INDEXED BY ${index} ${filter.sql}`, ...filter.values).length
}

/** Counts the sessions with prompts and without any usage or failed request, known only from hooks or a transcript. */
export function unseenSessions(reader: Reader, { session_id, since = '', until }: Span): number {
  const filter = where()
  if (session_id !== undefined) filter.add('s.id = ?', session_id)
  else filter.add('s.last_event_at >= ?', since)
  if (until !== undefined) filter.add('s.started_at < ?', until)
  filter.add(
    's.prompts > 0 AND s.total_tokens = 0 AND s.api_errors = 0 AND (s.client_version IS NULL OR s.measured_events = 0)',
  )
  filter.add('NOT EXISTS (SELECT 1 FROM api_usage u WHERE u.session_id = s.id)')
  return (
    reader.get<{ count: number }>(`SELECT count(*) AS count FROM sessions s ${filter.sql}`, ...filter.values)?.count ??
    0
  )
}
