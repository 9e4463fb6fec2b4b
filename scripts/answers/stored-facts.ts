import type Database from 'better-sqlite3'
import { EVENT_KINDS } from '../../src/shared/event.ts'

/**
 * Values of each field that occur in a store. For `a+b`, fields that belong together, a value is a list. The key
 * `requests uuid` is for that field of the operations `requests.…`.
 */
export type StoredFacts = ReadonlyMap<string, readonly unknown[]>

/** Orders whose first sessions differ in content. */
const SESSION_ORDERS = [
  'started_at, id',
  'started_at DESC, id',
  'total_tokens DESC, id',
  'errors DESC, id',
  'tool_calls DESC, id',
  'prompts DESC, id',
  'prompts, id',
  'client, id',
  'client DESC, id',
  'source, id',
]

/** Returns the most frequent values of a column. */
const frequent = (column: string, table: string, most = 4): string =>
  `SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL GROUP BY ${column} ORDER BY count(*) DESC, ${column} LIMIT ${most}`

/** Returns the first, the last and two values between them. */
const spread = (column: string, table: string, where = 'true'): string =>
  `SELECT ${column} FROM (
     SELECT ${column}, row_number() OVER (ORDER BY id) AS at, count(*) OVER () AS total FROM ${table} WHERE ${where})
   WHERE at IN (1, 1 + total / 3, 1 + total / 2, total)`

/** Number of rows of `session_events` before a moment. */
const moment = (share: string): string =>
  `SELECT ts_wall FROM session_events ORDER BY ts_wall LIMIT 1 OFFSET (SELECT ${share} FROM session_events)`

/** Statements over the tables and views that the documentation promises. */
const STATEMENTS: { readonly [fields: string]: readonly string[] } = {
  session_id: SESSION_ORDERS.map((order) => `SELECT id FROM sessions ORDER BY ${order} LIMIT 4`),
  'session_id+turn': SESSION_ORDERS.map(
    (order) =>
      `SELECT session_id, turn_id FROM turns WHERE session_id = (SELECT id FROM sessions ORDER BY ${order} LIMIT 1)
       ORDER BY turn_id LIMIT 4`,
  ),
  'uuid+hash': [
    `SELECT event_id, json_extract(payload, '$.media[0].hash') FROM session_events
     WHERE event_type IN ('user_prompt', 'tool_result') AND typeof(payload) = 'text' AND json_extract(payload, '$.media[0].hash') IS NOT NULL
     ORDER BY id LIMIT 6`,
  ],
  uuid: [
    ...EVENT_KINDS.map((kind) => spread('event_id', 'session_events', `event_type = '${kind}'`)),
    spread('event_uuid', 'memories'),
    spread('event_uuid', 'episodes'),
  ],
  'requests uuid': [
    spread('event_id', 'session_events', "event_type = 'model_request'"),
    spread('event_uuid', 'api_usage'),
    spread('event_id', 'session_events', "event_type = 'model_response'"),
  ],
  'memories uuid': ['SELECT event_uuid FROM memories ORDER BY id'],
  'compactions uuid': [spread('event_uuid', 'compactions')],
  project: [frequent('project', 'sessions')],
  user_id: [frequent('user_id', 'sessions', 2)],
  branch: [frequent('git_branch', 'sessions', 3)],
  client: [frequent('client', 'sessions')],
  model: [frequent('model', 'api_usage')],
  tool_name: [frequent('tool_name', 'tool_calls')],
  turn_id: ['SELECT 1', 'SELECT max(turn_id) FROM turns'],
  agent: ["SELECT 'main'", frequent('agent_id', 'agents', 3)],
  call_id: [spread('call_id', 'tool_calls')],
  exchange: [spread('event_id', 'session_events', "event_type = 'model_request'")],
  category: [frequent('category', 'memories')],
  tag: ["SELECT 'release'"],
  day: ['SELECT date(max(timestamp)) FROM api_usage', 'SELECT date(min(timestamp)) FROM api_usage'],
  time: [moment('count(*) / 3'), moment('count(*) * 4 / 5')],
  time_zone: ["SELECT 'Europe/Berlin' UNION ALL SELECT 'America/New_York'"],
  service_tier: ["SELECT 'standard'"],
  speed: [frequent('speed', 'api_usage')],
  inference_geo: [frequent('inference_geo', 'api_usage')],
  after: ['SELECT max(id) / 2 FROM session_events'],
}

/** Reads values for the fields of inputs. The same store gives the same values in the same order. */
export function readStoredFacts(db: Database.Database): StoredFacts {
  const facts = new Map<string, readonly unknown[]>()
  for (const [fields, statements] of Object.entries(STATEMENTS)) {
    const rows = statements.flatMap((sql) => db.prepare(sql).raw().all() as unknown[][])
    const distinct = new Map(rows.map((row) => [JSON.stringify(row), fields.includes('+') ? row : row[0]]))
    facts.set(
      fields,
      [...distinct.values()].filter((value) => value !== null),
    )
  }
  facts.set('query', queries(db))
  return facts
}

/** Returns searches: words of prompts, alone and together, and what the syntax of searches has. */
function queries(db: Database.Database): readonly string[] {
  const prompts = db
    .prepare(spread('content', 'user_prompts', 'length(content) > 20'))
    .pluck()
    .all() as string[]
  const words = prompts.map((prompt) => /\p{L}{6,20}/u.exec(prompt)?.[0] ?? 'session')
  const [first = 'session', second = 'error'] = words
  return [
    ...new Set([...words, `${first} ${second}`, `"${first}"`, `${first} -${second}`, 'why did the test fail', 'err']),
  ]
}
