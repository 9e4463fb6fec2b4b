-- Keys by event id, and none for the transcript line that an event's own uuid names: two uuids per key and an index of them
-- took a seventh of the database. The view shows the uuids and those keys. Older data keeps its rows.
ALTER TABLE events ADD COLUMN is_line INTEGER NOT NULL DEFAULT 0; -- 1: known by the key line:<uuid>, for which there is no row
CREATE TABLE key_rows (
  event_id INTEGER NOT NULL,
  key      TEXT    NOT NULL,
  PRIMARY KEY (event_id, key)
) STRICT, WITHOUT ROWID;
-- In the order of uuids, so that their indexes cover both queries and the events are not read.
INSERT INTO key_rows (event_id, key)
  SELECT e.id, k.key FROM event_keys k INDEXED BY event_keys_by_uuid CROSS JOIN events e ON e.uuid = k.uuid ORDER BY 1, 2;
CREATE UNIQUE INDEX key_rows_by_key ON key_rows (key);
DROP TABLE event_keys;
CREATE VIEW event_keys AS
SELECT k.key, e.uuid FROM key_rows k JOIN events e ON e.id = k.event_id
UNION ALL
SELECT CAST('line:' || e.uuid AS TEXT) AS key, e.uuid FROM events e WHERE e.is_line = 1;
CREATE TRIGGER event_keys_refuse_update INSTEAD OF UPDATE ON event_keys BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;
CREATE TRIGGER event_keys_refuse_delete INSTEAD OF DELETE ON event_keys BEGIN SELECT RAISE(ABORT, 'event_keys is append-only'); END;
CREATE TRIGGER key_rows_no_update BEFORE UPDATE ON key_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'key_rows is append-only'); END;
CREATE TRIGGER key_rows_no_delete BEFORE DELETE ON key_rows WHEN (SELECT value FROM metadata WHERE key = 'log_open') IS NULL
BEGIN SELECT RAISE(ABORT, 'key_rows is append-only'); END;
