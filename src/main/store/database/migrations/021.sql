-- Rows of projections are found by event id, and events by uuid, so the index of uuids in each of their tables was never
-- used. SQLite drops such an index only with its table.

CREATE TABLE new_user_prompts (
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
INSERT INTO new_user_prompts
  SELECT id, event_uuid, session_id, turn_id, prompt_number, content, timestamp, created_at, created_at_epoch FROM user_prompts;
DROP TABLE user_prompts;
ALTER TABLE new_user_prompts RENAME TO user_prompts;
CREATE INDEX user_prompts_by_time ON user_prompts (timestamp, id);
CREATE TRIGGER user_prompts_ad AFTER DELETE ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER user_prompts_au AFTER UPDATE OF content ON user_prompts BEGIN INSERT INTO prompts_fts (prompts_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO prompts_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TABLE new_thinking_blocks (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT;
INSERT INTO new_thinking_blocks
  SELECT id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens FROM thinking_blocks;
DROP TABLE thinking_blocks;
ALTER TABLE new_thinking_blocks RENAME TO thinking_blocks;
CREATE INDEX thinking_blocks_by_session ON thinking_blocks (session_id, turn_id, id);
CREATE TRIGGER thinking_blocks_ad AFTER DELETE ON thinking_blocks BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER thinking_blocks_au AFTER UPDATE OF content ON thinking_blocks BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO thinking_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TABLE new_assistant_responses (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  timestamp  TEXT    NOT NULL,
  content    TEXT    NOT NULL,
  tokens     INTEGER
) STRICT;
INSERT INTO new_assistant_responses
  SELECT id, event_uuid, session_id, turn_id, agent_id, timestamp, content, tokens FROM assistant_responses;
DROP TABLE assistant_responses;
ALTER TABLE new_assistant_responses RENAME TO assistant_responses;
CREATE INDEX assistant_responses_by_session ON assistant_responses (session_id, turn_id, id);
CREATE TRIGGER assistant_responses_ad AFTER DELETE ON assistant_responses BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER assistant_responses_au AFTER UPDATE OF content ON assistant_responses BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO responses_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TABLE new_compactions (
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
INSERT INTO new_compactions
  SELECT id, event_uuid, session_id, turn_id, timestamp, content, tokens, tokens_before, tokens_after FROM compactions;
DROP TABLE compactions;
ALTER TABLE new_compactions RENAME TO compactions;
CREATE INDEX compactions_by_session ON compactions (session_id, id);
CREATE TRIGGER compactions_ad AFTER DELETE ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER compactions_au AFTER UPDATE OF content ON compactions BEGIN INSERT INTO compactions_fts (compactions_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO compactions_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TABLE new_errors (
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
INSERT INTO new_errors
  SELECT id, event_uuid, session_id, turn_id, agent_id, timestamp, origin, type, status, content FROM errors;
DROP TABLE errors;
ALTER TABLE new_errors RENAME TO errors;
CREATE INDEX errors_by_session ON errors (session_id, id);
CREATE INDEX errors_by_time ON errors (timestamp, id);
CREATE TRIGGER errors_ad AFTER DELETE ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); END;
CREATE TRIGGER errors_au AFTER UPDATE OF content ON errors BEGIN INSERT INTO errors_fts (errors_fts, rowid, content, timestamp) VALUES ('delete', old.id, old.content, old.timestamp); INSERT INTO errors_fts (rowid, content, timestamp) VALUES (new.id, new.content, new.timestamp); END;

CREATE TABLE new_tool_calls (
  id                INTEGER PRIMARY KEY,
  event_uuid        TEXT    NOT NULL,
  call_id           TEXT    NOT NULL,
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  timestamp         TEXT    NOT NULL,
  tool_name         TEXT    NOT NULL,
  input_json        TEXT    NOT NULL,
  parent_event_uuid TEXT
) STRICT;
INSERT INTO new_tool_calls
  SELECT id, event_uuid, call_id, session_id, turn_id, agent_id, timestamp, tool_name, input_json, parent_event_uuid FROM tool_calls;
DROP TABLE tool_calls;
ALTER TABLE new_tool_calls RENAME TO tool_calls;
CREATE INDEX tool_calls_by_call ON tool_calls (call_id);
CREATE INDEX tool_calls_by_tool ON tool_calls (tool_name, timestamp, id);
CREATE INDEX tool_calls_of_agents ON tool_calls (session_id, timestamp, id, agent_id) WHERE agent_id IS NOT NULL;

CREATE TABLE new_tool_results (
  id          INTEGER PRIMARY KEY,
  event_uuid  TEXT    NOT NULL,
  call_id     TEXT    NOT NULL,
  session_id  TEXT    NOT NULL,
  timestamp   TEXT    NOT NULL,
  turn_id     INTEGER NOT NULL,
  output_json TEXT    NOT NULL,
  duration_ms REAL,
  success     INTEGER,
  rejected    INTEGER NOT NULL DEFAULT 0,
  error       TEXT,
  tool_name   TEXT -- null: not known
) STRICT;
INSERT INTO new_tool_results
  SELECT id, event_uuid, call_id, session_id, timestamp, turn_id, output_json, duration_ms, success, rejected, error,
  tool_name
  FROM tool_results;
DROP TABLE tool_results;
ALTER TABLE new_tool_results RENAME TO tool_results;
CREATE INDEX tool_results_by_call ON tool_results (call_id);
CREATE INDEX tool_results_by_duration ON tool_results (duration_ms, id) WHERE duration_ms IS NOT NULL;
CREATE INDEX tool_results_by_tool ON tool_results (tool_name, timestamp, id, duration_ms, success, rejected);

CREATE TABLE new_api_usage (
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
  duration_ms              REAL
) STRICT;
INSERT INTO new_api_usage
  SELECT id, event_uuid, session_id, turn_id, agent_id, timestamp, model, input_tokens, output_tokens,
  thinking_tokens, cache_read_tokens, cache_creation_tokens, cache_creation_1h_tokens, web_search_requests,
  speed, inference_geo, cost_usd, basis, request_kind, ttft_ms, duration_ms
  FROM api_usage;
DROP TABLE api_usage;
ALTER TABLE new_api_usage RENAME TO api_usage;
CREATE INDEX api_usage_by_session ON api_usage (session_id, turn_id, id);

CREATE TABLE new_rate_limits (
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
INSERT INTO new_rate_limits
  SELECT id, event_uuid, session_id, timestamp, requests_limit, requests_remaining, tokens_limit, tokens_remaining,
  input_tokens_limit, input_tokens_remaining, output_tokens_limit, output_tokens_remaining, unified_status,
  claim, five_hour_used, five_hour_resets_at, seven_day_used, seven_day_resets_at
  FROM rate_limits;
DROP TABLE rate_limits;
ALTER TABLE new_rate_limits RENAME TO rate_limits;
CREATE INDEX rate_limits_by_time ON rate_limits (timestamp, id);

CREATE TABLE new_recall_docs (
  id         INTEGER PRIMARY KEY,
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  agent_id   TEXT,
  match_type TEXT    NOT NULL CHECK (match_type IN ('thinking', 'user_prompt', 'assistant_response', 'compaction')),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  digest     TEXT    NOT NULL -- the beginning of the text, for the index rows of its neighbours
) STRICT;
INSERT INTO new_recall_docs
  SELECT id, session_id, turn_id, agent_id, match_type, timestamp, project, digest FROM recall_docs;
DROP TABLE recall_docs;
ALTER TABLE new_recall_docs RENAME TO recall_docs;
CREATE INDEX recall_docs_by_lane ON recall_docs (session_id, agent_id, id);
CREATE INDEX recall_docs_by_turn ON recall_docs (session_id, turn_id, id);
CREATE INDEX recall_docs_by_time ON recall_docs (timestamp, id);
CREATE TRIGGER recall_docs_ad AFTER DELETE ON recall_docs BEGIN DELETE FROM recall_fts WHERE rowid = old.id; END;

-- Rows of a session or a kind are found by the log's indexes, and the newest of all rows is the newest of some kind. Further
-- indexes by session or time are kept only if readers need them. No query looks up agents by call.
DROP INDEX events_by_time;
DROP INDEX agents_by_call;

-- The search text of tool traffic was stored in a table, next to the JSON that it is derived from. Now it is derived when it
-- is needed. Texts are stored only if their JSON names contents instead of strings, or is expensive to split, or if they
-- were recorded before and differ.
DROP TRIGGER tool_texts_ad;
DROP TRIGGER tool_texts_au;
CREATE TABLE long_tool_texts (
  id         INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL,
  content    TEXT NOT NULL
) STRICT;
-- The view splits JSON at its quotes, once escaped ones are replaced (char(1) is a backslash, char(2) a quote; JSON contains
-- neither), into its strings, each with its name if one directly precedes it. json_tree would do the same, but full text
-- cannot check itself over a view with a virtual table.
-- Every row of the view is in the index, those without words too; rows indexed before stay unchanged.
ALTER TABLE tool_texts RENAME TO old_tool_texts;
CREATE VIEW tool_texts AS
SELECT c.id, c.session_id, c.timestamp, coalesce((SELECT l.content FROM long_tool_texts l WHERE l.id = c.id), (
    WITH whole (text) AS MATERIALIZED (SELECT c.tool_name || coalesce(char(10) || CASE
       WHEN NOT json_valid(c.input_json) THEN c.input_json
       WHEN substr(c.input_json, 1, 1) = '"' THEN json_extract(c.input_json, '$')
       ELSE (
         WITH RECURSIVE literal (name, word, rest) AS (
           SELECT NULL, NULL, replace(replace(c.input_json, '\\', char(1)), '\"', char(2)) || '""'
           UNION ALL
           SELECT CASE WHEN substr(rest, 1, instr(rest, '"') - 1) = ':' THEN word END,
                  substr(rest, instr(rest, '"') + 1, instr(substr(rest, instr(rest, '"') + 1), '"') - 1),
                  substr(rest, instr(rest, '"') + instr(substr(rest, instr(rest, '"') + 1), '"') + 1)
           FROM literal WHERE rest <> ''
         )
         SELECT json_extract('"' || replace(replace(group_concat(word, '\n'), char(2), '\"'), char(1), '\\') || '"', '$')
         FROM literal WHERE word IS NOT NULL AND name IS NOT 'type' AND substr(rest, 1, 1) NOT IN (':', '')
       ) END, ''))
    SELECT CASE WHEN length(text) > 4000 THEN substr(text, 1, 3000) || ' … ' || substr(text, -1000) ELSE text END FROM whole
  )) AS content
FROM tool_calls c
UNION ALL
SELECT r.id, r.session_id, r.timestamp, coalesce((SELECT l.content FROM long_tool_texts l WHERE l.id = r.id), (
    WITH whole (text) AS MATERIALIZED (SELECT coalesce(CASE
       WHEN NOT json_valid(r.output_json) THEN r.output_json
       WHEN substr(r.output_json, 1, 1) = '"' THEN json_extract(r.output_json, '$')
       ELSE (
         WITH RECURSIVE literal (name, word, rest) AS (
           SELECT NULL, NULL, replace(replace(r.output_json, '\\', char(1)), '\"', char(2)) || '""'
           UNION ALL
           SELECT CASE WHEN substr(rest, 1, instr(rest, '"') - 1) = ':' THEN word END,
                  substr(rest, instr(rest, '"') + 1, instr(substr(rest, instr(rest, '"') + 1), '"') - 1),
                  substr(rest, instr(rest, '"') + instr(substr(rest, instr(rest, '"') + 1), '"') + 1)
           FROM literal WHERE rest <> ''
         )
         SELECT json_extract('"' || replace(replace(group_concat(word, '\n'), char(2), '\"'), char(1), '\\') || '"', '$')
         FROM literal WHERE word IS NOT NULL AND name IS NOT 'type' AND substr(rest, 1, 1) NOT IN (':', '')
       ) END, ''))
    SELECT CASE WHEN length(text) > 4000 THEN substr(text, 1, 3000) || ' … ' || substr(text, -1000) ELSE text END FROM whole
  )) AS content
FROM tool_results r;
INSERT INTO long_tool_texts (id, session_id, content)
  SELECT o.id, o.session_id, o.content FROM old_tool_texts o
  WHERE o.content IS NOT (SELECT t.content FROM tool_texts t WHERE t.id = o.id)
     OR EXISTS (
       SELECT 1 FROM (SELECT id, input_json AS json FROM tool_calls UNION ALL SELECT id, output_json FROM tool_results) t
       WHERE t.id = o.id AND (length(json) > 16384 OR instr(json, '"$content"') > 0 OR (substr(json, 1, 1) <> '"' AND length(json) *
         (length(replace(json, '\"', '')) - length(replace(replace(json, '\"', ''), '"', ''))) > 500000)));
INSERT INTO tools_fts (rowid, content, timestamp)
  SELECT t.id, t.content, t.timestamp FROM tool_texts t
  WHERE NOT EXISTS (SELECT 1 FROM old_tool_texts o WHERE o.id = t.id) ORDER BY t.id;
DROP TABLE old_tool_texts;

-- The index removes the old text while the view still shows it, and adds the new text after the change.
CREATE TRIGGER tool_calls_bu BEFORE UPDATE OF timestamp, tool_name, input_json ON tool_calls WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json <> old.input_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER tool_calls_au AFTER UPDATE OF timestamp, tool_name, input_json ON tool_calls WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json <> old.input_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER tool_calls_bd BEFORE DELETE ON tool_calls BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER tool_calls_ad AFTER DELETE ON tool_calls BEGIN DELETE FROM long_tool_texts WHERE id = old.id; END;
CREATE TRIGGER tool_results_bu BEFORE UPDATE OF timestamp, output_json ON tool_results WHEN new.timestamp <> old.timestamp OR new.output_json <> old.output_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER tool_results_au AFTER UPDATE OF timestamp, output_json ON tool_results WHEN new.timestamp <> old.timestamp OR new.output_json <> old.output_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER tool_results_bd BEFORE DELETE ON tool_results BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER tool_results_ad AFTER DELETE ON tool_results BEGIN DELETE FROM long_tool_texts WHERE id = old.id; END;
CREATE TRIGGER long_tool_texts_bi BEFORE INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_ai AFTER INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bu BEFORE UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_au AFTER UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bd BEFORE DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_ad AFTER DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
