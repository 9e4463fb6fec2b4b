-- What the client notes of a session (titles, tags, pull requests) without reading all of its events.
CREATE INDEX events_state_changes ON events (session_id, id) WHERE kind = 'state_change';
