-- What each answer costs, so that the ledger's sums read one index; groups of blocks in the order of their tools.
CREATE TABLE new_cache_calls (
  id                INTEGER PRIMARY KEY, -- of the usage
  request_uuid      TEXT,                -- null: not captured
  session_id        TEXT    NOT NULL,
  turn_id           INTEGER NOT NULL,
  agent_id          TEXT,
  line              TEXT    NOT NULL,    -- conversation, or what a side call has in common with others
  timestamp         TEXT    NOT NULL,    -- when the request was sent
  sent_id           INTEGER,             -- the request's place in the log
  begun_at          INTEGER NOT NULL,    -- ms since 1970: the answer began
  answered_at       INTEGER,             -- the same by the upstream's clock
  monotonic         REAL,                -- ms since the run began: when the request was sent
  before_id         INTEGER,             -- the call that it was compared with
  model             TEXT    NOT NULL,
  speed             TEXT,
  message_id        TEXT,
  input_tokens      INTEGER NOT NULL,
  read_tokens       INTEGER NOT NULL,
  written_tokens    INTEGER NOT NULL,
  written_1h_tokens INTEGER NOT NULL,
  unreported        INTEGER NOT NULL,
  ttl_ms            INTEGER NOT NULL,    -- how long the API keeps what it cached last
  could_read        INTEGER NOT NULL,
  missed_tokens     INTEGER NOT NULL,
  waste_usd         REAL,                -- null: unpriced
  cost_usd          REAL,                -- of the whole answer
  kind              TEXT,                -- the cause; null: it read what it could
  place             TEXT,
  detail            TEXT,
  vendor_type       TEXT,
  vendor_tokens     INTEGER
) STRICT;
INSERT INTO new_cache_calls (
  id, request_uuid, session_id, turn_id, agent_id, line, timestamp, sent_id, begun_at, answered_at, monotonic,
  before_id, model, speed, message_id, input_tokens, read_tokens, written_tokens, written_1h_tokens, unreported,
  ttl_ms, could_read, missed_tokens, waste_usd, cost_usd, kind, place, detail, vendor_type, vendor_tokens
) SELECT
  c.id, c.request_uuid, c.session_id, c.turn_id, c.agent_id, c.line, c.timestamp, c.sent_id, c.begun_at,
  c.answered_at, c.monotonic, c.before_id, c.model, c.speed, c.message_id, c.input_tokens, c.read_tokens,
  c.written_tokens, c.written_1h_tokens, c.unreported, c.ttl_ms, c.could_read, c.missed_tokens, c.waste_usd,
  u.cost_usd, c.kind, c.place, c.detail, c.vendor_type, c.vendor_tokens
FROM cache_calls c LEFT JOIN api_usage u ON u.id = c.id;
DROP TABLE cache_calls;
ALTER TABLE new_cache_calls RENAME TO cache_calls;
CREATE INDEX cache_calls_by_line ON cache_calls (session_id, agent_id, line, id);
CREATE INDEX cache_calls_missed ON cache_calls (timestamp, id) WHERE kind IS NOT NULL;
CREATE INDEX cache_calls_by_time ON cache_calls (timestamp, could_read, read_tokens, missed_tokens, waste_usd, cost_usd, kind);
CREATE INDEX cache_calls_by_request ON cache_calls (request_uuid) WHERE request_uuid IS NOT NULL;
CREATE INDEX carry_groups_by_tool ON carry_groups (tool, event_id) WHERE turn_id IS NULL;
