-- The tables of version 100, from which the first migration starts: `npm run schema` writes the next one from them.
-- Frozen: stores of people have these tables. New stores are created from the declarations in src/main/store/schema.

-- Log: what was recorded. The source of all projections.

CREATE TABLE events (
  id             INTEGER PRIMARY KEY AUTOINCREMENT,
  uuid           TEXT    NOT NULL UNIQUE,
  session_id     TEXT    NOT NULL,
  turn_id        INTEGER NOT NULL,
  seq            INTEGER NOT NULL,
  agent_id       TEXT,
  parent_uuid    TEXT,
  kind           TEXT    NOT NULL,
  source         TEXT    NOT NULL CHECK (source = 'wire' OR source = 'hook' OR source = 'transcript' OR source = 'api'),
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
  is_line        INTEGER NOT NULL DEFAULT 0,
  UNIQUE (session_id, turn_id, seq)
) STRICT;
CREATE INDEX events_agent_calls ON events (session_id, ts_wall, id, agent_id) WHERE kind = 'tool_call' AND agent_id IS NOT NULL;
CREATE INDEX events_by_duration ON events (duration_ms, id) WHERE duration_ms IS NOT NULL;
CREATE INDEX events_by_kind_time ON events (kind, ts_wall, id);
CREATE INDEX events_by_session_time ON events (session_id, ts_wall, id);
CREATE INDEX events_requests ON events (session_id, agent_id, id) WHERE kind = 'model_request';
CREATE INDEX events_state_changes ON events (session_id, id) WHERE kind = 'state_change';
CREATE TRIGGER events_assistant_responses_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.id; END;
CREATE TRIGGER events_assistant_responses_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.id; END;
CREATE TRIGGER events_changes_ad AFTER DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE session_id = old.session_id)
BEGIN INSERT INTO changes (kind, event_id, name) VALUES ('removal', old.id, old.uuid); END;
CREATE TRIGGER events_changes_au AFTER UPDATE OF payload, error_message ON events
WHEN new.error_message IS NOT old.error_message OR (new.payload IS NOT old.payload
    AND instr(new.payload, '"$archived"') = 0)
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.id); END;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_no_update BEFORE UPDATE ON events WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_thinking_blocks_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.id; END;
CREATE TRIGGER events_thinking_blocks_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.id; END;
CREATE TRIGGER events_tool_texts_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER events_tool_texts_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;

CREATE TABLE sighting_rows (
  id               INTEGER PRIMARY KEY,
  event_id         INTEGER NOT NULL,
  source           TEXT    NOT NULL CHECK (source = 'wire' OR source = 'hook' OR source = 'transcript' OR source = 'api'),
  other_session_id TEXT,                      -- null: the session of the event
  seen_at          TEXT    NOT NULL,
  payload          TEXT,                      -- JSON: fields that this source added; null: none
  with_first       INTEGER NOT NULL DEFAULT 1 -- 1: the rows of this event include its first sighting
) STRICT;
CREATE INDEX sightings_by_event ON sighting_rows (event_id);
CREATE INDEX sightings_by_session ON sighting_rows (other_session_id) WHERE other_session_id IS NOT NULL;
CREATE TRIGGER sightings_changes_ad AFTER DELETE ON sighting_rows
BEGIN INSERT INTO changes (kind, event_id) VALUES ('correction', old.event_id); END;
CREATE TRIGGER sightings_changes_ai AFTER INSERT ON sighting_rows WHEN new.with_first = 0
BEGIN INSERT INTO changes (kind, event_id) VALUES ('sighting', new.event_id); END;
CREATE TRIGGER sightings_changes_au AFTER UPDATE OF payload ON sighting_rows WHEN new.payload IS NOT old.payload
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.event_id); END;
CREATE TRIGGER sightings_no_delete BEFORE DELETE ON sighting_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_no_update BEFORE UPDATE ON sighting_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;

CREATE TABLE key_rows (
  event_id INTEGER NOT NULL,
  key      TEXT    NOT NULL,
  PRIMARY KEY (event_id, key)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX key_rows_by_key ON key_rows (key);
CREATE TRIGGER key_rows_no_delete BEFORE DELETE ON key_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'key_rows is append-only'); END;
CREATE TRIGGER key_rows_no_update BEFORE UPDATE ON key_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'key_rows is append-only'); END;

CREATE TABLE parent_keys (
  key      TEXT    NOT NULL,
  uuid     TEXT    NOT NULL,
  position INTEGER NOT NULL, -- best first
  PRIMARY KEY (key, uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX parent_keys_by_uuid ON parent_keys (uuid, position);
CREATE TRIGGER parent_keys_no_delete BEFORE DELETE ON parent_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'parent_keys is append-only'); END;
CREATE TRIGGER parent_keys_no_update BEFORE UPDATE ON parent_keys WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'parent_keys is append-only'); END;

CREATE TABLE contents (
  id       INTEGER PRIMARY KEY,
  hash     BLOB    NOT NULL UNIQUE,
  refs     INTEGER NOT NULL,
  bytes    INTEGER NOT NULL, -- before compression
  encoding TEXT    NOT NULL CHECK (encoding IN ('zstd', 'plain')),
  data     BLOB    NOT NULL
) STRICT;

-- Projections: derived from the log. A rebuild fills them again.

