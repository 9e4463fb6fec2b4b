-- Failures as people count them, API errors apart from failed tool calls, and the client of a session.

ALTER TABLE sessions ADD COLUMN api_errors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN failed_tools INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN client TEXT NOT NULL DEFAULT 'unknown';
ALTER TABLE sessions ADD COLUMN client_version TEXT;
ALTER TABLE sessions ADD COLUMN client_certainty INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN client_at TEXT;
CREATE INDEX sessions_by_client ON sessions (client, started_at, id);
CREATE INDEX tool_results_failed ON tool_results (session_id, timestamp, id) WHERE success = 0 AND rejected = 0;
ALTER TABLE turns ADD COLUMN api_errors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN failed_tools INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN api_errors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rollups ADD COLUMN failed_tools INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tool_rollups ADD COLUMN rejected INTEGER NOT NULL DEFAULT 0;

CREATE TEMP TABLE failures AS
  SELECT id, session_id, turn_id, 1 AS api_errors, 0 AS failed_tools FROM errors WHERE origin <> 'capture'
  UNION ALL
  SELECT id, session_id, turn_id, 0, 1 FROM tool_results WHERE success = 0 AND rejected = 0;
UPDATE sessions SET api_errors = f.api_errors, failed_tools = f.failed_tools
FROM (SELECT session_id, sum(api_errors) AS api_errors, sum(failed_tools) AS failed_tools FROM failures GROUP BY 1) f
WHERE f.session_id = sessions.id;
UPDATE turns SET api_errors = f.api_errors, failed_tools = f.failed_tools
FROM (SELECT session_id, turn_id, sum(api_errors) AS api_errors, sum(failed_tools) AS failed_tools FROM failures GROUP BY 1, 2) f
WHERE f.session_id = turns.session_id AND f.turn_id = turns.turn_id;
INSERT INTO rollups (quarter, project, model, api_errors, failed_tools)
  SELECT substr(e.ts_wall, 1, 14) || printf('%02d', CAST(substr(e.ts_wall, 15, 2) AS INTEGER) / 15 * 15), coalesce(e.project, ''), '',
    sum(f.api_errors), sum(f.failed_tools)
  FROM failures f JOIN events e ON e.id = f.id WHERE true GROUP BY 1, 2
  ON CONFLICT (quarter, project, model) DO UPDATE SET api_errors = excluded.api_errors, failed_tools = excluded.failed_tools;
DROP TABLE failures;
UPDATE tool_rollups SET rejected = r.rejected
FROM (SELECT substr(e.ts_wall, 1, 10) AS day, coalesce(e.project, '') AS project, coalesce(t.tool_name, '') AS tool_name, count(*) AS rejected
      FROM tool_results t JOIN events e ON e.id = t.id WHERE t.rejected = 1 GROUP BY 1, 2, 3) r
WHERE r.day = tool_rollups.day AND r.project = tool_rollups.project AND r.tool_name = tool_rollups.tool_name;

-- What the kind of source tells. The version, and SDKs, follow with the session's next request or a rebuild: headers may be
-- in contents, which SQL cannot unpack.
UPDATE sessions SET client = 'claude-code', client_certainty = 1, client_at = told.at
FROM (SELECT session_id, max(ts_wall) AS at FROM events WHERE source IN ('hook', 'transcript') GROUP BY 1) told
WHERE told.session_id = sessions.id;
UPDATE sessions SET client = 'claude-code'
WHERE client_certainty = 0 AND id NOT LIKE 'unnamed%' AND EXISTS (
  SELECT 1 FROM events e WHERE e.session_id = sessions.id AND e.source = 'wire' AND e.kind = 'model_request');
