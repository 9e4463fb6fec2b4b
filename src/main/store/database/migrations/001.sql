-- The log, complete from the first migration, and the projections that the first views need.
-- auto_vacuum=INCREMENTAL is set on the connection before this runs: it takes effect only on an empty file.

-- ── The log: append-only ────────────────────────────────────────────────────────────────────────────────────────────

CREATE TABLE events (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid           TEXT    NOT NULL UNIQUE,
  session_id     TEXT    NOT NULL,
  turn_id        INTEGER NOT NULL,
  seq            INTEGER NOT NULL,
  agent_id       TEXT,
  parent_uuid    TEXT,
  kind           TEXT    NOT NULL,
  source         TEXT    NOT NULL CHECK (source IN ('wire', 'hook', 'transcript', 'api')),
  ts_wall        TEXT    NOT NULL,
  ts_monotonic   REAL,
  duration_ms    REAL,
  success        INTEGER,
  error_message  TEXT,
  request_id     TEXT,
  user_id        TEXT,
  project        TEXT,
  schema_version INTEGER NOT NULL,
  payload        TEXT    NOT NULL, -- JSON; strings and payloads over 1 KB are in contents, as {"$content": hash}
  UNIQUE (session_id, turn_id, seq)
) STRICT;

CREATE INDEX events_by_session_time ON events (session_id, ts_wall, id);
CREATE INDEX events_by_time ON events (ts_wall, id);
CREATE INDEX events_by_kind_time ON events (kind, ts_wall, id);
CREATE INDEX events_requests ON events (session_id, agent_id, id) WHERE kind = 'model_request';