CREATE TABLE sessions (
  id               TEXT    PRIMARY KEY,
  user_id          TEXT,
  project          TEXT,
  git_branch       TEXT,
  started_at       TEXT    NOT NULL,
  ended_at         TEXT,
  last_event_at    TEXT    NOT NULL,
  source           TEXT    NOT NULL CHECK (source IN ('hook', 'warmup', 'first_seen', 'transcript')),
  title            TEXT,
  turn_count       INTEGER NOT NULL DEFAULT 0,
  prompts          INTEGER NOT NULL DEFAULT 0,
  total_tokens     INTEGER NOT NULL DEFAULT 0,
  total_cost_usd   REAL    NOT NULL DEFAULT 0,
  unpriced_calls   INTEGER NOT NULL DEFAULT 0,
  tool_calls       INTEGER NOT NULL DEFAULT 0,
  thinking_blocks  INTEGER NOT NULL DEFAULT 0,
  errors           INTEGER NOT NULL DEFAULT 0,
  api_errors       INTEGER NOT NULL DEFAULT 0,
  failed_tools     INTEGER NOT NULL DEFAULT 0,
  active_ms        REAL    NOT NULL DEFAULT 0,
  client_cost_usd  REAL,                       -- the client's own total, as its transcript last gave it
  client_cost      TEXT,                       -- JSON: that account in full, by model
  client_cost_at   TEXT,
  user_from        INTEGER,                    -- event id that told user_id, project, git_branch: the lowest one
  project_from     INTEGER,
  branch_from      INTEGER,
  title_rank       INTEGER NOT NULL DEFAULT 0, -- 1: first prompt, 2: the client's title, 3: the person's own
  title_at         TEXT,
  session_end_at   TEXT,                       -- the last SessionEnd
  last_active_at   TEXT,                       -- the last start, prompt or answer: after a SessionEnd, the session was resumed
  client           TEXT    NOT NULL DEFAULT 'unknown',
  client_version   TEXT,
  client_certainty INTEGER NOT NULL DEFAULT 0,
  client_at        TEXT,
  time_basis       TEXT    NOT NULL DEFAULT 'line' CHECK (time_basis IN ('wire', 'line', 'file')),
  measured_events  INTEGER NOT NULL DEFAULT 0,
  dated_events     INTEGER NOT NULL DEFAULT 0,
  unproven_sender  INTEGER
) STRICT;
CREATE INDEX sessions_by_client ON sessions (client, started_at, id, prompts, total_tokens, total_cost_usd, unpriced_calls, tool_calls, thinking_blocks, errors, api_errors, failed_tools, active_ms, time_basis);
CREATE INDEX sessions_by_last_event ON sessions (last_event_at, id);
CREATE INDEX sessions_by_project ON sessions (project, started_at, id);
CREATE INDEX sessions_by_start ON sessions (started_at, id);
CREATE INDEX sessions_by_user ON sessions (user_id, started_at, id);
CREATE INDEX sessions_open ON sessions (last_event_at) WHERE ended_at IS NULL;
CREATE INDEX sessions_unproven ON sessions (id) WHERE unproven_sender = 1;

