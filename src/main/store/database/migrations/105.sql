-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

CREATE TABLE file_touches (
  event_id INTEGER NOT NULL,
  key      INTEGER NOT NULL, -- the beginning of the hash of a path, or of a session
  PRIMARY KEY (event_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX file_touches_by_key ON file_touches (key, event_id);
