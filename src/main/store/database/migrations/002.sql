-- Recall: one index across prompts, thinking, answers and compaction summaries (one set of statistics, so ranks compare),
-- and totals by tool and day.

-- A text for recall. id is the event's id; the text itself is in its own projection and in the log.
CREATE TABLE recall_docs (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL UNIQUE,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  match_type TEXT    NOT NULL CHECK (match_type IN ('thinking', 'user_prompt', 'assistant_response', 'compaction')),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  digest     TEXT    NOT NULL -- the beginning of the text, for the index rows of its neighbours
) STRICT;
CREATE INDEX recall_docs_by_lane ON recall_docs (session_id, agent_id, id);
CREATE INDEX recall_docs_by_turn ON recall_docs (session_id, turn_id, id);
CREATE INDEX recall_docs_by_time ON recall_docs (timestamp, id);

-- Contentless: the indexed text is stored elsewhere. `parts`: identifiers split and joined, pairs of CJK characters;
-- `near`: digests of the turn's prompt and of the two texts on either side.
CREATE VIRTUAL TABLE recall_fts USING fts5 (text, parts, near, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER recall_docs_ad AFTER DELETE ON recall_docs BEGIN DELETE FROM recall_fts WHERE rowid = old.id; END;

CREATE TABLE tool_rollups (
  day         TEXT    NOT NULL, -- UTC
  project     TEXT    NOT NULL, -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, -- their total
  PRIMARY KEY (day, project, tool_name)
) STRICT, WITHOUT ROWID;

-- The slowest events.
CREATE INDEX tool_results_by_duration ON tool_results (duration_ms, id) WHERE duration_ms IS NOT NULL;
CREATE INDEX events_by_duration ON events (duration_ms, id) WHERE duration_ms IS NOT NULL;
