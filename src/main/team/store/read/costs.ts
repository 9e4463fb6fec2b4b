import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { unsupported, visible, type ReadContext } from './scope.ts'

/** Limits an answer to days and a project. Days are UTC: `usage_daily` has nothing finer. */
function within(
  { sql }: ReadContext,
  input: { since?: string | undefined; until?: string | undefined; project?: string | undefined },
) {
  return sql`${input.since === undefined ? sql`TRUE` : sql`u.day >= (${input.since}::timestamptz AT TIME ZONE 'UTC')::date`}
    AND ${input.until === undefined ? sql`TRUE` : sql`u.day <= (${input.until}::timestamptz AT TIME ZONE 'UTC')::date`}
    AND ${input.project === undefined ? sql`TRUE` : sql`u.project = ${input.project}`}`
}

const TOKENS = 'sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_creation_tokens)::float8'

export async function costSeries(
  context: ReadContext,
  input: ParsedInput<'costs.series'>,
): Promise<OperationOutput<'costs.series'>> {
  const { sql } = context
  if (input.bucket === 'hour') throw unsupported('its costs are by day, in UTC')
  const items = await sql<OperationOutput<'costs.series'>['items']>`SELECT
      to_char(date_trunc(${input.bucket}, u.day::timestamp), 'YYYY-MM-DD') AS bucket, u.model, sum(u.cost_usd) AS cost_usd,
      sum(u.calls)::float8 AS calls, sum(u.unpriced_calls)::float8 AS unpriced_calls,
      sum(u.lower_bound_calls)::float8 AS lower_bound_calls, sum(u.input_tokens)::float8 AS input_tokens,
      sum(u.output_tokens)::float8 AS output_tokens, sum(u.cache_read_tokens)::float8 AS cache_read_tokens,
      sum(u.cache_creation_tokens)::float8 AS cache_creation_tokens
    FROM usage_daily u WHERE ${visible(context, 'u')} AND ${within(context, input)} GROUP BY 1, 2 ORDER BY 1, 2`
  return { items: [...items] }
}

export async function costBreakdown(
  context: ReadContext,
  input: ParsedInput<'costs.breakdown'>,
): Promise<OperationOutput<'costs.breakdown'>> {
  const { sql } = context
  const filter = sql`${visible(context, 'u')} AND ${within(context, input)}`
  const sums = sql.unsafe(
    `sum(u.cost_usd) AS cost_usd, ${TOKENS} AS tokens, sum(u.calls)::float8 AS calls, sum(u.unpriced_calls)::float8 AS unpriced_calls`,
  )
  type Answer = OperationOutput<'costs.breakdown'>
  const by_project = await sql<Answer['by_project']>`SELECT u.project, ${sums} FROM usage_daily u WHERE ${filter}
    GROUP BY u.project ORDER BY cost_usd DESC, u.project LIMIT ${input.limit}`
  const by_user = await sql<NonNullable<Answer['by_user']>>`SELECT m.name AS user, ${sums} FROM usage_daily u
    JOIN members m ON m.id = u.member_id WHERE ${filter} GROUP BY m.name ORDER BY cost_usd DESC, m.name LIMIT ${input.limit}`
  const by_session = await sql<Answer['by_session']>`SELECT s.session_id, s.title, nullif(s.project, '') AS project,
      to_char(s.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at, sum(e.cost_usd) AS cost_usd,
      sum(e.input_tokens + e.output_tokens + e.cache_read_tokens + e.cache_creation_tokens)::float8 AS tokens,
      count(*)::float8 AS calls
    FROM events e JOIN sessions s ON s.member_id = e.member_id AND s.session_key = e.session_key
    WHERE e.kind = 'api_usage' AND e.model IS NOT NULL AND ${visible(context, 'e')}
      AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}
      AND ${input.until === undefined ? sql`TRUE` : sql`e.ts <= ${input.until}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
    GROUP BY s.member_id, s.session_key ORDER BY cost_usd DESC NULLS LAST, s.session_id LIMIT ${input.limit}`
  const by_branch = await sql<NonNullable<Answer['by_branch']>>`SELECT coalesce(s.git_branch, '') AS branch,
      coalesce(sum(e.cost_usd), 0) AS cost_usd, count(*)::float8 AS calls
    FROM events e JOIN sessions s ON s.member_id = e.member_id AND s.session_key = e.session_key
    WHERE e.kind = 'api_usage' AND e.model IS NOT NULL AND ${visible(context, 'e')}
      AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}
      AND ${input.until === undefined ? sql`TRUE` : sql`e.ts <= ${input.until}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
    GROUP BY 1 ORDER BY cost_usd DESC, branch LIMIT ${input.limit}`
  const by_client = await sql<Answer['by_client']>`SELECT s.client,
      count(DISTINCT (s.member_id, s.session_key))::float8 AS sessions, coalesce(sum(e.cost_usd), 0) AS cost_usd,
      sum(e.input_tokens + e.output_tokens + e.cache_read_tokens + e.cache_creation_tokens)::float8 AS tokens,
      (count(*) - count(e.cost_usd))::float8 AS unpriced_calls
    FROM events e JOIN sessions s ON s.member_id = e.member_id AND s.session_key = e.session_key
    WHERE e.kind = 'api_usage' AND e.model IS NOT NULL AND ${visible(context, 'e')}
      AND ${input.since === undefined ? sql`TRUE` : sql`e.ts >= ${input.since}`}
      AND ${input.until === undefined ? sql`TRUE` : sql`e.ts <= ${input.until}`}
      AND ${input.project === undefined ? sql`TRUE` : sql`e.project = ${input.project}`}
    GROUP BY 1 ORDER BY cost_usd DESC, client`
  const [cache] = await sql<{ read_tokens: number; written_tokens: number }[]>`SELECT
    coalesce(sum(u.cache_read_tokens), 0)::float8 AS read_tokens, coalesce(sum(u.cache_creation_tokens), 0)::float8 AS written_tokens
    FROM usage_daily u WHERE ${filter}`
  return {
    by_project: [...by_project],
    by_session: by_session.map((row) => ({ ...row, cost_usd: row.cost_usd ?? 0 })),
    by_client: [...by_client],
    by_user: [...by_user],
    by_branch: [...by_branch],
    // Savings need the prices of the laptop's list; the store keeps what was computed from them, no prices.
    cache: {
      saved_usd: 0,
      read_tokens: cache?.read_tokens ?? 0,
      written_tokens: cache?.written_tokens ?? 0,
      unpriced_models: [],
    },
  }
}
