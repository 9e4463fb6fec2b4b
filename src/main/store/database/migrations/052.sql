-- What an import showed of transcripts before it read them whole. Rows go as the events come.
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
  title          TEXT,            -- redacted
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
  kind                     TEXT    NOT NULL CHECK (kind IN ('api_usage', 'user_prompt', 'agent_started', 'compaction')),
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
CREATE INDEX preview_items_by_session ON preview_items (session_id, kind, id);
CREATE INDEX preview_items_by_quarter ON preview_items (quarter);
