import type Database from 'better-sqlite3'

/** Tables and views that the documentation promises, and sums that answers are made of, each with the columns that order its rows. */
const ORDERS: { readonly [table: string]: string } = {
  sessions: 'id',
  user_prompts: 'id',
  thinking_blocks: 'id',
  assistant_responses: 'id',
  compactions: 'id',
  tool_calls: 'id',
  tool_results: 'id',
  tool_texts: 'id',
  api_usage: 'id',
  errors: 'id',
  turns: 'session_id, turn_id',
  agents: 'session_id, agent_id',
  tasks: 'session_id, agent_id, task_id',
  rate_limits: 'id',
  rollups: 'quarter, project, model',
  day_rollups: 'day, project, model',
  tool_rollups: 'day, project, tool_name',
  model_totals: 'project, model',
  tool_totals: 'project, tool_name',
  event_counts: 'kind',
  lineage: 'uuid',
  sightings: 'id',
  event_keys: 'key',
  parent_keys: 'key, uuid',
  session_links: 'session_id, other_session_id, line_uuid',
  tombstones: 'session_id',
  session_labels: 'session_id',
  memories: 'id',
  memory_evidence: 'memory_uuid, event_uuid',
  episodes: 'id',
  saved_searches: 'id',
  transcript_files: 'path',
  archives: 'id',
  cache_calls: 'id',
  limit_steps: 'id, limit_window',
}
/** The payload is left out: `events.export` has it, and here it is compressed. */
const EVENTS = `SELECT id, event_id, session_id, turn_id, seq, agent_id, parent_event_id, root_event_id, depth, event_type, source,
  ts_wall, ts_monotonic, duration_ms, success, error_message FROM session_events ORDER BY id`

/** Returns what names a row in a comparison: its event or the columns of its order, rather than its number. */
export function nameOfRow(table: string, row: Readonly<Record<string, unknown>>): string | null {
  const event = row['event_uuid'] ?? row['event_id']
  const columns = ORDERS[table]?.split(', ')
  if (typeof event === 'string' && columns?.[0] === 'id')
    return `${event} ${String(row[columns[1] ?? ''] ?? '')}`.trim()
  return columns === undefined ? null : columns.map((column) => String(row[column])).join(' ')
}

const INDEXES = [
  'prompts_fts',
  'thinking_fts',
  'responses_fts',
  'compactions_fts',
  'tools_fts',
  'errors_fts',
  'recall_fts',
]

/** Yields the rows of each promised table. A comparison reports a missing table. */
export function* promisedTables(db: Database.Database): Generator<readonly [table: string, rows: Iterable<unknown>]> {
  const exists = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  for (const [table, order] of Object.entries(ORDERS).filter(([name]) => exists.get(name) !== undefined))
    yield [table, db.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).iterate()]
  yield ['session_events', db.prepare(EVENTS).iterate()]
}

/** Yields the rows that each full-text index finds for some words. */
export function* foundInIndexes(db: Database.Database, words: readonly string[]): Generator<object> {
  for (const index of INDEXES)
    for (const word of words) {
      const found = db.prepare(`SELECT rowid FROM ${index} WHERE ${index} MATCH ? ORDER BY rowid`).pluck()
      yield { index, word, rows: found.all(`"${word.replaceAll('"', '')}"`) }
    }
}
