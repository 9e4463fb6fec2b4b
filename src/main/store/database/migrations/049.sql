-- Tags that people set on a session: a JSON list in alphabetical order, or null. Removed and redacted with the label.
ALTER TABLE session_labels ADD COLUMN tags TEXT;
CREATE INDEX session_labels_tagged ON session_labels (session_id, tags) WHERE tags IS NOT NULL;
