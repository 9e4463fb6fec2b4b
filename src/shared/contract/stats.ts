import { z } from 'zod'
import { cursor, limit, list, moment, scope, sessionId } from './fields.ts'
import { operation } from './operation.ts'

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
  /** null: no result says. */
  success_rate: z.number().nullable(),
})

export const summary = z.object({
  total_sessions: z.number(),
  total_tokens: z.number(),
  total_cost_usd: z.number(),
  unpriced_calls: z.number(),
  total_tool_calls: z.number(),
  total_thinking_blocks: z.number(),
  total_prompts: z.number(),
  total_duration_ms: z.number(),
  first_session: z.string().nullable(),
  last_session: z.string().nullable(),
  by_model: z.array(modelTotals),
  by_tool: z.array(toolTotals),
})
export type Summary = z.infer<typeof summary>

export const statsSummary = operation({
  name: 'stats.summary',
  summary: 'Totals of all that was recorded: sessions, tokens, cost, tools, by model and by tool.',
  http: { method: 'GET', path: '/api/lifestats/summary' },
  input: z.object({ since: moment.optional(), until: moment.optional(), project: z.string().optional() }),
  output: summary,
})

export const costSeries = operation({
  name: 'costs.series',
  summary: 'Cost and tokens by time bucket and model, for charts.',
  input: z.object({
    since: moment.optional(),
    until: moment.optional(),
    project: z.string().optional(),
    bucket: z.enum(['hour', 'day', 'week', 'month']).default('day'),
    /** Minutes east of UTC of the viewer, so that days are the viewer's. */
    utc_offset_minutes: z.coerce.number().int().min(-900).max(900).default(0),
  }),
  output: z.object({
    items: z.array(
      z.object({
        bucket: z.string(),
        model: z.string(),
        cost_usd: z.number(),
        calls: z.number(),
        unpriced_calls: z.number(),
        lower_bound_calls: z.number(),
        input_tokens: z.number(),
        output_tokens: z.number(),
        cache_read_tokens: z.number(),
        cache_creation_tokens: z.number(),
      }),
    ),
  }),
})

export const toolsList = operation({
  name: 'tools.list',
  summary: 'Tool calls, newest first.',
  http: { method: 'GET', path: '/api/lifestats/tools' },
  input: z.object({
    tool_name: z.string().optional(),
    session_id: sessionId.optional(),
    limit: limit(20),
    cursor: cursor.optional(),
  }),
  output: list(
    z.object({
      id: z.number(),
      uuid: z.string(),
      session_id: z.string(),
      turn_id: z.number(),
      timestamp: z.string(),
      tool_name: z.string(),
      /** First 200 characters of the input. */
      input_summary: z.string(),
      duration_ms: z.number().nullable(),
      success: z.boolean().nullable(),
    }),
  ),
})

export const errorsList = operation({
  name: 'errors.list',
  summary: 'Errors, newest first.',
  http: { method: 'GET', path: '/api/lifestats/errors' },
  input: z.object({ query: z.string().max(2000).optional(), ...scope, limit: limit(20), cursor: cursor.optional() }),
  output: list(
    z.object({
      id: z.number(),
      uuid: z.string(),
      session_id: z.string(),
      turn_id: z.number(),
      timestamp: z.string(),
      origin: z.string(),
      type: z.string().nullable(),
      status: z.number().nullable(),
      content: z.string(),
    }),
  ),
})
