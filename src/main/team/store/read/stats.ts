import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { ONLY_TRAFFIC } from '../../../listings/sessions.ts'
import { listPage } from './list-page.ts'
import { toTool, TOOLS } from '../../../listings/tools.ts'
import { inRange, visible, type ReadContext, type TeamHandler } from './scope.ts'
import { formatEvent } from '../../../../shared/event-text.ts'
import { UNPRICED_OF_SUMS, withoutPrice } from '../../../../shared/spend.ts'

type Summary = OperationOutput<'stats.summary'>

/** Totals over sessions that were active in the range; with tokens and cost from the calls of its days. */
export async function summary(context: ReadContext, input: ParsedInput<'stats.summary'>): Promise<Summary> {
  const { sql } = context
  const { since, until, project } = input
  const calls = sql`e.kind = 'api_usage' AND e.model IS NOT NULL AND ${visible(context, 'e')} AND ${inRange(context, 'e.ts', input)}`
  const tokens = sql.unsafe(
    'coalesce(sum(e.input_tokens + e.output_tokens + e.cache_read_tokens + e.cache_creation_tokens), 0)::float8',
  )
  const [sums] = await sql<{ tokens: number; cost: number; unpriced: number }[]>`SELECT ${tokens} AS tokens,
    coalesce(sum(e.cost_usd), 0) AS cost, count(*) FILTER (WHERE e.cost_usd IS NULL)::float8 AS unpriced FROM events e WHERE ${calls}`
  const byModel = await sql<Summary['by_model']>`SELECT e.model, ${tokens} AS tokens, sum(e.cost_usd) AS cost_usd,
    count(*)::float8 AS calls FROM events e WHERE ${calls} GROUP BY e.model ORDER BY cost_usd DESC NULLS LAST, e.model`
  const byTool = await sql<Summary['by_tool']>`SELECT e.tool_name AS tool,
      count(*) FILTER (WHERE e.kind = 'tool_call')::float8 AS calls,
      avg(e.duration_ms) FILTER (WHERE e.kind = 'tool_result') AS avg_duration_ms,
      avg((e.outcome = 'ok')::int) FILTER (WHERE e.kind = 'tool_result' AND e.outcome <> 'rejected')::float8 AS success_rate,
      count(*) FILTER (WHERE e.outcome = 'failed')::float8 AS failed, count(*) FILTER (WHERE e.outcome = 'rejected')::float8 AS rejected
    FROM events e WHERE e.kind IN ('tool_call', 'tool_result') AND e.tool_name IS NOT NULL AND ${visible(context, 'e')} AND ${inRange(context, 'e.ts', input)}
    GROUP BY e.tool_name ORDER BY calls DESC, e.tool_name LIMIT 100`
  const sessions = sql`s.started_at IS NOT NULL AND NOT ${sql.unsafe(ONLY_TRAFFIC.team)} AND ${visible(context, 's')}
    AND ${since === undefined ? sql`TRUE` : sql`s.last_event_at >= ${since}`}
    AND ${until === undefined ? sql`TRUE` : sql`s.started_at < ${until}`}
    AND ${project === undefined ? sql`TRUE` : sql`s.project = ${project}`}`
  const byClient = await sql<
    Summary['by_client']
  >`SELECT s.client, count(*)::float8 AS sessions, sum(s.prompts)::float8 AS prompts,
      sum(s.total_tokens)::float8 AS tokens, sum(s.total_cost_usd) AS cost_usd, ${sql.unsafe(UNPRICED_OF_SUMS)},
      sum(s.tool_calls)::float8 AS tool_calls, sum(s.api_errors)::float8 AS api_errors, sum(s.failed_tools)::float8 AS failed_tools
    FROM sessions s WHERE ${sessions} GROUP BY s.client ORDER BY sessions DESC, s.client`
  const [all] = await sql<{ thinking: number; active: number; first: Date | null; last: Date | null }[]>`SELECT
      coalesce(sum(s.thinking_blocks), 0)::float8 AS thinking, coalesce(sum(s.active_ms), 0) AS active,
      min(s.started_at) AS first, max(s.started_at) AS last FROM sessions s WHERE ${sessions}`
  const total = (of: (row: Summary['by_client'][number]) => number) => byClient.reduce((sum, row) => sum + of(row), 0)
  return {
    total_sessions: total((row) => row.sessions),
    total_tokens: sums?.tokens ?? 0,
    total_cost_usd: sums?.cost ?? 0,
    ...withoutPrice(sums?.unpriced ?? 0),
    total_tool_calls: total((row) => row.tool_calls),
    total_thinking_blocks: all?.thinking ?? 0,
    total_prompts: total((row) => row.prompts),
    total_api_errors: total((row) => row.api_errors),
    total_failed_tools: total((row) => row.failed_tools),
    total_duration_ms: all?.active ?? 0,
    first_session: all?.first?.toISOString() ?? null,
    last_session: all?.last?.toISOString() ?? null,
    by_model: [...byModel],
    by_tool: [...byTool],
    by_client: [...byClient],
  }
}

/** Tool calls, newest first, each with the outcome of its result. Inputs are those of calls sent in full. */
export const listTools: TeamHandler<'tools.list'> = async (context, { tool, ...input }) => {
  const of = { ...input, tool_name: input.tool_name ?? tool }
  const { items, next } = await listPage(context, TOOLS.ofAll, of, {
    operation: 'tools.list',
    hasText: ({ input_summary: summary }) => summary !== '',
  })
  return { items: items.map((row) => ({ ...toTool(row), input_summary: summaryOf(row.input_summary) })), next }
}

const summaryOf = (json: string): string => (json === '' ? '' : formatEvent('tool_call', { input: JSON.parse(json) }))
