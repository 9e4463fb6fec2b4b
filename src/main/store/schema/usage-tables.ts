import { defineTable, projection, redacted, type SumColumns } from './define-table.ts'
import { UNPRICED, withoutPrice } from '../../../shared/spend.ts'

/** The columns after the time, of all sums by project and model. */
const BY_MODEL = {
  project: redacted("TEXT NOT NULL -- '' where unknown"),
  model: redacted("TEXT NOT NULL -- '' for rows without a model"),
  calls: 'INTEGER NOT NULL DEFAULT 0',
  input_tokens: 'INTEGER NOT NULL DEFAULT 0',
  output_tokens: 'INTEGER NOT NULL DEFAULT 0',
  cache_read_tokens: 'INTEGER NOT NULL DEFAULT 0',
  cache_creation_tokens: 'INTEGER NOT NULL DEFAULT 0',
  cost_usd: 'REAL NOT NULL DEFAULT 0',
  ...withoutPrice('INTEGER NOT NULL DEFAULT 0'),
  lower_bound_calls: 'INTEGER NOT NULL DEFAULT 0',
  prompts: 'INTEGER NOT NULL DEFAULT 0',
  tool_calls: 'INTEGER NOT NULL DEFAULT 0',
  thinking_blocks: 'INTEGER NOT NULL DEFAULT 0',
  errors: 'INTEGER NOT NULL DEFAULT 0',
  api_errors: 'INTEGER NOT NULL DEFAULT 0',
  failed_tools: 'INTEGER NOT NULL DEFAULT 0',
} as const

/** The columns after the time, of all sums by project and tool. */
const BY_TOOL = {
  project: redacted("TEXT NOT NULL -- '' where unknown"),
  tool_name: redacted('TEXT NOT NULL'),
  calls: 'INTEGER NOT NULL DEFAULT 0',
  succeeded: 'INTEGER NOT NULL DEFAULT 0',
  failed: 'INTEGER NOT NULL DEFAULT 0',
  timed: 'INTEGER NOT NULL DEFAULT 0 -- results with a duration',
  duration_ms: 'REAL NOT NULL DEFAULT 0 -- their total',
  rejected: 'INTEGER NOT NULL DEFAULT 0',
} as const

/** Columns that later reports of a response can correct. */
export const SETTLED_USAGE = {
  model: redacted('TEXT NOT NULL'),
  input_tokens: 'INTEGER NOT NULL',
  output_tokens: 'INTEGER NOT NULL',
  thinking_tokens: 'INTEGER',
  cache_read_tokens: 'INTEGER NOT NULL',
  cache_creation_tokens: 'INTEGER NOT NULL -- all',
  cache_creation_1h_tokens: 'INTEGER NOT NULL -- the part of it that is kept for an hour',
  web_search_requests: 'INTEGER NOT NULL DEFAULT 0',
  speed: redacted('TEXT'),
  inference_geo: redacted('TEXT'),
  cost_usd: 'REAL -- null: unpriced',
  basis: "TEXT NOT NULL CHECK (basis IN ('measured', 'lower_bound'))",
  request_kind: redacted('TEXT'),
  ttft_ms: 'REAL',
  duration_ms: 'REAL',
  service_tier: redacted('TEXT'),
  price_basis: 'TEXT',
  context_tokens: 'INTEGER -- input of the last sampling; null if there was only one',
} as const

export const usageTables = {
  api_usage: defineTable({
    ...projection('api_usage', 'session_id'),
    eventId: 'id',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      event_uuid: 'TEXT NOT NULL',
      session_id: 'TEXT NOT NULL',
      turn_id: 'INTEGER NOT NULL',
      agent_id: 'TEXT',
      timestamp: 'TEXT NOT NULL',
      ...SETTLED_USAGE,
    },
    indexes: { api_usage_by_session: '(session_id, turn_id, id)' },
  }),
  ancestry: defineTable({
    ...projection('lineage', 'event_id'),
    eventId: 'event_id',
    columns: {
      event_id: 'INTEGER PRIMARY KEY',
      parent_id: 'INTEGER',
      root_id: 'INTEGER NOT NULL',
      depth: 'INTEGER NOT NULL',
      cut: 'INTEGER NOT NULL DEFAULT 0 -- 1: its parent would close a cycle and is left out',
      missing_parent: 'TEXT -- uuid of a named parent that is not in the log',
    },
    indexes: {
      ancestry_by_parent: '(parent_id) WHERE parent_id IS NOT NULL',
      ancestry_cut: '(event_id) WHERE cut = 1',
      ancestry_missing: '(missing_parent) WHERE missing_parent IS NOT NULL',
    },
  }),
  rollups: defineTable({
    ...projection('rollups', null),
    columns: {
      quarter: 'TEXT NOT NULL -- 2026-11-21T10:15',
      ...BY_MODEL,
    },
    key: ['quarter', 'project', 'model'],
    withoutRowid: true,
    sums: true,
    indexes: { rollups_unpriced: `(model) WHERE ${UNPRICED} > 0` },
  }),
  day_rollups: defineTable({
    ...projection('rollups', null),
    columns: {
      day: 'TEXT NOT NULL -- 2026-11-21',
      ...BY_MODEL,
    },
    key: ['day', 'project', 'model'],
    withoutRowid: true,
    sums: true,
  }),
  model_totals: defineTable({
    ...projection('rollups', null),
    columns: { ...BY_MODEL },
    key: ['project', 'model'],
    withoutRowid: true,
    sums: true,
  }),
  event_counts: defineTable({
    ...projection('event_counts', null),
    columns: {
      kind: 'TEXT NOT NULL',
      events: 'INTEGER NOT NULL DEFAULT 0',
    },
    key: ['kind'],
    withoutRowid: true,
    sums: true,
  }),
  tool_rollups: defineTable({
    ...projection('tool_rollups', null),
    columns: {
      day: 'TEXT NOT NULL -- UTC',
      ...BY_TOOL,
    },
    key: ['day', 'project', 'tool_name'],
    withoutRowid: true,
    sums: true,
  }),
  tool_totals: defineTable({
    ...projection('tool_rollups', null),
    columns: { ...BY_TOOL },
    key: ['project', 'tool_name'],
    withoutRowid: true,
    sums: true,
  }),
  rate_limits: defineTable({
    ...projection('rate_limits', 'session_id'),
    eventId: 'id',
    columns: {
      id: 'INTEGER PRIMARY KEY',
      event_uuid: 'TEXT NOT NULL',
      session_id: 'TEXT NOT NULL',
      timestamp: 'TEXT NOT NULL',
      requests_limit: 'REAL',
      requests_remaining: 'REAL',
      tokens_limit: 'REAL',
      tokens_remaining: 'REAL',
      input_tokens_limit: 'REAL',
      input_tokens_remaining: 'REAL',
      output_tokens_limit: 'REAL',
      output_tokens_remaining: 'REAL',
      unified_status: redacted('TEXT'),
      claim: redacted('TEXT -- the window that binds (representative-claim)'),
      five_hour_used: 'REAL -- share of the limit, 0 to 1',
      five_hour_resets_at: 'TEXT',
      seven_day_used: 'REAL',
      seven_day_resets_at: 'TEXT',
    },
    indexes: { rate_limits_by_time: '(timestamp, id)' },
  }),
}

type SumOf<T extends { readonly sums: SumColumns }> = T['sums']['counts'][number]
/** A column that the tables of sums by model add up. */
export type RollupSum = SumOf<typeof usageTables.rollups>
/** A column that the tables of sums by tool add up. */
export type ToolSum = SumOf<typeof usageTables.tool_rollups>
