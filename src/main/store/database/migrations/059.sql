-- The text that a view shows was stored twice if it is longer than 1 KB: compressed in `contents` and plain in a row of the
-- view's table. Now it is stored once, in the payload of its event, and `contents` holds what no view shows. The same rules
-- as in log/payload.ts: JSON of a tool up to 16 KB, nothing that looks like a reference, no NUL, no lone surrogate.
-- Full text stays as it is, since the views show the same texts, and so does the change log.

DROP TRIGGER events_no_update;
DROP TRIGGER events_changes_au;
DROP TRIGGER events_thinking_blocks_bu;
DROP TRIGGER events_thinking_blocks_au;
DROP TRIGGER events_assistant_responses_bu;
DROP TRIGGER events_assistant_responses_au;
DROP TRIGGER events_tool_texts_bu;
DROP TRIGGER events_tool_texts_au;
DROP TRIGGER thinking_blocks_bu;
DROP TRIGGER thinking_blocks_au;
DROP TRIGGER assistant_responses_bu;
DROP TRIGGER assistant_responses_au;
DROP TRIGGER tool_calls_bu;
DROP TRIGGER tool_calls_au;
DROP TRIGGER tool_results_bu;
DROP TRIGGER tool_results_au;
DROP TRIGGER thinking_blocks_bd;
DROP TRIGGER assistant_responses_bd;
DROP TRIGGER tool_calls_bd;
DROP TRIGGER tool_results_bd;
DROP TRIGGER tool_calls_ad;
DROP TRIGGER tool_results_ad;

-- Events whose text moves into the payload, and the texts that it no longer refers to.
CREATE TEMP TABLE moved_texts (id INTEGER PRIMARY KEY, field TEXT NOT NULL, json TEXT NOT NULL);
CREATE TEMP TABLE released_texts (hash TEXT NOT NULL);

INSERT INTO moved_texts
  SELECT e.id, '$.text', json_quote(r.content) FROM thinking_rows r JOIN events e ON e.id = r.event_id
  WHERE e.kind = 'thinking' AND r.content IS NOT NULL AND json_type(e.payload, '$.text') = 'object'
    AND instr(json_quote(r.content), '"$content"') = 0
    AND instr(json_quote(r.content), '"$archived"') = 0
    AND instr(json_quote(r.content), '"$$') = 0
    AND instr(json_quote(r.content), '\u0000') = 0
    AND instr(json_quote(r.content), '\ud') = 0;
INSERT INTO moved_texts
  SELECT e.id, '$.text', json_quote(r.content) FROM response_rows r JOIN events e ON e.id = r.event_id
  WHERE e.kind = 'assistant_text' AND r.content IS NOT NULL AND json_type(e.payload, '$.text') = 'object'
    AND instr(json_quote(r.content), '"$content"') = 0
    AND instr(json_quote(r.content), '"$archived"') = 0
    AND instr(json_quote(r.content), '"$$') = 0
    AND instr(json_quote(r.content), '\u0000') = 0
    AND instr(json_quote(r.content), '\ud') = 0;
INSERT INTO moved_texts
  SELECT e.id, '$.input', json(r.input_json) FROM tool_call_rows r JOIN events e ON e.id = r.event_id
  WHERE e.kind = 'tool_call' AND octet_length(r.input_json) <= 16384
    AND instr(e.payload -> '$.input', '"$content"') > 0
    AND instr(r.input_json, '"$content"') = 0
    AND instr(r.input_json, '"$archived"') = 0
    AND instr(r.input_json, '"$$') = 0
    AND instr(r.input_json, '\u0000') = 0
    AND instr(r.input_json, '\ud') = 0
    -- A source that told the field otherwise settled the row: it is not what the event says.
    AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = e.id
      AND (json_type(s.payload, '$.input') IS NOT NULL OR json_type(s.payload, '$."$content"') IS NOT NULL));
