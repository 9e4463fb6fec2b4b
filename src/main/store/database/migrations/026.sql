-- Marks sessions whose requests came to the proxy without the path secret; null if none did, as far as is known.
ALTER TABLE sessions ADD COLUMN unproven_sender INTEGER;
CREATE INDEX sessions_unproven ON sessions (id) WHERE unproven_sender = 1;
