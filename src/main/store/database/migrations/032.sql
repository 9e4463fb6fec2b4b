-- The view gains the column names of the lineage design beside its own: `instance_id` is the session, `timestamp` the wall time.
DROP VIEW session_events;
CREATE VIEW session_events AS
SELECT e.id, e.uuid AS event_id, e.session_id, e.turn_id, e.seq, e.agent_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_event_id,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_event_id, a.depth,
       e.kind AS event_type, e.source, e.ts_wall, e.ts_monotonic, e.duration_ms, e.success, e.error_message, e.payload,
       e.uuid AS uuid, e.session_id AS instance_id,
       coalesce((SELECT p.uuid FROM events p WHERE p.id = a.parent_id), a.missing_parent, e.parent_uuid) AS parent_uuid,
       (SELECT r.uuid FROM events r WHERE r.id = a.root_id) AS root_uuid, e.ts_wall AS timestamp
FROM events e LEFT JOIN ancestry a ON a.event_id = e.id;
