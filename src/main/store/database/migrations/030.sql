-- Texts that the log holds word for word in an event's row were stored a second time in projections. Now `tool_calls`,
-- `tool_results`, `thinking_blocks` and `assistant_responses` are views over the events: their rows hold what indexes need,
-- and a text only if the event's payload does not show it as it is (longer than 1 KB, or settled by a later sighting).
-- Full text stays as it is, since the views show the same texts.

DROP TRIGGER tool_calls_ad;
DROP TRIGGER tool_calls_au;
DROP TRIGGER tool_calls_bd;
DROP TRIGGER tool_calls_bu;
DROP TRIGGER tool_results_ad;
DROP TRIGGER tool_results_au;
DROP TRIGGER tool_results_bd;
DROP TRIGGER tool_results_bu;
DROP TRIGGER long_tool_texts_ad;
DROP TRIGGER long_tool_texts_ai;
DROP TRIGGER long_tool_texts_au;
DROP TRIGGER long_tool_texts_bd;
DROP TRIGGER long_tool_texts_bi;
DROP TRIGGER long_tool_texts_bu;
DROP TRIGGER thinking_blocks_ad;
DROP TRIGGER thinking_blocks_au;
DROP TRIGGER assistant_responses_ad;
DROP TRIGGER assistant_responses_au;
DROP VIEW tool_texts;

-- Payloads that are stored inline, word for word: the same test as `isInline` in log/payload.ts. The mark of archived fields
-- is not part of the payload.
CREATE TEMP TABLE inline_events (id INTEGER PRIMARY KEY, payload TEXT NOT NULL);
INSERT INTO inline_events
  SELECT id, payload FROM (
    SELECT id, iif(instr(payload, '"$archived"') > 0, json_remove(payload, '$."$archived"'), payload) AS payload FROM events
    WHERE kind IN ('tool_call', 'tool_result', 'thinking', 'assistant_text'))
  WHERE octet_length(payload) <= 1024 AND instr(payload, '"$content"') = 0 AND instr(payload, '"$archived"') = 0
    AND instr(payload, '"$$') = 0 AND instr(payload, '\u0000') = 0 AND instr(payload, '\ud') = 0;

CREATE TABLE tool_call_rows (
  event_id   INTEGER PRIMARY KEY,
  call_id    TEXT    NOT NULL,
  timestamp  TEXT    NOT NULL,
  tool_name  TEXT    NOT NULL,
  input_json TEXT             -- null: as in the event's payload
) STRICT;
INSERT INTO tool_call_rows
  SELECT c.id, c.call_id, c.timestamp, c.tool_name,
         nullif(c.input_json, (SELECT coalesce(nullif(i.payload -> '$.input', 'null'), i.payload -> '$.digest', 'null') FROM inline_events i WHERE i.id = c.id))
  FROM tool_calls c;
DROP TABLE tool_calls;
CREATE INDEX tool_calls_by_call ON tool_call_rows (call_id);
CREATE INDEX tool_calls_by_tool ON tool_call_rows (tool_name, timestamp, event_id);
CREATE INDEX events_agent_calls ON events (session_id, ts_wall, id, agent_id) WHERE kind = 'tool_call' AND agent_id IS NOT NULL;
CREATE VIEW tool_calls AS
SELECT c.event_id AS id, e.uuid AS event_uuid, c.call_id, e.session_id, e.turn_id, e.agent_id, c.timestamp, c.tool_name,
       CAST(coalesce(c.input_json, nullif(e.payload -> '$.input', 'null'), e.payload -> '$.digest', 'null') AS TEXT) AS input_json,
       e.parent_uuid AS parent_event_uuid
FROM tool_call_rows c JOIN events e ON e.id = c.event_id;
CREATE TRIGGER tool_calls_delete INSTEAD OF DELETE ON tool_calls BEGIN DELETE FROM tool_call_rows WHERE event_id = old.id; END;

CREATE TABLE tool_result_rows (
  event_id    INTEGER PRIMARY KEY,
  call_id     TEXT    NOT NULL,
  timestamp   TEXT    NOT NULL,
  output_json TEXT,            -- null: as in the event's payload
  duration_ms REAL,
  success     INTEGER,
  rejected    INTEGER NOT NULL DEFAULT 0,
  error       TEXT,
  tool_name   TEXT             -- null: not known
) STRICT;
INSERT INTO tool_result_rows
  SELECT r.id, r.call_id, r.timestamp,
         nullif(r.output_json, (SELECT coalesce(i.payload -> '$.output', 'null') FROM inline_events i WHERE i.id = r.id)),
         r.duration_ms, r.success, r.rejected, r.error, r.tool_name
  FROM tool_results r;
