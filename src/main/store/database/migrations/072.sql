-- Rows that count nothing any more are removed from this version on.
DELETE FROM rollups WHERE calls = 0 AND input_tokens = 0 AND output_tokens = 0 AND cache_read_tokens = 0 AND
  cache_creation_tokens = 0 AND unpriced_calls = 0 AND lower_bound_calls = 0 AND prompts = 0 AND tool_calls = 0 AND
  thinking_blocks = 0 AND errors = 0 AND api_errors = 0 AND failed_tools = 0;
DELETE FROM day_rollups WHERE calls = 0 AND input_tokens = 0 AND output_tokens = 0 AND cache_read_tokens = 0 AND
  cache_creation_tokens = 0 AND unpriced_calls = 0 AND lower_bound_calls = 0 AND prompts = 0 AND tool_calls = 0 AND
  thinking_blocks = 0 AND errors = 0 AND api_errors = 0 AND failed_tools = 0;
DELETE FROM tool_rollups WHERE calls = 0 AND succeeded = 0 AND failed = 0 AND timed = 0 AND rejected = 0;

-- The counts of rollups and of tool_rollups over all time: a summary of a long history reads a few rows in place of its days.
CREATE TABLE model_totals (
  project               TEXT    NOT NULL, -- '' where unknown
  model                 TEXT    NOT NULL, -- '' for rows without a model
  calls                 INTEGER NOT NULL DEFAULT 0,
  input_tokens          INTEGER NOT NULL DEFAULT 0,
  output_tokens         INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens     INTEGER NOT NULL DEFAULT 0,
  cache_creation_tokens INTEGER NOT NULL DEFAULT 0,
  cost_usd              REAL    NOT NULL DEFAULT 0,
  unpriced_calls        INTEGER NOT NULL DEFAULT 0,
  lower_bound_calls     INTEGER NOT NULL DEFAULT 0,
  prompts               INTEGER NOT NULL DEFAULT 0,
  tool_calls            INTEGER NOT NULL DEFAULT 0,
  thinking_blocks       INTEGER NOT NULL DEFAULT 0,
  errors                INTEGER NOT NULL DEFAULT 0, api_errors INTEGER NOT NULL DEFAULT 0, failed_tools INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, model)
) STRICT, WITHOUT ROWID;
INSERT INTO model_totals (project, model, calls, input_tokens, output_tokens, cache_read_tokens,
  cache_creation_tokens, cost_usd, unpriced_calls, lower_bound_calls, prompts, tool_calls, thinking_blocks, errors,
  api_errors, failed_tools)
SELECT project, model, sum(calls), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
  sum(cache_creation_tokens), sum(cost_usd), sum(unpriced_calls), sum(lower_bound_calls), sum(prompts),
  sum(tool_calls), sum(thinking_blocks), sum(errors), sum(api_errors), sum(failed_tools)
FROM day_rollups GROUP BY 1, 2;
CREATE TABLE tool_totals (
  project     TEXT    NOT NULL, -- '' where unknown
  tool_name   TEXT    NOT NULL,
  calls       INTEGER NOT NULL DEFAULT 0,
  succeeded   INTEGER NOT NULL DEFAULT 0,
  failed      INTEGER NOT NULL DEFAULT 0,
  timed       INTEGER NOT NULL DEFAULT 0, -- results with a duration
  duration_ms REAL    NOT NULL DEFAULT 0, -- their total
  rejected    INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (project, tool_name)
) STRICT, WITHOUT ROWID;
INSERT INTO tool_totals (project, tool_name, calls, succeeded, failed, timed, duration_ms, rejected)
SELECT project, tool_name, sum(calls), sum(succeeded), sum(failed), sum(timed), sum(duration_ms), sum(rejected)
FROM tool_rollups GROUP BY 1, 2;

-- Totals by client read this index instead of the rows of sessions.
DROP INDEX sessions_by_client;
CREATE INDEX sessions_by_client ON sessions (client, started_at, id, prompts, total_tokens, total_cost_usd,
  unpriced_calls, tool_calls, thinking_blocks, errors, api_errors, failed_tools, active_ms, time_basis);
