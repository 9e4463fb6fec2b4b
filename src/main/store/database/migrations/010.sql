-- Facts that people recorded, and summaries of parts of sessions.

-- Facts that a person marked, each with its event: no rebuild touches this table. They rank first.
CREATE TABLE kept_memories (
  id                 INTEGER PRIMARY KEY,
  event_uuid         TEXT    NOT NULL UNIQUE, -- the event that was marked
  session_id         TEXT    NOT NULL,
  fact               TEXT    NOT NULL,        -- in the person's words; '': the event's own text
  category           TEXT    NOT NULL DEFAULT 'fact',
  confidence         REAL    NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
  source             TEXT    NOT NULL DEFAULT 'person', -- who stated it
  note               TEXT,
  first_confirmed_at TEXT    NOT NULL,
  last_confirmed_at  TEXT    NOT NULL,
  created_at         TEXT    NOT NULL
) STRICT;
INSERT INTO kept_memories (event_uuid, session_id, fact, note, first_confirmed_at, last_confirmed_at, created_at)
  SELECT event_uuid, session_id, coalesce(note, ''), note, created_at, created_at, created_at FROM memories ORDER BY created_at;
DROP TABLE memories;
ALTER TABLE kept_memories RENAME TO memories;
CREATE INDEX memories_by_session ON memories (session_id);

-- Further events that confirm a fact; the marked one is the first.
CREATE TABLE memory_evidence (
  memory_uuid TEXT NOT NULL, -- the memory's event
  event_uuid  TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  added_at    TEXT NOT NULL,
  PRIMARY KEY (memory_uuid, event_uuid)
) STRICT, WITHOUT ROWID;

CREATE VIRTUAL TABLE memories_fts USING fts5 (fact, category, note, content = 'memories', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO memories_fts (memories_fts) VALUES ('rebuild');
CREATE TRIGGER memories_ai AFTER INSERT ON memories BEGIN INSERT INTO memories_fts (rowid, fact, category, note) VALUES (new.id, new.fact, new.category, new.note); END;
CREATE TRIGGER memories_ad AFTER DELETE ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, fact, category, note) VALUES ('delete', old.id, old.fact, old.category, old.note); DELETE FROM memory_evidence WHERE memory_uuid = old.event_uuid; END;
CREATE TRIGGER memories_au AFTER UPDATE OF fact, category, note ON memories BEGIN INSERT INTO memories_fts (memories_fts, rowid, fact, category, note) VALUES ('delete', old.id, old.fact, old.category, old.note); INSERT INTO memories_fts (rowid, fact, category, note) VALUES (new.id, new.fact, new.category, new.note); END;

-- The summary of a part of a session that a compaction or the session's end closed. Derived from the log when idle, and
-- derived again by a rebuild.
CREATE TABLE episodes (
  id         INTEGER PRIMARY KEY,
  event_uuid TEXT    NOT NULL, -- the compaction, or the last event before the end
  session_id TEXT    NOT NULL,
  turn_id    INTEGER NOT NULL,
  closed_by  TEXT    NOT NULL CHECK (closed_by IN ('compaction', 'end')),
  timestamp  TEXT    NOT NULL,
  project    TEXT,
  content    TEXT    NOT NULL, -- the summary
  tags       TEXT    NOT NULL, -- JSON: branch, models, tools, kinds of agents
  UNIQUE (session_id, closed_by, event_uuid)
) STRICT;
CREATE INDEX episodes_by_event ON episodes (event_uuid);
CREATE INDEX episodes_by_time ON episodes (timestamp, id);
CREATE VIRTUAL TABLE episodes_fts USING fts5 (content, tags, content = 'episodes', content_rowid = 'id', tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TRIGGER episodes_ai AFTER INSERT ON episodes BEGIN INSERT INTO episodes_fts (rowid, content, tags) VALUES (new.id, new.content, new.tags); END;
CREATE TRIGGER episodes_ad AFTER DELETE ON episodes BEGIN INSERT INTO episodes_fts (episodes_fts, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags); END;
CREATE TRIGGER episodes_au AFTER UPDATE OF content, tags ON episodes BEGIN INSERT INTO episodes_fts (episodes_fts, rowid, content, tags) VALUES ('delete', old.id, old.content, old.tags); INSERT INTO episodes_fts (rowid, content, tags) VALUES (new.id, new.content, new.tags); END;
