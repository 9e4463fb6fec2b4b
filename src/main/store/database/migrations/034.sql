-- Each reading of a limit's used share, by window (5h, 7d, and windows of single models), and its step since the reading before.
CREATE VIEW limit_steps AS
SELECT id, event_uuid, session_id, timestamp, limit_window, used, resets_at,
  used - lag(used) OVER (PARTITION BY limit_window, resets_at ORDER BY timestamp, id) AS step
FROM (
  SELECT e.id, e.uuid AS event_uuid, e.session_id, e.ts_wall AS timestamp, substr(l.key, 9, length(l.key) - 20) AS limit_window,
    l.value AS used, json_extract(e.payload, '$.limits."unified-' || substr(l.key, 9, length(l.key) - 20) || '-reset"') AS resets_at
  FROM events e, json_each(e.payload, '$.limits') l
  WHERE e.kind = 'rate_limit' AND l.key LIKE 'unified-_%-utilization' AND l.type IN ('integer', 'real')
);
