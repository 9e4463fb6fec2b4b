import { defineTable } from './define-table.ts'

const upkeep = { role: 'upkeep', owner: null } as const

export const upkeepTables = {
  metadata: defineTable({
    ...upkeep,
    columns: {
      key: 'TEXT PRIMARY KEY',
      value: 'TEXT NOT NULL',
    },
    withoutRowid: true,
  }),
  tombstones: defineTable({
    ...upkeep,
    columns: {
      session_id: 'TEXT PRIMARY KEY',
      deleted_at: 'TEXT NOT NULL',
    },
    withoutRowid: true,
    followedBy: [
      `CREATE TRIGGER tombstones_changes_ai AFTER INSERT ON tombstones
BEGIN INSERT INTO changes (kind, name) VALUES ('tombstone', new.session_id); END`,
    ],
  }),
  changes: defineTable({
    ...upkeep,
    columns: {
      position: 'INTEGER PRIMARY KEY AUTOINCREMENT',
      kind: "TEXT NOT NULL CHECK (kind = 'event' OR kind = 'sighting' OR kind = 'correction' OR kind = 'redaction' OR kind = 'removal' OR kind = 'tombstone' OR kind = 'session')",
      event_id: 'INTEGER -- null for a session',
      name: 'TEXT -- the uuid of a removed event, or the session',
    },
  }),
  transcript_files: defineTable({
    ...upkeep,
    columns: {
      path: 'TEXT PRIMARY KEY',
      identity: 'TEXT NOT NULL',
      offset: 'INTEGER NOT NULL',
      size: 'INTEGER NOT NULL',
      mtime_ms: 'REAL NOT NULL',
      imported_at: 'TEXT NOT NULL',
    },
    withoutRowid: true,
  }),
  preview_files: defineTable({
    ...upkeep,
    columns: {
      id: 'INTEGER PRIMARY KEY',
      path: 'TEXT NOT NULL UNIQUE',
      size: 'INTEGER NOT NULL -- as the file was then',
      mtime_ms: 'REAL NOT NULL',
      whole: 'INTEGER NOT NULL -- 1: all of it was looked through',
      last_event_at: 'TEXT -- null: nothing found',
    },
  }),
  preview_sessions: defineTable({
    role: 'upkeep',
    owner: 'session_id',
    columns: {
      session_id: 'TEXT NOT NULL',
      file_id: 'INTEGER NOT NULL',
      project: 'TEXT',
      git_branch: 'TEXT',
      title: 'TEXT -- redacted',
      title_rank: 'INTEGER NOT NULL',
      title_at: 'TEXT',
      started_at: 'TEXT NOT NULL',
      last_event_at: 'TEXT NOT NULL',
      client: 'TEXT NOT NULL',
      client_version: 'TEXT',
    },
    key: ['session_id', 'file_id'],
    withoutRowid: true,
    indexes: { preview_sessions_by_file: '(file_id)' },
  }),
  preview_items: defineTable({
    role: 'upkeep',
    owner: 'session_id',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      key: 'TEXT NOT NULL UNIQUE -- of the event that it becomes',
      file_id: 'INTEGER NOT NULL',
      kind: "TEXT NOT NULL CHECK (kind = 'api_usage' OR kind = 'user_prompt' OR kind = 'agent_started' OR kind = 'compaction')",
      session_id: 'TEXT NOT NULL',
      agent_id: 'TEXT',
      timestamp: 'TEXT NOT NULL',
      quarter: 'TEXT NOT NULL',
      project: "TEXT NOT NULL -- '' where unknown",
      model: "TEXT NOT NULL -- '' for rows without a model",
      input_tokens: 'INTEGER NOT NULL DEFAULT 0',
      output_tokens: 'INTEGER NOT NULL DEFAULT 0',
      thinking_tokens: 'INTEGER',
      cache_read_tokens: 'INTEGER NOT NULL DEFAULT 0',
      cache_creation_tokens: 'INTEGER NOT NULL DEFAULT 0',
      cache_creation_1h_tokens: 'INTEGER NOT NULL DEFAULT 0',
      web_search_requests: 'INTEGER NOT NULL DEFAULT 0',
      speed: 'TEXT',
      inference_geo: 'TEXT',
      service_tier: 'TEXT',
      cost_usd: 'REAL -- null: unpriced',
      price_basis: 'TEXT',
      basis: "TEXT NOT NULL DEFAULT 'lower_bound'",
      request_kind: 'TEXT',
      detail: 'TEXT -- JSON: of an agent or a compaction',
    },
    indexes: {
      preview_items_by_file: '(file_id)',
      preview_items_by_quarter: '(quarter)',
      preview_items_by_session: '(session_id, kind, id)',
    },
  }),
  archives: defineTable({
    ...upkeep,
    columns: {
      id: 'INTEGER PRIMARY KEY',
      month: 'TEXT NOT NULL -- of the events in it, UTC',
      path: 'TEXT NOT NULL UNIQUE -- name of the file in the archive folder',
      bytes: 'INTEGER NOT NULL DEFAULT 0 -- valid bytes of the file: later ones were never committed',
      archived_at: 'TEXT NOT NULL -- when something was last added',
      removed_at: 'TEXT -- when it expired; the file is gone',
      rewrite_due: 'INTEGER NOT NULL DEFAULT 0 -- 1: it contains data to remove',
    },
    indexes: { archives_by_month: '(month) WHERE removed_at IS NULL' },
  }),
  archive_frames: defineTable({
    ...upkeep,
    columns: {
      archive: 'INTEGER NOT NULL',
      frame: 'INTEGER NOT NULL',
      start: 'INTEGER NOT NULL -- byte in the file',
      bytes: 'INTEGER NOT NULL -- compressed; 0: nothing is left',
    },
    key: ['archive', 'frame'],
    withoutRowid: true,
  }),
  archived_events: defineTable({
    ...upkeep,
    columns: {
      id: "INTEGER PRIMARY KEY -- the event's",
      archive: 'INTEGER NOT NULL',
      frame: 'INTEGER NOT NULL',
    },
  }),
  archived_contents: defineTable({
    ...upkeep,
    columns: {
      hash: 'BLOB NOT NULL',
      archive: 'INTEGER NOT NULL',
      frame: 'INTEGER NOT NULL',
    },
    key: ['hash', 'archive'],
    withoutRowid: true,
    indexes: { archived_contents_by_archive: '(archive)' },
  }),
  answers_in_progress: defineTable({
    role: 'upkeep',
    owner: 'session_id',
    columns: {
      exchange_id: 'TEXT PRIMARY KEY',
      session_id: 'TEXT NOT NULL',
      pid: 'INTEGER NOT NULL -- of the app that records the answer',
      started_at: 'REAL NOT NULL -- when that app started, ms since the epoch',
      drafts: 'TEXT NOT NULL -- JSON, redacted: what the answer would be if it ended now',
    },
  }),
  archive_leftovers: defineTable({
    ...upkeep,
    columns: { path: 'TEXT PRIMARY KEY' },
    withoutRowid: true,
  }),
}
