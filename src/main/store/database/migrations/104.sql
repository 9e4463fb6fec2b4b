-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

DROP VIEW limit_steps;
CREATE VIEW limit_steps AS
SELECT id, event_uuid, session_id, account, timestamp, limit_window, used, resets_at,
  used - lag(used) OVER (PARTITION BY account, limit_window, resets_at ORDER BY timestamp, id) AS step
FROM (
  SELECT e.id, e.uuid AS event_uuid, e.session_id, coalesce(json_extract(e.payload, '$.organization'), e.user_id) AS account,
    e.ts_wall AS timestamp, substr(l.key, 9, length(l.key) - 20) AS limit_window,
    l.value AS used, json_extract(e.payload, '$.limits."unified-' || substr(l.key, 9, length(l.key) - 20) || '-reset"') AS resets_at
  FROM events e, json_each(e.payload, '$.limits') l
  WHERE e.kind = 'rate_limit' AND l.key LIKE 'unified-_%-utilization' AND l.type IN ('integer', 'real')
);
CREATE INDEX events_limits ON events (user_id, ts_wall, id) WHERE kind = 'rate_limit';
