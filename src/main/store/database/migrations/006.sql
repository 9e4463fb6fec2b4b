-- Data that people enter: no rebuild touches it, and it is removed only with its session.

CREATE TABLE session_labels (
  session_id TEXT    PRIMARY KEY,
  starred    INTEGER NOT NULL DEFAULT 0,
  pinned     INTEGER NOT NULL DEFAULT 0,
  title      TEXT,                       -- null: the session's own
  updated_at TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Events that a person marked to be remembered: they rank first in search results.
CREATE TABLE memories (
  event_uuid TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  note       TEXT,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX memories_by_session ON memories (session_id);

CREATE TABLE saved_searches (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE,
  address    TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