INSERT INTO moved_texts
  SELECT e.id, '$.output', json(r.output_json) FROM tool_result_rows r JOIN events e ON e.id = r.event_id
  WHERE e.kind = 'tool_result' AND octet_length(r.output_json) <= 16384
    AND instr(e.payload -> '$.output', '"$content"') > 0
    AND instr(r.output_json, '"$content"') = 0
    AND instr(r.output_json, '"$archived"') = 0
    AND instr(r.output_json, '"$$') = 0
    AND instr(r.output_json, '\u0000') = 0
    AND instr(r.output_json, '\ud') = 0
    -- A source that told the field otherwise settled the row: it is not what the event says.
    AND NOT EXISTS (SELECT 1 FROM sighting_rows s WHERE s.event_id = e.id
      AND (json_type(s.payload, '$.output') IS NOT NULL OR json_type(s.payload, '$."$content"') IS NOT NULL));
INSERT INTO released_texts
  SELECT hash FROM (SELECT DISTINCT m.id, t.atom AS hash FROM moved_texts m JOIN events e ON e.id = m.id, json_tree(e.payload, m.field) t
  WHERE t.key = '$content'
    AND NOT EXISTS (SELECT 1 FROM json_tree(json_set(e.payload, m.field, NULL)) o WHERE o.key = '$content' AND o.atom = t.atom));
UPDATE events SET payload = json_set(payload, m.field, json(m.json)) FROM moved_texts m WHERE m.id = events.id;
UPDATE contents SET refs = refs - r.count
  FROM (SELECT unhex(hash) AS hash, count(*) AS count FROM released_texts GROUP BY 1) r WHERE contents.hash = r.hash;
DELETE FROM contents WHERE refs <= 0 AND hash IN (SELECT unhex(hash) FROM released_texts);
DROP TABLE moved_texts;
DROP TABLE released_texts;

-- Rows keep what the payload does not show. They are written again, since updated rows would leave their pages half empty.
CREATE TEMP TABLE kept_rows AS
  SELECT r.event_id, iif(json_type(e.payload, '$.text') = 'text' AND r.content = e.payload ->> '$.text'
    AND instr((e.payload -> '$.text'), '"$content"') = 0
    AND instr((e.payload -> '$.text'), '"$archived"') = 0
    AND instr((e.payload -> '$.text'), '"$$') = 0
    AND instr((e.payload -> '$.text'), '\u0000') = 0
    AND instr((e.payload -> '$.text'), '\ud') = 0, NULL, r.content) AS content
  FROM thinking_rows r JOIN events e ON e.id = r.event_id;
DELETE FROM thinking_rows;
INSERT INTO thinking_rows SELECT * FROM kept_rows ORDER BY event_id;
DROP TABLE kept_rows;
CREATE TEMP TABLE kept_rows AS
  SELECT r.event_id, iif(json_type(e.payload, '$.text') = 'text' AND r.content = e.payload ->> '$.text'
    AND instr((e.payload -> '$.text'), '"$content"') = 0
    AND instr((e.payload -> '$.text'), '"$archived"') = 0
    AND instr((e.payload -> '$.text'), '"$$') = 0
    AND instr((e.payload -> '$.text'), '\u0000') = 0
    AND instr((e.payload -> '$.text'), '\ud') = 0, NULL, r.content) AS content
  FROM response_rows r JOIN events e ON e.id = r.event_id;
DELETE FROM response_rows;
INSERT INTO response_rows SELECT * FROM kept_rows ORDER BY event_id;
DROP TABLE kept_rows;
DROP INDEX tool_calls_by_call;
DROP INDEX tool_calls_by_tool;
CREATE TEMP TABLE kept_rows AS
  SELECT r.event_id, r.call_id, r.timestamp, r.tool_name, iif(json_type(e.payload, '$."$content"') IS NULL AND r.input_json = coalesce(nullif(e.payload -> '$.input', 'null'), e.payload -> '$.digest', 'null')
    AND instr(r.input_json, '"$content"') = 0
    AND instr(r.input_json, '"$archived"') = 0
    AND instr(r.input_json, '"$$') = 0
    AND instr(r.input_json, '\u0000') = 0
    AND instr(r.input_json, '\ud') = 0, NULL, r.input_json) AS input_json
  FROM tool_call_rows r JOIN events e ON e.id = r.event_id;
