-- The places of large fields that moved from the log to archives. Archives are files of JSON lines in zstd frames next to
-- the database; these tables say which bytes of them are valid.

CREATE TABLE archives (
  id          INTEGER PRIMARY KEY,
  month       TEXT    NOT NULL,           -- of the events in it, UTC
  path        TEXT    NOT NULL UNIQUE,    -- name of the file in the archive folder
  bytes       INTEGER NOT NULL DEFAULT 0, -- valid bytes of the file: later ones were never committed
  archived_at TEXT    NOT NULL,           -- when something was last added
  removed_at  TEXT,                       -- when it expired; the file is gone
  rewrite_due INTEGER NOT NULL DEFAULT 0  -- 1: it contains data to remove
) STRICT;
CREATE INDEX archives_by_month ON archives (month) WHERE removed_at IS NULL;

-- Frames are numbered from 0 and keep their number when a file is rewritten.
CREATE TABLE archive_frames (
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL,
  start   INTEGER NOT NULL, -- byte in the file
  bytes   INTEGER NOT NULL, -- compressed; 0: nothing is left
  PRIMARY KEY (archive, frame)
) STRICT, WITHOUT ROWID;

-- An event whose large fields are in an archive; the row stays when the archive expires.
CREATE TABLE archived_events (
  id      INTEGER PRIMARY KEY, -- the event's
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL
) STRICT;

-- Blocks that archived requests name, once per archive.
CREATE TABLE archived_contents (
  hash    BLOB    NOT NULL,
  archive INTEGER NOT NULL,
  frame   INTEGER NOT NULL,
  PRIMARY KEY (hash, archive)
) STRICT, WITHOUT ROWID;
CREATE INDEX archived_contents_by_archive ON archived_contents (archive);

-- Files in the archive folder that no table needs any more, or not yet: the next run removes them.
CREATE TABLE archive_leftovers (
  path TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
