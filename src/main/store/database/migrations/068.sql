-- The counts of rollups by day: a summary reads a day's rows in place of its 96 quarter hours.
CREATE TABLE day_rollups (
  day                   TEXT    NOT NULL, -- 2026-11-21
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
  PRIMARY KEY (day, project, model)
) STRICT, WITHOUT ROWID;
INSERT INTO day_rollups (day, project, model, calls, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens,
  cost_usd, unpriced_calls, lower_bound_calls, prompts, tool_calls, thinking_blocks, errors, api_errors, failed_tools)
SELECT substr(quarter, 1, 10), project, model, sum(calls), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
  sum(cache_creation_tokens), sum(cost_usd), sum(unpriced_calls), sum(lower_bound_calls), sum(prompts), sum(tool_calls),
  sum(thinking_blocks), sum(errors), sum(api_errors), sum(failed_tools)
FROM rollups GROUP BY 1, 2, 3;
