-- Where the times of a session come from: measured on the wire or by hooks, read from its transcript's lines, or only the
-- time of the file. Existing sessions are counted from the log.
ALTER TABLE sessions ADD COLUMN time_basis TEXT NOT NULL DEFAULT 'line' CHECK (time_basis IN ('wire', 'line', 'file'));
ALTER TABLE sessions ADD COLUMN measured_events INTEGER NOT NULL DEFAULT 0; -- events of the wire, hooks or the API
ALTER TABLE sessions ADD COLUMN dated_events INTEGER NOT NULL DEFAULT 0;    -- events of transcript lines with a time
UPDATE sessions SET
  measured_events = (SELECT count(*) FROM events e WHERE e.session_id = sessions.id AND e.source <> 'transcript'),
  dated_events = (SELECT count(*) FROM events e WHERE e.session_id = sessions.id AND e.source = 'transcript');
UPDATE sessions SET dated_events = dated_events - undated.events
FROM (SELECT e.session_id, count(*) AS events FROM sighting_rows s JOIN events e ON e.uuid = s.uuid
      WHERE s.with_first = 1 AND e.source = 'transcript' AND s.payload LIKE '%"time_basis":"file"%' GROUP BY 1) undated
WHERE undated.session_id = sessions.id;
UPDATE sessions SET time_basis = CASE WHEN measured_events > 0 THEN 'wire' WHEN dated_events > 0 THEN 'line' ELSE 'file' END;

-- What a session continues: the session whose history it copied, or the line of another session that it starts after.
CREATE TABLE session_links (
  session_id       TEXT NOT NULL,
  kind             TEXT NOT NULL CHECK (kind IN ('forked_from', 'resumed_from', 'compacted_from')),
  other_session_id TEXT NOT NULL, -- '': the session that holds the line
  line_uuid        TEXT NOT NULL, -- '' if the other session is known by what was copied
  linked_at        TEXT NOT NULL, -- time of the last copied event, or of the first one after the line
  PRIMARY KEY (session_id, other_session_id, line_uuid)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_links_by_other ON session_links (other_session_id);
INSERT INTO session_links (session_id, kind, other_session_id, line_uuid, linked_at)
  SELECT s.session_id, 'forked_from', e.session_id, '', max(s.seen_at)
  FROM sighting_rows s JOIN events e ON e.uuid = s.uuid WHERE s.session_id <> e.session_id GROUP BY 1, 3;
