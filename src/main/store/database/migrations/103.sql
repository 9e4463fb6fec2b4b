-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

ALTER TABLE tool_result_rows ADD COLUMN upper_bound INTEGER NOT NULL DEFAULT 0;
DROP VIEW tool_results;
CREATE VIEW tool_results AS
SELECT r.event_id AS id, e.uuid AS event_uuid, r.call_id, e.session_id, r.timestamp, e.turn_id,
       CAST(coalesce(r.output_json, e.payload -> '$.output', 'null') AS TEXT) AS output_json,
       r.duration_ms, r.success, r.rejected, r.error, r.tool_name, r.upper_bound
FROM tool_result_rows r JOIN events e ON e.id = r.event_id;
DROP INDEX tool_results_by_tool;
CREATE INDEX tool_results_by_tool ON tool_result_rows (tool_name, timestamp, event_id, duration_ms, success, rejected, upper_bound);
CREATE TRIGGER tool_results_delete INSTEAD OF DELETE ON tool_results BEGIN DELETE FROM tool_result_rows WHERE event_id = old.id; END;