CREATE TABLE session_links (
  session_id       TEXT NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('forked_from', 'resumed_from', 'compacted_from')),
  other_session_id TEXT NOT NULL, -- '': the session that holds the line
  line_uuid        TEXT NOT NULL, -- '' if the other session is known by what was copied
  linked_at        TEXT NOT NULL, -- time of the last copied event, or of the first one after the line
  PRIMARY KEY (session_id, other_session_id, line_uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_links_by_other ON session_links (other_session_id);

CREATE TABLE turns (
  session_id     TEXT    NOT NULL,
  turn_id        INTEGER NOT NULL,
  prompt_uuid    TEXT,
  started_at     TEXT    NOT NULL,
  last_event_at  TEXT    NOT NULL,
  ended_at       TEXT,                       -- the last word that it is over; null: none came
  events         INTEGER NOT NULL DEFAULT 0,
  requests       INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  errors         INTEGER NOT NULL DEFAULT 0,
  calls          INTEGER NOT NULL DEFAULT 0, -- responses with usage
  tokens         INTEGER NOT NULL DEFAULT 0,
  cost_usd       REAL    NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  api_errors     INTEGER NOT NULL DEFAULT 0,
  failed_tools   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE joined_turns (
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  part_of    INTEGER NOT NULL, -- the turn that went on
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  session_id      TEXT    NOT NULL,
  agent_id        TEXT    NOT NULL,
  agent_type      TEXT,
  parent_agent_id TEXT,
  call_id         TEXT, -- the call that started it
  turn_id         INTEGER NOT NULL,
  started_at      TEXT,
  ended_at        TEXT, -- null: still at work, or its end was not reported
  success         INTEGER,
  PRIMARY KEY (session_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE tasks (
  session_id TEXT NOT NULL,
  agent_id   TEXT NOT NULL, -- '' for the main agent: each agent has its own list
  task_id    TEXT NOT NULL,
  subject    TEXT NOT NULL,
  status     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  event_uuid TEXT NOT NULL, -- the update that the status comes from
  PRIMARY KEY (session_id, agent_id, task_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_prompts (
  id               INTEGER PRIMARY KEY,
  event_uuid       TEXT    NOT NULL,
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
CREATE TRIGGER user_prompts_ad AFTER DELETE ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER user_prompts_au AFTER UPDATE OF content ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO prompts_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE VIRTUAL TABLE prompts_fts USING fts5 (content, timestamp UNINDEXED, content = 'user_prompts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE thinking_rows (
  event_id INTEGER PRIMARY KEY,
  content  TEXT -- null: as in the event's payload
) STRICT;
CREATE TRIGGER thinking_blocks_au AFTER UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.event_id; END;
CREATE TRIGGER thinking_blocks_bd BEFORE DELETE ON thinking_rows BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;
CREATE TRIGGER thinking_blocks_bu BEFORE UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;

CREATE TABLE response_rows (
  event_id INTEGER PRIMARY KEY,
  content  TEXT -- null: as in the event's payload
) STRICT;
CREATE TRIGGER assistant_responses_au AFTER UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.event_id; END;
CREATE TRIGGER assistant_responses_bd BEFORE DELETE ON response_rows BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;
CREATE TRIGGER assistant_responses_bu BEFORE UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;

CREATE TABLE compactions (
  id            INTEGER PRIMARY KEY,
  event_uuid    TEXT    NOT NULL,
  session_id    TEXT    NOT NULL,
  turn_id       INTEGER NOT NULL,
  timestamp     TEXT    NOT NULL,
  content       TEXT    NOT NULL,
  tokens        INTEGER,
  tokens_before INTEGER,
  tokens_after  INTEGER
) STRICT;
CREATE INDEX compactions_by_session ON compactions (session_id, id);
CREATE TRIGGER compactions_ad AFTER DELETE ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER compactions_au AFTER UPDATE OF content ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO compactions_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE VIRTUAL TABLE compactions_fts USING fts5 (content, timestamp UNINDEXED, content = 'compactions', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE long_tool_texts (
  id         INTEGER PRIMARY KEY,
  session_id TEXT    NOT NULL,
  content    TEXT    NOT NULL
) STRICT;
CREATE TRIGGER long_tool_texts_ad AFTER DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_ai AFTER INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_au AFTER UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bd BEFORE DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_bi BEFORE INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bu BEFORE UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;

CREATE TABLE tool_call_rows (
  event_id   INTEGER PRIMARY KEY,
  call_id    TEXT    NOT NULL,
  timestamp  TEXT    NOT NULL,
  tool_name  TEXT    NOT NULL,
  input_json TEXT -- null: as in the event's payload
) STRICT;
CREATE INDEX tool_calls_by_call ON tool_call_rows (call_id);
CREATE INDEX tool_calls_by_tool ON tool_call_rows (tool_name, timestamp, event_id);
CREATE TRIGGER tool_calls_ad AFTER DELETE ON tool_call_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
CREATE TRIGGER tool_calls_au AFTER UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_calls_bd BEFORE DELETE ON tool_call_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_bu BEFORE UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;

CREATE TABLE tool_result_rows (
  event_id    INTEGER PRIMARY KEY,
  call_id     TEXT    NOT NULL,
  timestamp   TEXT    NOT NULL,
  output_json TEXT, -- null: as in the event's payload
  duration_ms REAL,
  success     INTEGER,
  rejected    INTEGER NOT NULL DEFAULT 0,
  error       TEXT,
  tool_name   TEXT  -- null: not known
) STRICT;
CREATE INDEX tool_results_by_call ON tool_result_rows (call_id);
CREATE INDEX tool_results_by_duration ON tool_result_rows (duration_ms, event_id) WHERE duration_ms IS NOT NULL;
CREATE INDEX tool_results_by_tool ON tool_result_rows (tool_name, timestamp, event_id, duration_ms, success, rejected);
CREATE INDEX tool_results_failed ON tool_result_rows (timestamp, event_id) WHERE success = 0 AND rejected = 0;
CREATE TRIGGER tool_results_ad AFTER DELETE ON tool_result_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
CREATE TRIGGER tool_results_au AFTER UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_results_bd BEFORE DELETE ON tool_result_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_results_bu BEFORE UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;

CREATE TABLE errors (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL,
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
CREATE TRIGGER errors_ad AFTER DELETE ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER errors_au AFTER UPDATE OF content ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO errors_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;
CREATE VIRTUAL TABLE errors_fts USING fts5 (content, timestamp UNINDEXED, content = 'errors', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE recall_docs (
  id         INTEGER PRIMARY KEY,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  match_type TEXT    NOT NULL CHECK (match_type = 'thinking' OR match_type = 'user_prompt' OR match_type = 'assistant_response' OR match_type = 'compaction'),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  digest     TEXT    NOT NULL -- the beginning of the text, for the index rows of its neighbours
) STRICT;
CREATE INDEX recall_docs_by_lane ON recall_docs (session_id, agent_id, id);
CREATE INDEX recall_docs_by_time ON recall_docs (timestamp, id);
CREATE INDEX recall_docs_by_turn ON recall_docs (session_id, turn_id, id);
CREATE TRIGGER recall_docs_ad AFTER DELETE ON recall_docs BEGIN DELETE FROM recall_fts WHERE rowid = old.id; END;
CREATE VIRTUAL TABLE recall_fts USING fts5 (text, parts, near, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE api_usage (
  id                       INTEGER PRIMARY KEY,
  event_uuid               TEXT    NOT NULL,
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
  duration_ms              REAL,
  service_tier             TEXT,
  price_basis              TEXT
) STRICT;
CREATE INDEX api_usage_by_session ON api_usage (session_id, turn_id, id);

CREATE TABLE ancestry (
  event_id       INTEGER PRIMARY KEY,
  parent_id      INTEGER,
  root_id        INTEGER NOT NULL,
  depth          INTEGER NOT NULL,
  cut            INTEGER NOT NULL DEFAULT 0, -- 1: its parent would close a cycle and is left out
  missing_parent TEXT                        -- uuid of a named parent that is not in the log
) STRICT;
CREATE INDEX ancestry_by_parent ON ancestry (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX ancestry_cut ON ancestry (event_id) WHERE cut = 1;
CREATE INDEX ancestry_missing ON ancestry (missing_parent) WHERE missing_parent IS NOT NULL;

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
  api_errors            INTEGER NOT NULL DEFAULT 0,
  failed_tools          INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (quarter, project, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX rollups_unpriced ON rollups (model) WHERE unpriced_calls > 0;

CREATE TABLE day_rollups (
  day                   TEXT    NOT NULL, -- 2026-11-21
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
  api_errors            INTEGER NOT NULL DEFAULT 0,
  failed_tools          INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, project, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_totals (
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
  api_errors            INTEGER NOT NULL DEFAULT 0,
  failed_tools          INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_counts (
  kind   TEXT    NOT NULL,
  events INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_rollups (
  day         TEXT    NOT NULL,           -- UTC
  project     TEXT    NOT NULL,           -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, -- their total
  rejected    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (day, project, tool_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE tool_totals (
  project     TEXT    NOT NULL,           -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, -- their total
  rejected    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, tool_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_limits (
  id                      INTEGER PRIMARY KEY,
  event_uuid              TEXT    NOT NULL,
  session_id              TEXT    NOT NULL,
  timestamp               TEXT    NOT NULL,
  requests_limit          REAL,
  requests_remaining      REAL,
  tokens_limit            REAL,
  tokens_remaining        REAL,
  input_tokens_limit      REAL,
  input_tokens_remaining  REAL,
  output_tokens_limit     REAL,
  output_tokens_remaining REAL,
  unified_status          TEXT,
  claim                   TEXT, -- the window that binds (representative-claim)
  five_hour_used          REAL, -- share of the limit, 0 to 1
  five_hour_resets_at     TEXT,
  seven_day_used          REAL,
  seven_day_resets_at     TEXT
) STRICT;
CREATE INDEX rate_limits_by_time ON rate_limits (timestamp, id);

CREATE TABLE cache_calls (
  id                INTEGER PRIMARY KEY, -- of the usage
  request_uuid      TEXT,                -- null: not captured
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  line              TEXT    NOT NULL,    -- conversation, or what a side call has in common with others
  timestamp         TEXT    NOT NULL,    -- when the request was sent
  sent_id           INTEGER,             -- the request's place in the log
  begun_at          INTEGER NOT NULL,    -- ms since 1970: the answer began
  answered_at       INTEGER,             -- the same by the upstream's clock
  monotonic         REAL,                -- ms since the run began: when the request was sent
  before_id         INTEGER,             -- the call that it was compared with
  model             TEXT    NOT NULL,
  speed             TEXT,
  message_id        TEXT,
  input_tokens      INTEGER NOT NULL,
  read_tokens       INTEGER NOT NULL,
  written_tokens    INTEGER NOT NULL,
  written_1h_tokens INTEGER NOT NULL,
  unreported        INTEGER NOT NULL,
  ttl_ms            INTEGER NOT NULL,    -- how long the API keeps what it cached last
  could_read        INTEGER NOT NULL,
  missed_tokens     INTEGER NOT NULL,
  waste_usd         REAL,                -- null: unpriced
  cost_usd          REAL,                -- of the whole answer
  kind              TEXT,                -- the cause; null: it read what it could
  place             TEXT,
  detail            TEXT,
  vendor_type       TEXT,
  vendor_tokens     INTEGER
) STRICT;
CREATE INDEX cache_calls_by_line ON cache_calls (session_id, agent_id, line, id);
CREATE INDEX cache_calls_by_request ON cache_calls (request_uuid) WHERE request_uuid IS NOT NULL;
CREATE INDEX cache_calls_by_time ON cache_calls (timestamp, could_read, read_tokens, missed_tokens, waste_usd, cost_usd, kind);
CREATE INDEX cache_calls_missed ON cache_calls (timestamp, id) WHERE kind IS NOT NULL;

CREATE TABLE carry_lines (
  line_id       INTEGER PRIMARY KEY, -- the usage of its first request
  session_id    TEXT    NOT NULL,
  agent_id      TEXT,
  line          TEXT    NOT NULL,    -- as in cache_calls
  request_uuid  TEXT    NOT NULL,    -- its last request
  first_at      INTEGER NOT NULL,    -- ms since 1970
  last_at       INTEGER NOT NULL,
  cached_blocks INTEGER NOT NULL,    -- of that request: those read and written
  cached_tokens INTEGER NOT NULL,
  requests      INTEGER NOT NULL,
  read_tokens   REAL    NOT NULL,    -- sums for each token that was read in all its requests
  read_usd      REAL    NOT NULL
) STRICT;
CREATE INDEX carry_lines_by_session ON carry_lines (session_id, agent_id, line);
CREATE TRIGGER carry_lines_bd BEFORE DELETE ON carry_lines
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.line_id
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.line_id
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
  DELETE FROM carry_active WHERE line_id = old.line_id;
END;

CREATE TABLE carry_calls (
  event_id          INTEGER PRIMARY KEY, -- the usage
  line_id           INTEGER,             -- null: the blocks are not known
  number            INTEGER,             -- counts from 1 in its line
  sent_at           INTEGER NOT NULL,    -- ms since 1970
  input_tokens      INTEGER NOT NULL,    -- all classes
  input_usd         REAL,                -- null: unpriced
  rest_tokens       REAL    NOT NULL,    -- of no block
  rest_usd          REAL    NOT NULL,
  reason            TEXT,                -- why its blocks are not known
  kept              INTEGER,             -- blocks at its beginning that are those of the request before
  read_end          INTEGER,             -- blocks that were read, up to here; then written for an hour
  written_1h_end    INTEGER,             -- then for five minutes
  cached_end        INTEGER,             -- then uncached
  read_tokens       REAL,                -- for each token of a block: of the API's count, and USD
  read_usd          REAL,
  written_1h_tokens REAL,
  written_1h_usd    REAL,
  written_5m_tokens REAL,
  written_5m_usd    REAL,
  uncached_tokens   REAL,
  uncached_usd      REAL
) STRICT;
CREATE INDEX carry_calls_by_line ON carry_calls (line_id, number, sent_at);
CREATE INDEX carry_calls_by_time ON carry_calls (sent_at, input_tokens, input_usd);
CREATE INDEX carry_calls_unknown ON carry_calls (sent_at) WHERE reason IS NOT NULL;

CREATE TABLE carried (
  event_id     INTEGER NOT NULL, -- the usage of the request in which it entered
  position     INTEGER NOT NULL, -- among the blocks of that request
  line_id      INTEGER NOT NULL,
  group_number INTEGER NOT NULL, -- what it is: in carry_groups
  turn_number  INTEGER NOT NULL, -- the turn in which it entered: in carry_groups
  bytes        INTEGER,
  tokens       REAL    NOT NULL,
  first        INTEGER NOT NULL, -- numbers of requests
  last         INTEGER,          -- null: to the end of the line
  PRIMARY KEY (event_id, position)
) STRICT;
CREATE INDEX carried_by_line ON carried (line_id, first, position);

CREATE TABLE carry_groups (
  event_id        INTEGER NOT NULL, -- the line
  number          INTEGER NOT NULL,
  turn_id         INTEGER,          -- a group of all that entered in a turn, or of a kind:
  kind            TEXT,
  tool            TEXT,
  server          TEXT,
  name            TEXT,             -- a file, or the name of a skill
  blocks          INTEGER NOT NULL, -- all that entered
  bytes           INTEGER NOT NULL,
  open_tokens     REAL    NOT NULL, -- of blocks that are still carried; they read these times the sums of the line
  open_blocks     INTEGER NOT NULL, -- and were carried by its requests
  requests        INTEGER NOT NULL, -- added to it; may be negative
  read_tokens     REAL    NOT NULL,
  read_usd        REAL    NOT NULL,
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (event_id, number)
) STRICT;
CREATE TRIGGER carry_groups_au AFTER UPDATE OF tool, server, name ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server OR new.name IS NOT old.name
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = new.event_id AND g.number = new.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = new.event_id AND g.number = new.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups + excluded.groups, blocks = blocks + excluded.blocks, bytes = bytes + excluded.bytes, requests = requests + excluded.requests,
    read_tokens = read_tokens + excluded.read_tokens,
    read_usd = read_usd + excluded.read_usd,
    written_tokens = written_tokens + excluded.written_tokens,
    written_usd = written_usd + excluded.written_usd,
    uncached_tokens = uncached_tokens + excluded.uncached_tokens,
    uncached_usd = uncached_usd + excluded.uncached_usd;
END;
CREATE TRIGGER carry_groups_bd BEFORE DELETE ON carry_groups
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
END;
CREATE TRIGGER carry_groups_bu BEFORE UPDATE OF tool, server, name ON carry_groups WHEN new.tool IS NOT old.tool OR new.server IS NOT old.server OR new.name IS NOT old.name
BEGIN
  INSERT INTO carry_weeks (week, kind, tool, server,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, g.kind, coalesce(g.tool, ''), coalesce(g.server, ''),
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, kind, tool, server) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_weeks WHERE groups = 0;
  INSERT INTO carry_week_files (week, name,
    groups, blocks, bytes, requests, read_tokens, read_usd, written_tokens, written_usd, uncached_tokens, uncached_usd)
  SELECT line.first_at / 604800000, CASE WHEN g.kind <> 'skill' THEN coalesce(g.name, '') ELSE '' END,
    1, g.blocks, g.bytes, g.requests + g.open_blocks * line.requests,
    round((g.read_tokens + g.open_tokens * line.read_tokens) * 1e6), round((g.read_usd + g.open_tokens * line.read_usd) * 1e11),
    round(g.written_tokens * 1e6), round(g.written_usd * 1e11), round(g.uncached_tokens * 1e6), round(g.uncached_usd * 1e11)
  FROM carry_groups g JOIN carry_lines line ON line.line_id = g.event_id
  WHERE g.turn_id IS NULL AND g.event_id = old.event_id AND g.number = old.number
    AND NOT EXISTS (SELECT 1 FROM carry_active a WHERE a.line_id = g.event_id)
  ON CONFLICT (week, name) DO UPDATE SET
    groups = groups - excluded.groups, blocks = blocks - excluded.blocks, bytes = bytes - excluded.bytes, requests = requests - excluded.requests,
    read_tokens = read_tokens - excluded.read_tokens,
    read_usd = read_usd - excluded.read_usd,
    written_tokens = written_tokens - excluded.written_tokens,
    written_usd = written_usd - excluded.written_usd,
    uncached_tokens = uncached_tokens - excluded.uncached_tokens,
    uncached_usd = uncached_usd - excluded.uncached_usd;
  DELETE FROM carry_week_files WHERE groups = 0;
END;

CREATE TABLE carry_weeks (
  week            INTEGER NOT NULL, -- since 1970: of the line's first request
  kind            TEXT    NOT NULL,
  tool            TEXT    NOT NULL, -- '' if it belongs to none
  server          TEXT    NOT NULL, -- '' if it belongs to none
  groups          INTEGER NOT NULL, -- of carry_groups, without those of turns
  blocks          INTEGER NOT NULL,
  bytes           INTEGER NOT NULL,
  requests        INTEGER NOT NULL,
  read_tokens     REAL    NOT NULL, -- tokens in millionths
  read_usd        REAL    NOT NULL, -- USD in units of 1e-11
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (week, kind, tool, server)
) STRICT, WITHOUT ROWID;
CREATE INDEX carry_weeks_empty ON carry_weeks (groups) WHERE groups = 0;

CREATE TABLE carry_week_files (
  week            INTEGER NOT NULL, -- since 1970: of the line's first request
  name            TEXT    NOT NULL, -- '' if it belongs to no file
  groups          INTEGER NOT NULL, -- of carry_groups, without those of turns
  blocks          INTEGER NOT NULL,
  bytes           INTEGER NOT NULL,
  requests        INTEGER NOT NULL,
  read_tokens     REAL    NOT NULL, -- tokens in millionths
  read_usd        REAL    NOT NULL, -- USD in units of 1e-11
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (week, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX carry_week_files_empty ON carry_week_files (groups) WHERE groups = 0;

CREATE TABLE carry_active (
  line_id INTEGER PRIMARY KEY -- left out of carry_weeks
) STRICT;

-- People: what people made. No rebuild touches it.

CREATE TABLE session_labels (
  session_id TEXT    PRIMARY KEY,
  starred    INTEGER NOT NULL DEFAULT 0,
  pinned     INTEGER NOT NULL DEFAULT 0,
  title      TEXT, -- null: the session's own
  updated_at TEXT    NOT NULL,
  tags       TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX session_labels_tagged ON session_labels (session_id, tags) WHERE tags IS NOT NULL;

CREATE TABLE memories (
  id                 INTEGER PRIMARY KEY,
  event_uuid         TEXT    NOT NULL UNIQUE,           -- the event that was marked
  session_id         TEXT    NOT NULL,
  fact               TEXT    NOT NULL,                  -- in the person's words; '': the event's own text
  category           TEXT    NOT NULL DEFAULT 'fact',
  confidence         REAL    NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  source             TEXT    NOT NULL DEFAULT 'person', -- who stated it
  note               TEXT,
  first_confirmed_at TEXT    NOT NULL,
  last_confirmed_at  TEXT    NOT NULL,
  created_at         TEXT    NOT NULL
) STRICT;
CREATE INDEX memories_by_session ON memories (session_id);
CREATE TRIGGER memories_ad AFTER DELETE ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, fact, category, note) VALUES ('delete', old.id, old.fact, old.category, old.note); DELETE FROM memory_evidence WHERE memory_uuid = old.event_uuid; END;
CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN INSERT INTO memories_fts (rowid, fact, category, note) VALUES (new.id, new.fact, new.category, new.note); END;
CREATE TRIGGER memories_au AFTER UPDATE OF fact, category, note ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, fact, category, note) VALUES ('delete', old.id, old.fact, old.category, old.note); INSERT INTO memories_fts (rowid, fact, category, note) VALUES (new.id, new.fact, new.category, new.note); END;
CREATE VIRTUAL TABLE memories_fts USING fts5 (fact, category, note, content = 'memories', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE memory_evidence (
  memory_uuid TEXT NOT NULL, -- the memory's event
  event_uuid  TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  added_at    TEXT NOT NULL,
  PRIMARY KEY (memory_uuid, event_uuid)
) STRICT, WITHOUT ROWID;

CREATE TABLE episodes (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL, -- the compaction, or the last event before the end
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  closed_by  TEXT    NOT NULL CHECK (closed_by IN ('compaction', 'end')),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  content    TEXT    NOT NULL, -- the summary
  tags       TEXT    NOT NULL, -- JSON: branch, models, tools, kinds of agents
  UNIQUE (session_id, closed_by, event_uuid)
) STRICT;
CREATE INDEX episodes_by_event ON episodes (event_uuid);
CREATE INDEX episodes_by_time ON episodes (timestamp, id);
CREATE TRIGGER episodes_ad AFTER DELETE ON episodes BEGIN INSERT INTO episodes_fts (episodes_fts, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags); END;
CREATE TRIGGER episodes_ai AFTER INSERT ON episodes BEGIN INSERT INTO episodes_fts (rowid, content, tags) VALUES (new.id, new.content, new.tags); END;
CREATE TRIGGER episodes_au AFTER UPDATE OF content, tags ON episodes BEGIN INSERT INTO episodes_fts (episodes_fts, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags); INSERT INTO episodes_fts (rowid, content, tags) VALUES (new.id, new.content, new.tags); END;
CREATE VIRTUAL TABLE episodes_fts USING fts5 (content, tags, content = 'episodes', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE TABLE saved_searches (
  id         INTEGER PRIMARY KEY,
  name       TEXT    NOT NULL UNIQUE,
  address    TEXT    NOT NULL,
  created_at TEXT    NOT NULL
) STRICT;

CREATE TABLE budget_notices (
  budget_hash TEXT    NOT NULL, -- sha256 of period and project
  since       TEXT    NOT NULL, -- start of the period
  mark        INTEGER NOT NULL, -- percent
  told_at     TEXT    NOT NULL,
  PRIMARY KEY (budget_hash, since, mark)
) STRICT, WITHOUT ROWID;

-- Upkeep: the store's own notes.

CREATE TABLE metadata (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tombstones (
  session_id TEXT PRIMARY KEY,
  deleted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER tombstones_changes_ai AFTER INSERT ON tombstones
BEGIN INSERT INTO changes (kind, name) VALUES ('tombstone', new.session_id); END;

CREATE TABLE changes (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  kind     TEXT    NOT NULL CHECK (kind = 'event' OR kind = 'sighting' OR kind = 'correction' OR kind = 'redaction' OR kind = 'removal' OR kind = 'tombstone' OR kind = 'session'),
  event_id INTEGER, -- null for a session
  name     TEXT     -- the uuid of a removed event, or the session
) STRICT;

CREATE TABLE transcript_files (
  path        TEXT    PRIMARY KEY,
  identity    TEXT    NOT NULL,
  offset      INTEGER NOT NULL,
  size        INTEGER NOT NULL,
  mtime_ms    REAL    NOT NULL,
  imported_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE preview_files (
  id            INTEGER PRIMARY KEY,
  path          TEXT    NOT NULL UNIQUE,
  size          INTEGER NOT NULL, -- as the file was then
  mtime_ms      REAL    NOT NULL,
  whole         INTEGER NOT NULL, -- 1: all of it was looked through
  last_event_at TEXT              -- null: nothing found
) STRICT;

CREATE TABLE preview_sessions (
  session_id     TEXT    NOT NULL,
  file_id        INTEGER NOT NULL,
  project        TEXT,
  git_branch     TEXT,
  title          TEXT, -- redacted
  title_rank     INTEGER NOT NULL,
  title_at       TEXT,
  started_at     TEXT    NOT NULL,
  last_event_at  TEXT    NOT NULL,
  client         TEXT    NOT NULL,
  client_version TEXT,
  PRIMARY KEY (session_id, file_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX preview_sessions_by_file ON preview_sessions (file_id);

CREATE TABLE preview_items (
  id                       INTEGER PRIMARY KEY,
  key                      TEXT    NOT NULL UNIQUE, -- of the event that it becomes
  file_id                  INTEGER NOT NULL,
  kind                     TEXT    NOT NULL CHECK (kind = 'api_usage' OR kind = 'user_prompt' OR kind = 'agent_started' OR kind = 'compaction'),
  session_id               TEXT    NOT NULL,
  agent_id                 TEXT,
  timestamp                TEXT    NOT NULL,
  quarter                  TEXT    NOT NULL,
  project                  TEXT    NOT NULL,        -- '' where unknown
  model                    TEXT    NOT NULL,        -- '' for rows without a model
  input_tokens             INTEGER NOT NULL DEFAULT 0,
  output_tokens            INTEGER NOT NULL DEFAULT 0,
  thinking_tokens          INTEGER,
  cache_read_tokens        INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens    INTEGER NOT NULL DEFAULT 0,
  cache_creation_1h_tokens INTEGER NOT NULL DEFAULT 0,
  web_search_requests      INTEGER NOT NULL DEFAULT 0,
  speed                    TEXT,
  inference_geo            TEXT,
  service_tier             TEXT,
  cost_usd                 REAL,                    -- null: unpriced
  price_basis              TEXT,
  basis                    TEXT    NOT NULL DEFAULT 'lower_bound',
  request_kind             TEXT,
  detail                   TEXT                     -- JSON: of an agent or a compaction
) STRICT;
CREATE INDEX preview_items_by_file ON preview_items (file_id);
CREATE INDEX preview_items_by_quarter ON preview_items (quarter);
CREATE INDEX preview_items_by_session ON preview_items (session_id, kind, id);

CREATE TABLE archives (
  id          INTEGER PRIMARY KEY,
  month       TEXT    NOT NULL,           -- of the events in it, UTC
  path        TEXT    NOT NULL UNIQUE,    -- name of the file in the archive folder
  bytes       INTEGER NOT NULL DEFAULT 0, -- valid bytes of the file: later ones were never committed
  archived_at TEXT    NOT NULL,           -- when something was last added
  removed_at  TEXT,                       -- when it expired; the file is gone
  rewrite_due INTEGER NOT NULL DEFAULT 0  -- 1: it contains data to remove
) STRICT;
CREATE INDEX archives_by_month ON archives (month) WHERE removed_at IS NULL;

CREATE TABLE archive_frames (
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL,
  start   INTEGER NOT NULL, -- byte in the file
  bytes   INTEGER NOT NULL, -- compressed; 0: nothing is left
  PRIMARY KEY (archive, frame)
) STRICT, WITHOUT ROWID;

CREATE TABLE archived_events (
  id      INTEGER PRIMARY KEY, -- the event's
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL
) STRICT;

CREATE TABLE archived_contents (
  hash    BLOB    NOT NULL,
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL,
  PRIMARY KEY (hash, archive)
) STRICT, WITHOUT ROWID;
CREATE INDEX archived_contents_by_archive ON archived_contents (archive);

CREATE TABLE archive_leftovers (
  path TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Views.

CREATE VIEW thinking_blocks AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM thinking_rows b JOIN events e ON e.id = b.event_id;
CREATE TRIGGER thinking_blocks_delete INSTEAD OF DELETE ON thinking_blocks BEGIN DELETE FROM thinking_rows WHERE event_id = old.id; END;
CREATE VIRTUAL TABLE thinking_fts USING fts5 (content, timestamp UNINDEXED, content = 'thinking_blocks', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE VIEW assistant_responses AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM response_rows b JOIN events e ON e.id = b.event_id;
CREATE TRIGGER assistant_responses_delete INSTEAD OF DELETE ON assistant_responses BEGIN DELETE FROM response_rows WHERE event_id = old.id; END;
CREATE VIRTUAL TABLE responses_fts USING fts5 (content, timestamp UNINDEXED, content = 'assistant_responses', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE VIEW tool_calls AS
SELECT c.event_id AS id, e.uuid AS event_uuid, c.call_id, e.session_id, e.turn_id, e.agent_id, c.timestamp, c.tool_name,
       CAST(coalesce(c.input_json, nullif(e.payload -> '$.input', 'null'), e.payload -> '$.digest', 'null') AS TEXT) AS input_json,
       e.parent_uuid AS parent_event_uuid
FROM tool_call_rows c JOIN events e ON e.id = c.event_id;
CREATE TRIGGER tool_calls_delete INSTEAD OF DELETE ON tool_calls BEGIN DELETE FROM tool_call_rows WHERE event_id = old.id; END;

CREATE VIEW tool_results AS
SELECT r.event_id AS id, e.uuid AS event_uuid, r.call_id, e.session_id, r.timestamp, e.turn_id,
       CAST(coalesce(r.output_json, e.payload -> '$.output', 'null') AS TEXT) AS output_json,
       r.duration_ms, r.success, r.rejected, r.error, r.tool_name
FROM tool_result_rows r JOIN events e ON e.id = r.event_id;
CREATE TRIGGER tool_results_delete INSTEAD OF DELETE ON tool_results BEGIN DELETE FROM tool_result_rows WHERE event_id = old.id; END;

CREATE VIEW tool_texts AS
SELECT c.id, c.session_id, c.timestamp, coalesce((SELECT l.content FROM long_tool_texts l WHERE l.id = c.id), (
    WITH whole_json (json) AS MATERIALIZED (SELECT c.input_json), whole (text) AS MATERIALIZED (SELECT c.tool_name || coalesce(char(10) || CASE
       WHEN NOT json_valid(whole_json.json) THEN whole_json.json
       WHEN substr(whole_json.json, 1, 1) = '"' THEN json_extract(whole_json.json, '$')
       ELSE (
         WITH RECURSIVE literal (name, word, rest) AS (
           SELECT NULL, NULL, replace(replace(whole_json.json, '\\', char(1)), '\"', char(2)) || '""'
           UNION ALL
           SELECT CASE WHEN substr(rest, 1, instr(rest, '"') - 1) = ':' THEN word END,
                  substr(rest, instr(rest, '"') + 1, instr(substr(rest, instr(rest, '"') + 1), '"') - 1),
                  substr(rest, instr(rest, '"') + instr(substr(rest, instr(rest, '"') + 1), '"') + 1)
           FROM literal WHERE rest <> ''
         )
         SELECT json_extract('"' || replace(replace(group_concat(word, '\n'), char(2), '\"'), char(1), '\\') || '"', '$')
         FROM literal WHERE word IS NOT NULL AND name IS NOT 'type' AND substr(rest, 1, 1) NOT IN (':', '')
       ) END, '') FROM whole_json)
    SELECT CASE WHEN length(text) > 4000 THEN substr(text, 1, 3000) || ' … ' || substr(text, -1000) ELSE text END FROM whole
  )) AS content
FROM tool_calls c
UNION ALL
SELECT r.id, r.session_id, r.timestamp, coalesce((SELECT l.content FROM long_tool_texts l WHERE l.id = r.id), (
    WITH whole_json (json) AS MATERIALIZED (SELECT r.output_json), whole (text) AS MATERIALIZED (SELECT coalesce(CASE
       WHEN NOT json_valid(whole_json.json) THEN whole_json.json
       WHEN substr(whole_json.json, 1, 1) = '"' THEN json_extract(whole_json.json, '$')
       ELSE (
         WITH RECURSIVE literal (name, word, rest) AS (
           SELECT NULL, NULL, replace(replace(whole_json.json, '\\', char(1)), '\"', char(2)) || '""'
           UNION ALL
           SELECT CASE WHEN substr(rest, 1, instr(rest, '"') - 1) = ':' THEN word END,
                  substr(rest, instr(rest, '"') + 1, instr(substr(rest, instr(rest, '"') + 1), '"') - 1),
                  substr(rest, instr(rest, '"') + instr(substr(rest, instr(rest, '"') + 1), '"') + 1)
           FROM literal WHERE rest <> ''
         )
         SELECT json_extract('"' || replace(replace(group_concat(word, '\n'), char(2), '\"'), char(1), '\\') || '"', '$')
         FROM literal WHERE word IS NOT NULL AND name IS NOT 'type' AND substr(rest, 1, 1) NOT IN (':', '')
       ) END, '') FROM whole_json)
    SELECT CASE WHEN length(text) > 4000 THEN substr(text, 1, 3000) || ' … ' || substr(text, -1000) ELSE text END FROM whole
  )) AS content
FROM tool_results r;
CREATE VIRTUAL TABLE tools_fts USING fts5 (content, timestamp UNINDEXED, content = 'tool_texts', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');

CREATE VIEW session_events AS
SELECT e.id, e.uuid AS event_id, e.session_id, e.turn_id, e.seq, e.agent_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_event_id,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_event_id, a.depth,
       e.kind AS event_type, e.source, e.ts_wall, e.ts_monotonic, e.duration_ms, e.success, e.error_message, e.payload,
       e.uuid AS uuid, e.session_id AS instance_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_uuid,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, e.ts_wall AS timestamp
FROM events e LEFT JOIN ancestry a ON a.event_id = e.id;

CREATE VIEW sightings AS
SELECT CAST(-e.id AS INTEGER) AS id, e.uuid, e.source, e.session_id, e.ts_wall AS seen_at, CAST(NULL AS TEXT) AS payload FROM events e
WHERE NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.event_id = e.id AND r.with_first = 1)
UNION ALL
SELECT s.id, e.uuid, s.source, CAST(coalesce(s.other_session_id, e.session_id) AS TEXT) AS session_id, s.seen_at, s.payload
FROM sighting_rows s JOIN events e ON e.id = s.event_id;
CREATE TRIGGER sightings_refuse_delete INSTEAD OF DELETE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_refuse_update INSTEAD OF UPDATE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;

CREATE VIEW lineage AS
SELECT e.uuid, p.uuid AS parent_uuid, (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, a.depth, a.cut
FROM ancestry a JOIN events p ON p.id = a.parent_id JOIN events e ON e.id = a.event_id
UNION ALL
SELECT e.uuid, a.missing_parent AS parent_uuid, (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, a.depth, a.cut
FROM ancestry a JOIN events e ON e.id = a.event_id WHERE a.parent_id IS NULL;

CREATE VIEW event_keys AS
SELECT k.key, e.uuid FROM key_rows k JOIN events e ON e.id = k.event_id
UNION ALL
SELECT CAST('line:' || e.uuid AS TEXT) AS key, e.uuid FROM events e WHERE e.is_line = 1;
CREATE TRIGGER event_keys_refuse_delete INSTEAD OF DELETE ON event_keys BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;
CREATE TRIGGER event_keys_refuse_update INSTEAD OF UPDATE ON event_keys BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;

CREATE VIEW limit_steps AS
SELECT id, event_uuid, session_id, timestamp, limit_window, used, resets_at,
  used - lag(used) OVER (PARTITION BY limit_window, resets_at ORDER BY timestamp, id) AS step
FROM (
  SELECT e.id, e.uuid AS event_uuid, e.session_id, e.ts_wall AS timestamp, substr(l.key, 9, length(l.key) - 20) AS limit_window,
    l.value AS used, json_extract(e.payload, '$.limits."unified-' || substr(l.key, 9, length(l.key) - 20) || '-reset"') AS resets_at
  FROM events e, json_each(e.payload, '$.limits') l
  WHERE e.kind = 'rate_limit' AND l.key LIKE 'unified-_%-utilization' AND l.type IN ('integer', 'real')
);
