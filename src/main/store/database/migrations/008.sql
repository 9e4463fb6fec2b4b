-- Metadata that the client records for a session (titles, tags, pull requests), readable without all of its events.
CREATE INDEX events_state_changes ON events (session_id, id) WHERE kind = 'state_change';