DROP TABLE tool_results;
CREATE INDEX tool_results_by_call ON tool_result_rows (call_id);
CREATE INDEX tool_results_by_duration ON tool_result_rows (duration_ms, event_id) WHERE duration_ms IS NOT NULL;
CREATE INDEX tool_results_by_tool ON tool_result_rows (tool_name, timestamp, event_id, duration_ms, success, rejected);
CREATE INDEX tool_results_failed ON tool_result_rows (timestamp, event_id) WHERE success = 0 AND rejected = 0;
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
CREATE TRIGGER tool_calls_bu BEFORE UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_au AFTER UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_calls_bd BEFORE DELETE ON tool_call_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_ad AFTER DELETE ON tool_call_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
CREATE TRIGGER tool_results_bu BEFORE UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_results_au AFTER UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_results_bd BEFORE DELETE ON tool_result_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_results_ad AFTER DELETE ON tool_result_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
CREATE TRIGGER long_tool_texts_bi BEFORE INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_ai AFTER INSERT ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bu BEFORE UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_au AFTER UPDATE OF content ON long_tool_texts WHEN new.content <> old.content BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER long_tool_texts_bd BEFORE DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER long_tool_texts_ad AFTER DELETE ON long_tool_texts BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER events_tool_texts_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER events_tool_texts_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;

CREATE TABLE thinking_rows (
  event_id INTEGER PRIMARY KEY,
  content  TEXT -- null: as in the event's payload
) STRICT;
INSERT INTO thinking_rows
  SELECT b.id, nullif(b.content, (SELECT i.payload ->> '$.text' FROM inline_events i WHERE i.id = b.id)) FROM thinking_blocks b;
DROP TABLE thinking_blocks;
CREATE VIEW thinking_blocks AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM thinking_rows b JOIN events e ON e.id = b.event_id;
CREATE TRIGGER thinking_blocks_delete INSTEAD OF DELETE ON thinking_blocks BEGIN DELETE FROM thinking_rows WHERE event_id = old.id; END;
CREATE TRIGGER thinking_blocks_bu BEFORE UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;
CREATE TRIGGER thinking_blocks_au AFTER UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.event_id; END;
CREATE TRIGGER thinking_blocks_bd BEFORE DELETE ON thinking_rows BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;
CREATE TRIGGER events_thinking_blocks_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.id; END;
CREATE TRIGGER events_thinking_blocks_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.id; END;

CREATE TABLE response_rows (
  event_id INTEGER PRIMARY KEY,
  content  TEXT -- null: as in the event's payload
) STRICT;
INSERT INTO response_rows
  SELECT b.id, nullif(b.content, (SELECT i.payload ->> '$.text' FROM inline_events i WHERE i.id = b.id)) FROM assistant_responses b;
DROP TABLE assistant_responses;
CREATE VIEW assistant_responses AS
SELECT b.event_id AS id, e.uuid AS event_uuid, e.session_id, e.turn_id, e.agent_id, e.ts_wall AS timestamp,
       CAST(coalesce(b.content, e.payload ->> '$.text') AS TEXT) AS content, CAST(NULL AS INTEGER) AS tokens
FROM response_rows b JOIN events e ON e.id = b.event_id;
CREATE TRIGGER assistant_responses_delete INSTEAD OF DELETE ON assistant_responses BEGIN DELETE FROM response_rows WHERE event_id = old.id; END;
CREATE TRIGGER assistant_responses_bu BEFORE UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;
CREATE TRIGGER assistant_responses_au AFTER UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.event_id; END;
CREATE TRIGGER assistant_responses_bd BEFORE DELETE ON response_rows BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;
CREATE TRIGGER events_assistant_responses_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.id; END;
CREATE TRIGGER events_assistant_responses_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.id; END;

DROP TABLE inline_events;

-- Sightings refer to events by id, and name a session only if it is not the event's.
DROP TRIGGER sightings_no_update;
DROP TRIGGER sightings_no_delete;
DROP VIEW sightings;
ALTER TABLE sighting_rows RENAME TO old_sighting_rows;
CREATE TABLE sighting_rows (
  id               INTEGER PRIMARY KEY,
  event_id         INTEGER NOT NULL,
  source           TEXT    NOT NULL CHECK (source IN ('wire', 'hook', 'transcript', 'api')),
  other_session_id TEXT,    -- null: the session of the event
  seen_at          TEXT    NOT NULL,
  payload          TEXT,    -- JSON: fields that this source added; null: none
  with_first       INTEGER NOT NULL DEFAULT 1 -- 1: the rows of this event include its first sighting
) STRICT;
INSERT INTO sighting_rows
  SELECT s.id, e.id, s.source, nullif(s.session_id, e.session_id), s.seen_at, s.payload, s.with_first
  FROM old_sighting_rows s JOIN events e ON e.uuid = s.uuid ORDER BY s.id;
DROP TABLE old_sighting_rows;
CREATE INDEX sightings_by_event ON sighting_rows (event_id);
CREATE INDEX sightings_by_session ON sighting_rows (other_session_id) WHERE other_session_id IS NOT NULL;
CREATE TRIGGER sightings_no_update BEFORE UPDATE ON sighting_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_no_delete BEFORE DELETE ON sighting_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE VIEW sightings AS
SELECT CAST(-e.id AS INTEGER) AS id, e.uuid, e.source, e.session_id, e.ts_wall AS seen_at, CAST(NULL AS TEXT) AS payload FROM events e
WHERE NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.event_id = e.id AND r.with_first = 1)
UNION ALL
SELECT s.id, e.uuid, s.source, CAST(coalesce(s.other_session_id, e.session_id) AS TEXT) AS session_id, s.seen_at, s.payload
FROM sighting_rows s JOIN events e ON e.id = s.event_id;
CREATE TRIGGER sightings_refuse_update INSTEAD OF UPDATE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_refuse_delete INSTEAD OF DELETE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