DELETE FROM tool_call_rows;
INSERT INTO tool_call_rows SELECT * FROM kept_rows ORDER BY event_id;
DROP TABLE kept_rows;
CREATE INDEX tool_calls_by_call ON tool_call_rows (call_id);
CREATE INDEX tool_calls_by_tool ON tool_call_rows (tool_name, timestamp, event_id);
DROP INDEX tool_results_by_call;
DROP INDEX tool_results_by_duration;
DROP INDEX tool_results_by_tool;
DROP INDEX tool_results_failed;
CREATE TEMP TABLE kept_rows AS
  SELECT r.event_id, r.call_id, r.timestamp, iif(json_type(e.payload, '$."$content"') IS NULL AND r.output_json = coalesce(e.payload -> '$.output', 'null')
    AND instr(r.output_json, '"$content"') = 0
    AND instr(r.output_json, '"$archived"') = 0
    AND instr(r.output_json, '"$$') = 0
    AND instr(r.output_json, '\u0000') = 0
    AND instr(r.output_json, '\ud') = 0, NULL, r.output_json) AS output_json, r.duration_ms, r.success, r.rejected, r.error, r.tool_name
  FROM tool_result_rows r JOIN events e ON e.id = r.event_id;
DELETE FROM tool_result_rows;
INSERT INTO tool_result_rows SELECT * FROM kept_rows ORDER BY event_id;
DROP TABLE kept_rows;
CREATE INDEX tool_results_by_call ON tool_result_rows (call_id);
CREATE INDEX tool_results_by_duration ON tool_result_rows (duration_ms, event_id) WHERE duration_ms IS NOT NULL;
CREATE INDEX tool_results_by_tool ON tool_result_rows (tool_name, timestamp, event_id, duration_ms, success, rejected);
CREATE INDEX tool_results_failed ON tool_result_rows (timestamp, event_id) WHERE success = 0 AND rejected = 0;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'events is append-only'); END;
CREATE TRIGGER events_changes_au AFTER UPDATE OF payload, error_message ON events
WHEN new.error_message IS NOT old.error_message OR (new.payload IS NOT old.payload
    AND instr(new.payload, '"$archived"') = 0)
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.id); END;
CREATE TRIGGER events_thinking_blocks_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.id; END;
CREATE TRIGGER events_thinking_blocks_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('thinking') BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.id; END;
CREATE TRIGGER events_assistant_responses_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.id; END;
CREATE TRIGGER events_assistant_responses_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('assistant_text') BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.id; END;
CREATE TRIGGER events_tool_texts_bu BEFORE UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.id; END;
CREATE TRIGGER events_tool_texts_au AFTER UPDATE OF payload ON events WHEN old.kind IN ('tool_call', 'tool_result') BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.id; END;
CREATE TRIGGER thinking_blocks_bu BEFORE UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;
CREATE TRIGGER thinking_blocks_au AFTER UPDATE OF content ON thinking_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO thinking_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = new.event_id; END;
CREATE TRIGGER assistant_responses_bu BEFORE UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;
CREATE TRIGGER assistant_responses_au AFTER UPDATE OF content ON response_rows WHEN new.content IS NOT old.content BEGIN INSERT INTO responses_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_calls_bu BEFORE UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_au AFTER UPDATE OF timestamp, tool_name, input_json ON tool_call_rows WHEN new.timestamp <> old.timestamp OR new.tool_name <> old.tool_name OR new.input_json IS NOT old.input_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER tool_results_bu BEFORE UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_results_au AFTER UPDATE OF timestamp, output_json ON tool_result_rows WHEN new.timestamp <> old.timestamp OR new.output_json IS NOT old.output_json BEGIN INSERT INTO tools_fts (rowid, content, timestamp) SELECT t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = new.event_id; END;
CREATE TRIGGER thinking_blocks_bd BEFORE DELETE ON thinking_rows BEGIN INSERT INTO thinking_fts (thinking_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM thinking_blocks t WHERE t.id = old.event_id; END;
CREATE TRIGGER assistant_responses_bd BEFORE DELETE ON response_rows BEGIN INSERT INTO responses_fts (responses_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM assistant_responses t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_bd BEFORE DELETE ON tool_call_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_results_bd BEFORE DELETE ON tool_result_rows BEGIN INSERT INTO tools_fts (tools_fts, rowid, content, timestamp) SELECT 'delete', t.id, t.content, t.timestamp FROM tool_texts t WHERE t.id = old.event_id; END;
CREATE TRIGGER tool_calls_ad AFTER DELETE ON tool_call_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
CREATE TRIGGER tool_results_ad AFTER DELETE ON tool_result_rows BEGIN DELETE FROM long_tool_texts WHERE id = old.event_id; END;
