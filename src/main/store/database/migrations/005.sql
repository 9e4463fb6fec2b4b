-- Turns, agents, tasks and the account's limits.

-- Models without a price; normally none.
CREATE INDEX rollups_unpriced ON rollups (model) WHERE unpriced_calls > 0;

CREATE TABLE turns (
  session_id     TEXT    NOT NULL,
  turn_id        INTEGER NOT NULL,
  prompt_uuid    TEXT,
  started_at     TEXT    NOT NULL,
  last_event_at  TEXT    NOT NULL,
  ended_at       TEXT,             -- the last word that it is over; null: none came
  events         INTEGER NOT NULL DEFAULT 0,
  requests       INTEGER NOT NULL DEFAULT 0,
  tool_calls     INTEGER NOT NULL DEFAULT 0,
  errors         INTEGER NOT NULL DEFAULT 0,
  calls          INTEGER NOT NULL DEFAULT 0, -- responses with usage
  tokens         INTEGER NOT NULL DEFAULT 0,
  cost_usd       REAL    NOT NULL DEFAULT 0,
  unpriced_calls INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (session_id, turn_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE agents (
  session_id      TEXT NOT NULL,
  agent_id        TEXT NOT NULL,
  agent_type      TEXT,
  parent_agent_id TEXT,
  call_id         TEXT,    -- the call that started it
  turn_id         INTEGER NOT NULL,
  started_at      TEXT,
  ended_at        TEXT,    -- null: still at work, or its end was not reported
  success         INTEGER,
  PRIMARY KEY (session_id, agent_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agents_by_call ON agents (call_id) WHERE call_id IS NOT NULL;

CREATE TABLE tasks (
  session_id TEXT NOT NULL,
  agent_id   TEXT NOT NULL, -- '' for the main agent: each agent has its own list
  task_id    TEXT NOT NULL,
  subject    TEXT NOT NULL,
  status     TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  event_uuid TEXT NOT NULL, -- the update that the status comes from
  PRIMARY KEY (session_id, agent_id, task_id)
) STRICT, WITHOUT ROWID;

-- One row per response whose headers report limits; a limit that it did not report is null.
CREATE TABLE rate_limits (
  id                    INTEGER PRIMARY KEY,
  event_uuid            TEXT    NOT NULL UNIQUE,
  session_id            TEXT    NOT NULL,
  timestamp             TEXT    NOT NULL,
  requests_limit        REAL,
  requests_remaining    REAL,
  tokens_limit          REAL,
  tokens_remaining      REAL,
  input_tokens_limit     REAL,
  input_tokens_remaining REAL,
  output_tokens_limit     REAL,
  output_tokens_remaining REAL,
  unified_status        TEXT,
  claim                 TEXT,   -- the window that binds (representative-claim)
  five_hour_used        REAL,   -- share of the limit, 0 to 1
  five_hour_resets_at   TEXT,
  seven_day_used        REAL,
  seven_day_resets_at   TEXT
) STRICT;
CREATE INDEX rate_limits_by_time ON rate_limits (timestamp, id);
