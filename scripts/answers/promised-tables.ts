import type Database from 'better-sqlite3'

/** Tables and views that the documentation promises, and the order of their rows. */
const ORDERS: { readonly [table: string]: string } = {
  sessions: 'started_at, id',
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
  rollups: '1, 2, 3, 4, 5',
  day_rollups: '1, 2, 3, 4, 5',
  tool_rollups: '1, 2, 3, 4',
  model_totals: '1, 2',
  tool_totals: '1, 2',
  event_counts: '1',
  lineage: 'uuid',
  sightings: 'id',
  event_keys: 'key',
  parent_keys: '1, 2, 3',
  session_links: '1, 2, 3',
  tombstones: '1',
  session_labels: '1',
  memories: 'id',
  memory_evidence: '1, 2',
  episodes: 'id',
  saved_searches: 'id',
  transcript_files: 'path',
  archives: '1',
  cache_calls: 'id',
  limit_steps: 'id, limit_window',
}
/** The payload is left out: `events.export` has it, and here it is compressed. */
const EVENTS = `SELECT id, event_id, session_id, turn_id, seq, agent_id, parent_event_id, root_event_id, depth, event_type, source,
  ts_wall, ts_monotonic, duration_ms, success, error_message FROM session_events ORDER BY id`

const INDEXES = [
  'prompts_fts',
  'thinking_fts',
  'responses_fts',
  'compactions_fts',
  'tools_fts',
  'errors_fts',
  'recall_fts',
]

/** Yields the rows of each promised table. A comparison reports a table that is gone. */
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
