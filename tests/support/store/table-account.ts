import type Database from 'better-sqlite3'
import { canonical, sha256 } from './log-account.ts'

/**
 * Summarizes the tables next to the log, read with plain SQL by the names and columns of docs/store.md. The same statements
 * run on an older store and on the upgraded one.
 */

type Rows = readonly { readonly [column: string]: unknown }[]

/** Tables whose rows must all be preserved; rows added by a newer version are allowed. */
const PEOPLE = {
  session_labels: 'SELECT session_id, starred, pinned, title, updated_at FROM session_labels ORDER BY session_id',
  memories: `SELECT event_uuid, session_id, fact, category, confidence, source, note, first_confirmed_at, last_confirmed_at, created_at
    FROM memories ORDER BY event_uuid`,
  memory_evidence:
    'SELECT memory_uuid, event_uuid, session_id, added_at FROM memory_evidence ORDER BY memory_uuid, event_uuid',
  saved_searches: 'SELECT id, name, address, created_at FROM saved_searches ORDER BY id',
  budget_notices: 'SELECT budget_hash, since, mark, told_at FROM budget_notices ORDER BY budget_hash, since, mark',
  tombstones: 'SELECT session_id, deleted_at FROM tombstones ORDER BY session_id',
  transcript_files: 'SELECT path, identity, offset, size, mtime_ms, imported_at FROM transcript_files ORDER BY path',
  episodes:
    'SELECT event_uuid, session_id, turn_id, closed_by, timestamp, project, content, tags FROM episodes ORDER BY id',
} as const

/** One row per session. Ends are left out: a session without a reported end gets one after a long silence. */
const SESSIONS = `SELECT s.id, s.user_id, s.project, s.git_branch, s.started_at, s.last_event_at, s.source, s.title, s.turn_count,
    s.prompts, s.total_tokens, round(s.total_cost_usd, 9) AS total_cost_usd, s.unpriced_calls, s.tool_calls, s.thinking_blocks,
    s.errors, round(s.active_ms, 3) AS active_ms, round(s.client_cost_usd, 9) AS client_cost_usd
  FROM sessions s ORDER BY s.id`

/** Details by session: row counts, sums, and a digest of the rows. */
const DETAILS = {
  user_prompts: 'SELECT session_id, turn_id, prompt_number, timestamp, content FROM user_prompts',
  thinking_blocks: 'SELECT session_id, turn_id, agent_id, timestamp, content FROM thinking_blocks',
  assistant_responses: 'SELECT session_id, turn_id, agent_id, timestamp, content FROM assistant_responses',
  compactions: 'SELECT session_id, turn_id, timestamp, content, tokens_before, tokens_after FROM compactions',
  errors: 'SELECT session_id, turn_id, agent_id, timestamp, origin, type, status, content FROM errors',
  tool_calls: 'SELECT session_id, turn_id, agent_id, timestamp, call_id, tool_name FROM tool_calls',
  tool_results:
    'SELECT session_id, turn_id, timestamp, call_id, round(duration_ms, 3) AS duration_ms, success, rejected, error FROM tool_results',
  api_usage: `SELECT session_id, turn_id, agent_id, timestamp, model, input_tokens, output_tokens, thinking_tokens, cache_read_tokens,
    cache_creation_tokens, cache_creation_1h_tokens, web_search_requests, speed, inference_geo, round(cost_usd, 9) AS cost_usd, basis,
    request_kind FROM api_usage`,
  turns: `SELECT session_id, turn_id, started_at, last_event_at, events, requests, tool_calls, errors, calls, tokens,
    round(cost_usd, 9) AS cost_usd FROM turns`,
  agents: 'SELECT session_id, agent_id, agent_type, call_id, turn_id, started_at, ended_at, success FROM agents',
  tasks: 'SELECT session_id, agent_id, task_id, subject, status, created_at, updated_at FROM tasks',
  rate_limits:
    'SELECT session_id, timestamp, requests_limit, requests_remaining, unified_status, five_hour_used FROM rate_limits',
} as const

/** Totals over all sessions. */
const TOTALS = {
  rollups: `SELECT model, sum(calls) AS calls, sum(input_tokens) AS input, sum(output_tokens) AS output,
    sum(cache_read_tokens) AS cache_read, sum(cache_creation_tokens) AS cache_creation, round(sum(cost_usd), 6) AS cost_usd,
    sum(prompts) AS prompts, sum(tool_calls) AS tool_calls, sum(thinking_blocks) AS thinking, sum(errors) AS errors
    FROM rollups GROUP BY model ORDER BY model`,
  tool_rollups: `SELECT tool_name, sum(calls) AS calls, sum(succeeded) AS succeeded, sum(failed) AS failed,
    round(sum(duration_ms), 3) AS duration_ms FROM tool_rollups GROUP BY tool_name ORDER BY tool_name`,
  event_counts: 'SELECT kind, events FROM event_counts WHERE events > 0 ORDER BY kind',
} as const

const INDEXES = ['prompts', 'thinking', 'responses', 'compactions', 'errors', 'tools'] as const

export interface TableAccount {
  readonly people: { readonly [table: string]: Rows }
  readonly sessions: Rows
  /** By table and session. */
  readonly details: {
    readonly [table: string]: { readonly [session: string]: readonly [rows: number, sha256: string] }
  }
  readonly totals: { readonly [table: string]: Rows }
  /** Covers (uuid, parent, root, depth), by uuid, except sessions whose events got new uuids. */
  readonly lineage: { readonly rows: number; readonly sha256: string }
  /** The number of matching texts by word and index. */
  readonly search: { readonly [word: string]: { readonly [index: string]: number } }
}

export function accountOfTables(
  db: Database.Database,
  { words, unnamed }: { readonly words: readonly string[]; readonly unnamed: ReadonlySet<string> },
): TableAccount {
  const rows = (sql: string): Rows => db.prepare<[], { [column: string]: unknown }>(sql).all()
  const each = <Name extends string, T>(
    statements: { readonly [name in Name]: string },
    make: (sql: string) => T,
  ): { readonly [name: string]: T } =>
    Object.fromEntries(Object.entries<string>(statements).map(([name, sql]) => [name, make(sql)]))
  const found = (index: string, word: string) =>
    db.prepare<[string], number>(`SELECT count(*) FROM ${index}_fts WHERE ${index}_fts MATCH ?`).pluck().get(word) ?? 0
  const lineage = db
    .prepare<[], readonly unknown[]>(
      `SELECT e.session_id, l.uuid, l.parent_uuid, l.root_uuid, l.depth FROM lineage l JOIN events e ON e.uuid = l.uuid
       ORDER BY l.uuid`,
    )
    .raw()
    .all()
    .filter(([session]) => !unnamed.has(String(session)))
  return {
    people: each(PEOPLE, rows),
    sessions: rows(SESSIONS),
    details: each(DETAILS, (sql) => bySession(rows(sql))),
    totals: each(TOTALS, rows),
    lineage: { rows: lineage.length, sha256: sha256(canonical(lineage)) },
    search: Object.fromEntries(
      words.map((word) => [word, Object.fromEntries(INDEXES.map((index) => [index, found(index, word)]))]),
    ),
  }
}

function bySession(rows: Rows): { [session: string]: [number, string] } {
  const sessions = Map.groupBy(rows, ({ session_id }) => String(session_id))
  return Object.fromEntries(
    [...sessions]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      // Rows may be in a different order elsewhere, but their values must be the same.
      .map(([session, own]) => [session, [own.length, sha256(own.map(canonical).sort().join('\n'))]]),
  )
}
