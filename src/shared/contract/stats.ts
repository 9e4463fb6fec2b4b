import { z } from 'zod'
import { client, cursor, flag, limit, list, ofSession, project, scope, since, tz, until, userId } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { spend, unpriced } from './spend.ts'

export const modelTotals = z.object({
  model: z.string(),
  tokens: z.number(),
  cost_usd: z.number().nullable(),
  calls: z.number(),
})
export const toolTotals = z.object({
  tool: z.string(),
  calls: z.number(),
  avg_duration_ms: z.number().nullable(),
  /** null if no result reports it. */
  success_rate: z.number().nullable(),
  /** Failed calls, without those that a person rejected or interrupted. */
  failed: z.number(),
  rejected: z.number(),
})
export const clientTotals = z.object({
  client: z.string(),
  sessions: z.number(),
  prompts: z.number(),
  tokens: z.number(),
  ...spend,
  tool_calls: z.number(),
  api_errors: z.number(),
  failed_tools: z.number(),
})

export const summary = z.object({
  total_sessions: z.number(),
  total_tokens: z.number(),
  total_cost_usd: z.number(),
  ...unpriced,
  total_tool_calls: z.number(),
  total_thinking_blocks: z.number(),
  total_prompts: z.number(),
  total_api_errors: z.number(),
  total_failed_tools: z.number(),
  total_duration_ms: z.number(),
  first_session: z.string().nullable(),
  last_session: z.string().nullable(),
  by_model: z.array(modelTotals),
  by_tool: z.array(toolTotals),
  /** Whole sessions that were active in the time range, most sessions first. */
  by_client: z.array(clientTotals),
  /** Tokens, cost and prompts include transcripts that are being imported. */
  preview: z.literal(true).optional(),
})
export type Summary = z.infer<typeof summary>

export const statsSummary = operation({
  name: 'stats.summary',
  summary: 'Totals of everything recorded: sessions, tokens, cost, tools, by model and by tool.',
  http: { method: 'GET', path: '/api/lifestats/summary' },
  input: z.object({ since, until, tz, project }),
  output: summary,
  mcp: mcpTools.lifetimeStats,
})

const latency = z.object({
  calls: z.number(),
  avg_ttft_ms: z.number().nullable(),
  p50_duration_ms: z.number().nullable(),
  p95_duration_ms: z.number().nullable(),
  avg_duration_ms: z.number().nullable(),
})

/** An API call in lists. */
export const apiCall = z.object({
  id: z.number(),
  uuid: z.string(),
  session_id: z.string(),
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  timestamp: z.string(),
  model: z.string(),
  input_tokens: z.number(),
  output_tokens: z.number(),
  /** Part of the output; null if not reported. */
  thinking_tokens: z.number().nullable(),
  cache_read_tokens: z.number(),
  cache_creation_tokens: z.number(),
  cost_usd: z.number().nullable(),
  /** As the response names it: standard, priority, batch. */
  service_tier: z.string().nullable(),
  /**
   * assumed_list: at list price, because the tier's own price is not known. Null if unpriced, or not rebuilt since this
   * field was added.
   */
  price_basis: z.enum(['list', 'batch', 'tier', 'assumed_list', 'client']).nullable(),
  ttft_ms: z.number().nullable(),
  duration_ms: z.number().nullable(),
})

export const analytics = operation({
  name: 'stats.analytics',
  summary: 'Totals with latency, by model and by turn, and the last 100 calls, of a session or a time span.',
  http: { method: 'GET', path: '/api/lifestats/analytics' },
  input: z.object({ session_id: ofSession, since, tz }),
  output: z.object({
    totals: latency.extend({
      tokens: z.number(),
      /** Only for calls that report them. */
      thinking_tokens: z.number(),
      ...spend,
    }),
    by_model: z.array(
      latency.extend({
        model: z.string(),
        tokens: z.number(),
        thinking_tokens: z.number(),
        cost_usd: z.number().nullable(),
      }),
    ),
    by_turn: z.array(
      z.object({
        session_id: z.string(),
        turn_id: z.number(),
        calls: z.number(),
        tokens: z.number(),
        cost_usd: z.number().nullable(),
        duration_ms: z.number(),
      }),
    ),
    calls: z.array(apiCall),
    /** True if there are more than 10,000 calls: latency, thinking and turns are then those of the newest. */
    partial: z.boolean(),
  }),
})

export const slowest = operation({
  name: 'stats.slowest',
  summary: 'The slowest events of any kind, or tool calls.',
  http: { method: 'GET', path: '/api/lifestats/slowest' },
  input: z.object({
    by: z
      .enum(['tool', 'kind'])
      .default('tool')
      .describe('List tool calls, or group events by kind: count, mean, p95, max'),
    session_id: ofSession,
    project,
    since,
    tz,
    limit: limit(20),
  }),
  output: list(
    z.object({
      uuid: z.string(),
      session_id: z.string(),
      user_id: userId,
      turn_id: z.number(),
      timestamp: z.string(),
      /** The kind of event, or the tool. */
      name: z.string(),
      duration_ms: z.number(),
      /** True if it is the time from a call to its result, which no source measured: waiting for permission counts. */
      upper_bound: z.boolean(),
      success: z.boolean().nullable(),
      text: z.string(),
    }),
  ).extend({
    /** With `by=kind`: the timed events by kind, the longest in total first. */
    groups: z
      .array(
        z.object({
          kind: z.string(),
          count: z.number(),
          mean_ms: z.number(),
          p95_ms: z.number(),
          max_ms: z.number(),
        }),
      )
      .optional(),
  }),
})

export const errorsList = operation({
  name: 'errors.list',
  summary: 'Errors, newest first, and requests that the guard stopped: those count as no failure.',
  http: { method: 'GET', path: '/api/lifestats/errors' },
  input: z.object({
    query: z.string().max(2000).optional().describe('Only errors that contain these words'),
    ...scope,
    client,
    /** Their origin is `tool`. */
    tools: flag(false).describe('Also list failed tool calls'),
    limit: limit(20),
    cursor: cursor.optional(),
  }),
  output: list(
    z.object({
      id: z.number(),
      uuid: z.string(),
      session_id: z.string(),
      user_id: userId,
      turn_id: z.number(),
      timestamp: z.string(),
      /** `upstream`, `stream`, `connection`, `client`; `capture` is an error of Aspy, `tool` a failed tool call, and `guard` a decision of it. */
      origin: z.string(),
      /** The type that the API names, or the tool. */
      type: z.string().nullable(),
      status: z.number().nullable(),
      content: z.string(),
    }),
  ),
})
