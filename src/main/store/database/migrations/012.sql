-- Sightings of a session are looked for when it is deleted: the index needs no more than its id for that, half the bytes.
DROP INDEX sightings_by_session;
CREATE INDEX sightings_by_session ON sightings (session_id);
