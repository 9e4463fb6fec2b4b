import { accountSql } from '../../../shared/account.ts'
import { defineTable } from './define-table.ts'

/** Refuses changes while the log is not open for deletion or redaction. */
const appendOnly = (table: string, log = table): readonly string[] =>
  (['delete', 'update'] as const).map(
    (change) =>
      `CREATE TRIGGER ${log}_no_${change} BEFORE ${change.toUpperCase()} ON ${table} WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, '${log} is append-only'); END`,
  )

export const logTables = {
  events: defineTable({
    role: 'log',
    owner: 'session_id',
    columns: {
      id: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      uuid: 'TEXT NOT NULL UNIQUE',
      session_id: 'TEXT NOT NULL',
      turn_id: 'INTEGER NOT NULL',
      seq: 'INTEGER NOT NULL',
      agent_id: 'TEXT',
      parent_uuid: 'TEXT',
      kind: 'TEXT NOT NULL',
      source: "TEXT NOT NULL CHECK (source = 'wire' OR source = 'hook' OR source = 'transcript' OR source = 'api')",
      ts_wall: 'TEXT NOT NULL',
      ts_monotonic: 'REAL',
      duration_ms: 'REAL',
      success: 'INTEGER',
      error_message: 'TEXT',
      request_id: 'TEXT',
      user_id: 'TEXT',
      project: 'TEXT',
      schema_version: 'INTEGER NOT NULL',
      payload: 'TEXT NOT NULL -- JSON; strings and payloads over 1 KB are in contents, as {"$content": hash}',
      is_line: 'INTEGER NOT NULL DEFAULT 0',
    },
    unique: ['session_id', 'turn_id', 'seq'],
    indexes: {
      events_agent_calls: "(session_id, ts_wall, id, agent_id) WHERE kind = 'tool_call' AND agent_id IS NOT NULL",
      events_by_duration: '(duration_ms, id) WHERE duration_ms IS NOT NULL',
      events_by_kind_time: '(kind, ts_wall, id)',
      events_by_session_time: '(session_id, ts_wall, id)',
      events_limits: `(${accountSql()}, ts_wall, id) WHERE kind = 'rate_limit'`,
      events_requests: "(session_id, agent_id, id) WHERE kind = 'model_request'",
      events_state_changes: "(session_id, id) WHERE kind = 'state_change'",
    },
    followedBy: [
      ...appendOnly('events'),
      `CREATE TRIGGER events_changes_ad AFTER DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE session_id = old.session_id)
BEGIN INSERT INTO changes (kind, event_id, name) VALUES ('removal', old.id, old.uuid); END`,
      `CREATE TRIGGER events_changes_au AFTER UPDATE OF payload, error_message ON events
WHEN new.error_message IS NOT old.error_message OR (new.payload IS NOT old.payload
    AND instr(new.payload, '"$archived"') = 0)
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.id); END`,
    ],
  }),
  sighting_rows: defineTable({
    role: 'log',
    owner: 'event_id',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      event_id: 'INTEGER NOT NULL',
      source: "TEXT NOT NULL CHECK (source = 'wire' OR source = 'hook' OR source = 'transcript' OR source = 'api')",
      other_session_id: 'TEXT -- null: the session of the event',
      seen_at: 'TEXT NOT NULL',
      payload: 'TEXT -- JSON: fields that this source added; null: none',
      with_first: 'INTEGER NOT NULL DEFAULT 1 -- 1: the rows of this event include its first sighting',
    },
    indexes: {
      sightings_by_event: '(event_id)',
      sightings_by_session: '(other_session_id) WHERE other_session_id IS NOT NULL',
    },
    followedBy: [
      ...appendOnly('sighting_rows', 'sightings'),
      `CREATE TRIGGER sightings_changes_ad AFTER DELETE ON sighting_rows
BEGIN INSERT INTO changes (kind, event_id) VALUES ('correction', old.event_id); END`,
      `CREATE TRIGGER sightings_changes_ai AFTER INSERT ON sighting_rows WHEN new.with_first = 0
BEGIN INSERT INTO changes (kind, event_id) VALUES ('sighting', new.event_id); END`,
      `CREATE TRIGGER sightings_changes_au AFTER UPDATE OF payload ON sighting_rows WHEN new.payload IS NOT old.payload
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.event_id); END`,
    ],
  }),
  key_rows: defineTable({
    role: 'log',
    owner: 'event_id',
    columns: {
      event_id: 'INTEGER NOT NULL',
      key: 'TEXT NOT NULL',
    },
    key: ['event_id', 'key'],
    withoutRowid: true,
    indexes: { key_rows_by_key: 'UNIQUE (key)' },
    followedBy: [...appendOnly('key_rows')],
  }),
  parent_keys: defineTable({
    role: 'log',
    owner: null,
    columns: {
      key: 'TEXT NOT NULL',
      uuid: 'TEXT NOT NULL',
      position: 'INTEGER NOT NULL -- best first',
    },
    key: ['key', 'uuid'],
    withoutRowid: true,
    indexes: { parent_keys_by_uuid: '(uuid, position)' },
    followedBy: [...appendOnly('parent_keys')],
  }),
  contents: defineTable({
    role: 'log',
    owner: null,
    columns: {
      id: 'INTEGER PRIMARY KEY',
      hash: 'BLOB NOT NULL UNIQUE',
      refs: 'INTEGER NOT NULL',
      bytes: 'INTEGER NOT NULL -- before compression',
      encoding: "TEXT NOT NULL CHECK (encoding IN ('zstd', 'plain'))",
      data: 'BLOB NOT NULL',
    },
  }),
}
