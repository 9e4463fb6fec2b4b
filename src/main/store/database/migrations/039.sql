-- Every change of the log in the order it was made, by id, for replication to a team. It holds no content: a reader looks the event up.
CREATE TABLE changes (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  kind     TEXT    NOT NULL CHECK (kind IN ('event', 'sighting', 'correction', 'redaction', 'removal', 'tombstone', 'session')),
  event_id INTEGER, -- null for a session
  name     TEXT     -- the uuid of a removed event, or the session
) STRICT;
INSERT INTO changes (kind, event_id) SELECT 'event', id FROM events ORDER BY id;
INSERT INTO changes (kind, name) SELECT 'tombstone', session_id FROM tombstones ORDER BY deleted_at, session_id;
CREATE TRIGGER events_changes_ai AFTER INSERT ON events
BEGIN INSERT INTO changes (kind, event_id) VALUES ('event', new.id); END;
CREATE TRIGGER events_changes_au AFTER UPDATE OF payload, error_message ON events
WHEN new.error_message IS NOT old.error_message OR (new.payload IS NOT old.payload AND instr(new.payload, '"$archived"') = 0)
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.id); END;
CREATE TRIGGER events_changes_ad AFTER DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM tombstones WHERE session_id = old.session_id)
BEGIN INSERT INTO changes (kind, event_id, name) VALUES ('removal', old.id, old.uuid); END;
CREATE TRIGGER sightings_changes_ai AFTER INSERT ON sighting_rows WHEN new.with_first = 0
BEGIN INSERT INTO changes (kind, event_id) VALUES ('sighting', new.event_id); END;
CREATE TRIGGER sightings_changes_ad AFTER DELETE ON sighting_rows
BEGIN INSERT INTO changes (kind, event_id) VALUES ('correction', old.event_id); END;
CREATE TRIGGER sightings_changes_au AFTER UPDATE OF payload ON sighting_rows WHEN new.payload IS NOT old.payload
BEGIN INSERT INTO changes (kind, event_id) VALUES ('redaction', new.event_id); END;
CREATE TRIGGER tombstones_changes_ai AFTER INSERT ON tombstones
BEGIN INSERT INTO changes (kind, name) VALUES ('tombstone', new.session_id); END;
