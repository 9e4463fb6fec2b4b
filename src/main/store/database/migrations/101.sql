-- Written by `npm run schema` from the declarations in src/main/store/schema. Never edit it once it is on main.

CREATE TABLE answers_in_progress (
  exchange_id TEXT    PRIMARY KEY,
  session_id  TEXT    NOT NULL,
  pid         INTEGER NOT NULL, -- of the app that records the answer
  started_at  REAL    NOT NULL, -- when that app started, ms since the epoch
  drafts      TEXT    NOT NULL  -- JSON, redacted: what the answer would be if it ended now
) STRICT;
