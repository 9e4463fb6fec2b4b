-- Life cost. A rebuild fills it for what was recorded before.
CREATE TABLE carry_lines (
  line_id        INTEGER PRIMARY KEY, -- the usage of its first request
  session_id     TEXT    NOT NULL,
  agent_id       TEXT,
  line           TEXT    NOT NULL,    -- as in cache_calls
  request_uuid   TEXT    NOT NULL,    -- its last request
  first_at       INTEGER NOT NULL,    -- ms since 1970
  last_at        INTEGER NOT NULL,
  cached_blocks  INTEGER NOT NULL,    -- of that request: those read and written
  cached_tokens  INTEGER NOT NULL,
  requests       INTEGER NOT NULL,
  read_tokens    REAL    NOT NULL,    -- sums for each token that was read in all its requests
  read_usd       REAL    NOT NULL
) STRICT;
CREATE TABLE carry_calls (
  event_id            INTEGER PRIMARY KEY, -- the usage
  line_id             INTEGER,             -- null: the blocks are not known
  number              INTEGER,             -- counts from 1 in its line
  sent_at             INTEGER NOT NULL,    -- ms since 1970
  input_tokens        INTEGER NOT NULL,    -- all classes
  input_usd           REAL,                -- null: unpriced
  rest_tokens         REAL    NOT NULL,    -- of no block
  rest_usd            REAL    NOT NULL,
  reason              TEXT,                -- why its blocks are not known
  kept                INTEGER,             -- blocks at its beginning that are those of the request before
  read_end            INTEGER,             -- blocks that were read, up to here; then written for an hour
  written_1h_end      INTEGER,             -- then for five minutes
  cached_end          INTEGER,             -- then uncached
  read_tokens         REAL,                -- for each token of a block: of the API's count, and USD
  read_usd            REAL,
  written_1h_tokens   REAL,
  written_1h_usd      REAL,
  written_5m_tokens   REAL,
  written_5m_usd      REAL,
  uncached_tokens     REAL,
  uncached_usd        REAL
) STRICT;
CREATE TABLE carried (
  event_id     INTEGER NOT NULL, -- the usage of the request in which it entered
  position     INTEGER NOT NULL, -- among the blocks of that request
  line_id      INTEGER NOT NULL,
  group_number INTEGER NOT NULL, -- what it is: in carry_groups
  turn_number  INTEGER NOT NULL, -- the turn in which it entered: in carry_groups
  bytes        INTEGER,
  tokens       REAL    NOT NULL,
  first        INTEGER NOT NULL, -- numbers of requests
  last         INTEGER,          -- null: to the end of the line
  PRIMARY KEY (event_id, position)
) STRICT;
CREATE TABLE carry_groups (
  event_id        INTEGER NOT NULL, -- the line
  number          INTEGER NOT NULL,
  turn_id         INTEGER,          -- a group of all that entered in a turn, or of a kind:
  kind            TEXT,
  tool            TEXT,
  server          TEXT,
  name            TEXT,             -- a file, or the name of a skill
  blocks          INTEGER NOT NULL, -- all that entered
  bytes           INTEGER NOT NULL,
  open_tokens     REAL    NOT NULL, -- of blocks that are still carried; they read these times the sums of the line
  open_blocks     INTEGER NOT NULL, -- and were carried by its requests
  requests        INTEGER NOT NULL, -- added to it; may be negative
  read_tokens     REAL    NOT NULL,
  read_usd        REAL    NOT NULL,
  written_tokens  REAL    NOT NULL,
  written_usd     REAL    NOT NULL,
  uncached_tokens REAL    NOT NULL,
  uncached_usd    REAL    NOT NULL,
  PRIMARY KEY (event_id, number)
) STRICT;
CREATE INDEX carry_lines_by_session ON carry_lines (session_id, agent_id, line);
CREATE INDEX carry_calls_by_line ON carry_calls (line_id, number, sent_at);
CREATE INDEX carried_by_line ON carried (line_id, first, position);
CREATE INDEX carry_calls_by_time ON carry_calls (sent_at, input_tokens, input_usd);
CREATE INDEX carry_calls_unknown ON carry_calls (sent_at) WHERE reason IS NOT NULL;
