-- Sessions that were deleted for good: import, follow, spool and restore skip them.
CREATE TABLE tombstones (
  session_id TEXT PRIMARY KEY,
  deleted_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
