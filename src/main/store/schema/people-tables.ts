import { defineTable, redacted } from './define-table.ts'

/**
 * Creates a full-text index over columns of a table, and the triggers that follow its rows; `afterDelete`: further SQL
 * after a deletion.
 */
function fullTextOf(table: string, columns: readonly string[], afterDelete = ''): readonly string[] {
  const names = columns.join(', ')
  const valuesOf = (row: 'old' | 'new') => columns.map((name) => `${row}.${name}`).join(', ')
  const remove = `INSERT INTO ${table}_fts (${table}_fts, rowid, ${names}) VALUES ('delete', old.id, ${valuesOf('old')});`
  const insert = `INSERT INTO ${table}_fts (rowid, ${names}) VALUES (new.id, ${valuesOf('new')});`
  return [
    `CREATE VIRTUAL TABLE ${table}_fts USING fts5 (${names}, content = '${table}', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2')`,
    `CREATE TRIGGER ${table}_ad AFTER DELETE ON ${table} BEGIN ${remove}${afterDelete} END`,
    `CREATE TRIGGER ${table}_ai AFTER INSERT ON ${table} BEGIN ${insert} END`,
    `CREATE TRIGGER ${table}_au AFTER UPDATE OF ${names} ON ${table} BEGIN ${remove} ${insert} END`,
  ]
}

export const peopleTables = {
  session_labels: defineTable({
    role: 'people',
    owner: 'session_id',
    columns: {
      session_id: 'TEXT PRIMARY KEY',
      starred: 'INTEGER NOT NULL DEFAULT 0',
      pinned: 'INTEGER NOT NULL DEFAULT 0',
      title: redacted("TEXT -- null: the session's own"),
      updated_at: 'TEXT NOT NULL',
      tags: redacted('TEXT'),
    },
    withoutRowid: true,
    indexes: { session_labels_tagged: '(session_id, tags) WHERE tags IS NOT NULL' },
  }),
  memories: defineTable({
    role: 'people',
    owner: 'session_id',
    fullText: 'memories_fts',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      event_uuid: 'TEXT NOT NULL UNIQUE -- the event that was marked',
      session_id: 'TEXT NOT NULL',
      fact: redacted("TEXT NOT NULL -- in the person's words; '': the event's own text"),
      category: redacted("TEXT NOT NULL DEFAULT 'fact'"),
      confidence: 'REAL NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1)',
      source: redacted("TEXT NOT NULL DEFAULT 'person' -- who stated it"),
      note: redacted('TEXT'),
      first_confirmed_at: 'TEXT NOT NULL',
      last_confirmed_at: 'TEXT NOT NULL',
      created_at: 'TEXT NOT NULL',
    },
    indexes: { memories_by_session: '(session_id)' },
    followedBy: [
      ...fullTextOf(
        'memories',
        ['fact', 'category', 'note'],
        ' DELETE FROM memory_evidence WHERE memory_uuid = old.event_uuid;',
      ),
    ],
  }),
  memory_evidence: defineTable({
    role: 'people',
    owner: 'session_id',
    columns: {
      memory_uuid: "TEXT NOT NULL -- the memory's event",
      event_uuid: 'TEXT NOT NULL',
      session_id: 'TEXT NOT NULL',
      added_at: 'TEXT NOT NULL',
    },
    key: ['memory_uuid', 'event_uuid'],
    withoutRowid: true,
  }),
  episodes: defineTable({
    role: 'people',
    owner: 'session_id',
    fullText: 'episodes_fts',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      event_uuid: 'TEXT NOT NULL -- the compaction, or the last event before the end',
      session_id: 'TEXT NOT NULL',
      turn_id: 'INTEGER NOT NULL',
      closed_by: "TEXT NOT NULL CHECK (closed_by IN ('compaction', 'end'))",
      timestamp: 'TEXT NOT NULL',
      project: redacted('TEXT'),
      content: redacted('TEXT NOT NULL -- the summary'),
      tags: redacted('TEXT NOT NULL -- JSON: branch, models, tools, kinds of agents'),
    },
    unique: ['session_id', 'closed_by', 'event_uuid'],
    indexes: {
      episodes_by_event: '(event_uuid)',
      episodes_by_time: '(timestamp, id)',
    },
    followedBy: [...fullTextOf('episodes', ['content', 'tags'])],
  }),
  saved_searches: defineTable({
    role: 'people',
    owner: null,
    columns: {
      id: 'INTEGER PRIMARY KEY',
      name: redacted('TEXT NOT NULL UNIQUE'),
      address: redacted('TEXT NOT NULL'),
      created_at: 'TEXT NOT NULL',
    },
  }),
  budget_notices: defineTable({
    role: 'people',
    owner: null,
    columns: {
      budget_hash: 'TEXT NOT NULL -- sha256 of period and project',
      since: 'TEXT NOT NULL -- start of the period',
      mark: 'INTEGER NOT NULL -- percent',
      told_at: 'TEXT NOT NULL',
    },
    key: ['budget_hash', 'since', 'mark'],
    withoutRowid: true,
  }),
}
