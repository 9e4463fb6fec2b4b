-- An event's first sighting is stored in the event: source, session and time. Only further data is stored as a row, and the
-- view combines both. Older data stays unchanged: its rows include first sightings.
ALTER TABLE sightings RENAME TO sighting_rows;
ALTER TABLE sighting_rows ADD COLUMN with_first INTEGER NOT NULL DEFAULT 1; -- 1: the event's first sighting is a row, too
CREATE VIEW sightings AS
SELECT CAST(-e.id AS INTEGER) AS id, e.uuid, e.source, e.session_id, e.ts_wall AS seen_at, CAST(NULL AS TEXT) AS payload FROM events e
WHERE NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.uuid = e.uuid AND r.with_first = 1)
UNION ALL
SELECT id, uuid, source, session_id, seen_at, payload FROM sighting_rows;
CREATE TRIGGER sightings_refuse_update INSTEAD OF UPDATE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
CREATE TRIGGER sightings_refuse_delete INSTEAD OF DELETE ON sightings BEGIN SELECT RAISE(ABORT, 'sightings is append-only'); END;