CREATE TABLE event_keys (
  key  TEXT PRIMARY KEY,
  uuid TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX event_keys_by_uuid ON event_keys (uuid);

-- The sources that saw an event: the first one, and each further one. id is the order of arrival.
CREATE TABLE sightings (
  id         INTEGER PRIMARY KEY,
  uuid       TEXT NOT NULL,
  source     TEXT NOT NULL CHECK (source IN ('wire', 'hook', 'transcript', 'api')),
  session_id TEXT NOT NULL,
  seen_at    TEXT NOT NULL,
  payload    TEXT           -- JSON: fields that this source added; null: none
) STRICT;
CREATE INDEX sightings_by_uuid ON sightings (uuid, id);
CREATE INDEX sightings_by_session ON sightings (session_id, uuid);

-- Keys of better parents that were unknown when the event arrived: if one arrives, lineage is repaired.
CREATE TABLE parent_keys (
  key      TEXT    NOT NULL,
  uuid     TEXT    NOT NULL,
  position INTEGER NOT NULL, -- best first
  PRIMARY KEY (key, uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX parent_keys_by_uuid ON parent_keys (uuid, position);

-- Texts and blocks, compressed (zstd), stored once by keyed hash. refs counts the events and sightings that name a content,
-- and the contents whose own text names it (a request's list of tools names each tool).
CREATE TABLE contents (
  id       INTEGER PRIMARY KEY,
  hash     BLOB    NOT NULL UNIQUE,
  refs     INTEGER NOT NULL,
  bytes    INTEGER NOT NULL, -- before compression
  encoding TEXT    NOT NULL CHECK (encoding IN ('zstd', 'plain')),
  data     BLOB    NOT NULL
) STRICT;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER event_keys_no_update BEFORE UPDATE ON event_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;
CREATE TRIGGER event_keys_no_delete BEFORE DELETE ON event_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;
CREATE TRIGGER sightings_no_update BEFORE UPDATE ON sightings WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_no_delete BEFORE DELETE ON sightings WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER parent_keys_no_update BEFORE UPDATE ON parent_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'parent_keys is append-only'); END;
CREATE TRIGGER parent_keys_no_delete BEFORE DELETE ON parent_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'parent_keys is append-only'); END;

-- schema_version, app_version, created_at; log_open exists only within a transaction that deletes a session or redacts the
-- past.
CREATE TABLE metadata (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- How far each transcript file was read; written in the transaction that stores its events.
CREATE TABLE transcript_files (
  path        TEXT    PRIMARY KEY,
  identity    TEXT    NOT NULL,
  offset      INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ms    REAL    NOT NULL,
  imported_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- ── Projections: derived, rebuilt at any time. A row's id is its event's id. ────────────────────────────────────────

CREATE TABLE lineage (
  uuid        TEXT PRIMARY KEY,
  parent_uuid TEXT,
  root_uuid   TEXT    NOT NULL,
  depth       INTEGER NOT NULL,
  cut         INTEGER NOT NULL DEFAULT 0 -- 1: its parent would close a cycle and is left out
) STRICT, WITHOUT ROWID;
CREATE INDEX lineage_by_parent ON lineage (parent_uuid) WHERE parent_uuid IS NOT NULL;
CREATE INDEX lineage_cut ON lineage (uuid) WHERE cut = 1;

CREATE TABLE sessions (
  id              TEXT PRIMARY KEY,
  user_id         TEXT,
  project         TEXT,
  git_branch      TEXT,
  started_at      TEXT    NOT NULL,
  ended_at        TEXT,
  last_event_at   TEXT    NOT NULL,
  source          TEXT    NOT NULL CHECK (source IN ('hook', 'warmup', 'first_seen', 'transcript')),
  title           TEXT,
  turn_count      INTEGER NOT NULL DEFAULT 0,
  prompts         INTEGER NOT NULL DEFAULT 0,
  total_tokens    INTEGER NOT NULL DEFAULT 0,
  total_cost_usd  REAL    NOT NULL DEFAULT 0,
  unpriced_calls  INTEGER NOT NULL DEFAULT 0,
  tool_calls      INTEGER NOT NULL DEFAULT 0,
  thinking_blocks INTEGER NOT NULL DEFAULT 0,
  errors          INTEGER NOT NULL DEFAULT 0,
  active_ms       REAL    NOT NULL DEFAULT 0,
  client_cost_usd REAL,             -- the client's own total, as its transcript last gave it
  client_cost     TEXT,             -- JSON: that account in full, by model
  client_cost_at  TEXT,
  -- What the columns above were drawn from, so that older history and later sightings settle them the same way in any order.
  user_from       INTEGER,          -- event id that told user_id, project, git_branch: the lowest one
  project_from    INTEGER,
  branch_from     INTEGER,
  title_rank      INTEGER NOT NULL DEFAULT 0, -- 1: first prompt, 2: the client's title, 3: the person's own
  title_at        TEXT,
  session_end_at  TEXT,             -- the last SessionEnd
  last_active_at  TEXT              -- the last start, prompt or answer: after a SessionEnd, the session was resumed
) STRICT;
CREATE INDEX sessions_open ON sessions (last_event_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_by_start ON sessions (started_at, id);
CREATE INDEX sessions_by_project ON sessions (project, started_at, id);
CREATE INDEX sessions_by_last_event ON sessions (last_event_at, id);
CREATE INDEX sessions_by_user ON sessions (user_id, started_at, id);

CREATE TABLE user_prompts (
  id               INTEGER PRIMARY KEY,
  event_uuid       TEXT    NOT NULL UNIQUE,
  session_id       TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id          INTEGER NOT NULL,
  prompt_number    INTEGER NOT NULL,
  content          TEXT    NOT NULL,
  timestamp        TEXT    NOT NULL,
  created_at       TEXT    NOT NULL,
  created_at_epoch INTEGER NOT NULL,
  UNIQUE (session_id, prompt_number)
) STRICT;
CREATE INDEX user_prompts_by_time ON user_prompts (timestamp, id);

CREATE TABLE thinking_blocks (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL UNIQUE,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT;
CREATE INDEX thinking_blocks_by_session ON thinking_blocks (session_id, turn_id, id);

CREATE TABLE assistant_responses (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL UNIQUE,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT;
CREATE INDEX assistant_responses_by_session ON assistant_responses (session_id, turn_id, id);

CREATE TABLE compactions (
  id            INTEGER PRIMARY KEY,
  event_uuid    TEXT    NOT NULL UNIQUE,
  session_id    TEXT    NOT NULL,
  turn_id       INTEGER NOT NULL,
  timestamp     TEXT    NOT NULL,
  content       TEXT    NOT NULL,
  tokens        INTEGER,
  tokens_before INTEGER,
  tokens_after  INTEGER
) STRICT;
CREATE INDEX compactions_by_session ON compactions (session_id, id);

CREATE TABLE tool_calls (
  id                INTEGER PRIMARY KEY,
  event_uuid        TEXT    NOT NULL UNIQUE,
  call_id           TEXT    NOT NULL,
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  timestamp         TEXT    NOT NULL,
  tool_name         TEXT    NOT NULL,
  input_json        TEXT    NOT NULL,
  parent_event_uuid TEXT
) STRICT;
CREATE INDEX tool_calls_by_call ON tool_calls (call_id);
CREATE INDEX tool_calls_by_session ON tool_calls (session_id, timestamp, id);
CREATE INDEX tool_calls_by_tool ON tool_calls (tool_name, timestamp, id);
CREATE INDEX tool_calls_by_time ON tool_calls (timestamp, id);

CREATE TABLE tool_results (
  id          INTEGER PRIMARY KEY,
  event_uuid  TEXT    NOT NULL UNIQUE,
  call_id     TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  timestamp   TEXT    NOT NULL,
  turn_id     INTEGER NOT NULL,
  output_json TEXT    NOT NULL,
  duration_ms REAL,
  success     INTEGER,
  rejected    INTEGER NOT NULL DEFAULT 0,
  error       TEXT
) STRICT;
CREATE INDEX tool_results_by_call ON tool_results (call_id);
CREATE INDEX tool_results_by_session ON tool_results (session_id, id);

CREATE TABLE api_usage (
  id                       INTEGER PRIMARY KEY,
  event_uuid               TEXT    NOT NULL UNIQUE,
  session_id               TEXT    NOT NULL,
  turn_id                  INTEGER NOT NULL,
  agent_id                 TEXT,
  timestamp                TEXT    NOT NULL,
  model                    TEXT    NOT NULL,
  input_tokens             INTEGER NOT NULL,
  output_tokens            INTEGER NOT NULL,
  thinking_tokens          INTEGER,
  cache_read_tokens        INTEGER NOT NULL,
  cache_creation_tokens    INTEGER NOT NULL, -- all
  cache_creation_1h_tokens INTEGER NOT NULL, -- the part of it that is kept for an hour
  web_search_requests      INTEGER NOT NULL DEFAULT 0,
  speed                    TEXT,
  inference_geo            TEXT,
  cost_usd                 REAL,             -- null: unpriced
  basis                    TEXT    NOT NULL CHECK (basis IN ('measured', 'lower_bound')),
  request_kind             TEXT,
  ttft_ms                  REAL,
  duration_ms              REAL
) STRICT;
CREATE INDEX api_usage_by_session ON api_usage (session_id, turn_id, id);
CREATE INDEX api_usage_by_time ON api_usage (timestamp, id);
CREATE INDEX api_usage_by_model ON api_usage (model, timestamp);

CREATE TABLE errors (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL UNIQUE,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  origin     TEXT    NOT NULL,
  type       TEXT,
  status     INTEGER,
  content    TEXT    NOT NULL
) STRICT;
CREATE INDEX errors_by_session ON errors (session_id, id);
CREATE INDEX errors_by_time ON errors (timestamp, id);

-- Counts by quarter hour (UTC), for charts and totals that must not read a year of rows.
CREATE TABLE rollups (
  quarter               TEXT    NOT NULL, -- 2026-11-21T10:15
  project               TEXT    NOT NULL, -- '' where unknown
  model                 TEXT    NOT NULL, -- '' for rows without a model
  calls                 INTEGER NOT NULL DEFAULT 0,
  input_tokens          INTEGER NOT NULL DEFAULT 0,
  output_tokens         INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens     INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd              REAL    NOT NULL DEFAULT 0,
  unpriced_calls        INTEGER NOT NULL DEFAULT 0,
  lower_bound_calls     INTEGER NOT NULL DEFAULT 0,
  prompts               INTEGER NOT NULL DEFAULT 0,
  tool_calls            INTEGER NOT NULL DEFAULT 0,
  thinking_blocks       INTEGER NOT NULL DEFAULT 0,
  errors                INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (quarter, project, model)
) STRICT, WITHOUT ROWID;

-- ── Full text: external content over the tables above; one index per kind, `content` searched, `timestamp` shown ─────

CREATE VIRTUAL TABLE prompts_fts USING fts5 (content, timestamp UNINDEXED, content = 'user_prompts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE thinking_fts USING fts5 (content, timestamp UNINDEXED, content = 'thinking_blocks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE responses_fts USING fts5 (content, timestamp UNINDEXED, content = 'assistant_responses', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE compactions_fts USING fts5 (content, timestamp UNINDEXED, content = 'compactions', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE errors_fts USING fts5 (content, timestamp UNINDEXED, content = 'errors', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TRIGGER user_prompts_ai AFTER INSERT ON user_prompts BEGIN INSERT INTO prompts_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER user_prompts_ad AFTER DELETE ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER user_prompts_au AFTER UPDATE OF content ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO prompts_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TRIGGER thinking_blocks_ai AFTER INSERT ON thinking_blocks BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER thinking_blocks_ad AFTER DELETE ON thinking_blocks BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER thinking_blocks_au AFTER UPDATE OF content ON thinking_blocks BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO thinking_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TRIGGER assistant_responses_ai AFTER INSERT ON assistant_responses BEGIN INSERT INTO responses_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER assistant_responses_ad AFTER DELETE ON assistant_responses BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER assistant_responses_au AFTER UPDATE OF content ON assistant_responses BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO responses_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TRIGGER compactions_ai AFTER INSERT ON compactions BEGIN INSERT INTO compactions_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER compactions_ad AFTER DELETE ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER compactions_au AFTER UPDATE OF content ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO compactions_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TRIGGER errors_ai AFTER INSERT ON errors BEGIN INSERT INTO errors_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER errors_ad AFTER DELETE ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER errors_au AFTER UPDATE OF content ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO errors_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

-- Tool traffic: one search text for a call and one for a result, over a separate table, since the text is derived from
-- JSON. id is the event's id.
CREATE TABLE tool_texts (
  id         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  timestamp  TEXT NOT NULL,
  content    TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE tools_fts USING fts5 (content, timestamp UNINDEXED, content = 'tool_texts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER tool_texts_ai AFTER INSERT ON tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE TRIGGER tool_texts_ad AFTER DELETE ON tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER tool_texts_au AFTER UPDATE OF content ON tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO tools_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

-- The lineage design's column names over the log.
CREATE VIEW session_events AS
SELECT e.id, e.uuid AS event_id, e.session_id, e.turn_id, e.seq, e.agent_id,
       coalesce(l.parent_uuid, e.parent_uuid) AS parent_event_id, l.root_uuid AS root_event_id, l.depth,
       e.kind AS event_type, e.source, e.ts_wall, e.ts_monotonic, e.duration_ms, e.success, e.error_message, e.payload
FROM events e LEFT JOIN lineage l ON l.uuid = e.uuid;
