import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { visible, type TeamHandler } from './scope.ts'

/** Duration of each tool, failures and rejections, over its newest 2,000 results. */
export const toolPace: TeamHandler<'tools.pace'> = async (context, input) => {
  const { sql } = context
  const items = await sql<
    OperationOutput<'tools.pace'>['items']
  >`SELECT r.tool_name AS tool, count(*)::int AS timed, 0 AS upper_bounds,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY r.duration_ms) AS p50_ms,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY r.duration_ms) AS p95_ms,
      (count(*) FILTER (WHERE r.outcome = 'failed'))::int AS failed,
      (count(*) FILTER (WHERE r.outcome = 'rejected'))::int AS rejected
    FROM (SELECT e.tool_name, e.duration_ms, e.outcome, row_number() OVER (PARTITION BY e.tool_name ORDER BY e.ts DESC) AS nth
      FROM events e WHERE e.kind = 'tool_result' AND e.tool_name IS NOT NULL AND ${visible(context, 'e')}
        AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}
        AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}) r
    WHERE r.nth <= 2000 GROUP BY r.tool_name ORDER BY timed DESC, tool`
  return { items: [...items] }
}
