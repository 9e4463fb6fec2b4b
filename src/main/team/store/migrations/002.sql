-- A deletion removes the session's id from the notes of who read it.
CREATE INDEX read_audit_by_session ON read_audit (session_id);
