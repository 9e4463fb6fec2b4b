-- Data that views need often, without reading the log or joining call by call.

-- The number of events of each kind: counting them reads an index from end to end.
CREATE TABLE event_counts (
  kind   TEXT    PRIMARY KEY,
  events INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
INSERT INTO event_counts (kind, events) SELECT kind, count(*) FROM events GROUP BY kind;

-- The tool that a result came from (null: unknown), so that a tool's durations are one range of an index. A result whose
-- payload is in contents and whose call is unknown has no name until a rebuild: SQL cannot unpack it.
ALTER TABLE tool_results ADD COLUMN tool_name TEXT;
UPDATE tool_results SET tool_name =
  (SELECT c.tool_name FROM tool_calls c WHERE c.call_id = tool_results.call_id AND c.id < tool_results.id ORDER BY c.id LIMIT 1);
UPDATE tool_results SET tool_name = (SELECT json_extract(e.payload, '$.tool_name') FROM events e WHERE e.id = tool_results.id)
WHERE tool_name IS NULL;
CREATE INDEX tool_results_by_tool ON tool_results (tool_name, timestamp, id, duration_ms, success, rejected);
