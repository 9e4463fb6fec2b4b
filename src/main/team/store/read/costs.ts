import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { inRange, unsupported, visible, type Owned, type ReadContext, type TeamHandler, type Range } from './scope.ts'
import { UNPRICED, UNPRICED_OF_CALLS, UNPRICED_OF_SUMS } from '../../../../shared/spend.ts'

type Answer = OperationOutput<'costs.breakdown'>

/** Limits an answer to days and a project. Days are UTC: `usage_daily` has nothing finer. */
function within({ sql }: ReadContext, input: Range) {
  return sql`${input.since === undefined ? sql`TRUE` : sql`u.day >= (${input.since}::timestamptz AT TIME ZONE 'UTC')::date`}
    AND ${input.until === undefined ? sql`TRUE` : sql`u.day < ${input.until}::timestamptz AT TIME ZONE 'UTC'`}
    AND ${input.project === undefined ? sql`TRUE` : sql`u.project = ${input.project}`}`
}

const TOKENS = 'sum(u.input_tokens + u.output_tokens + u.cache_read_tokens + u.cache_creation_tokens)::float8'

export const costSeries: TeamHandler<'costs.series'> = async (context, input) => {
  const { sql } = context
  if (input.bucket === 'hour') throw unsupported('its costs are by day, in UTC')
  const items = await sql<OperationOutput<'costs.series'>['items']>`SELECT
      to_char(date_trunc(${input.bucket}, u.day::timestamp), 'YYYY-MM-DD') AS bucket, u.model, sum(u.cost_usd) AS cost_usd,
      sum(u.calls)::float8 AS calls, ${sql.unsafe(UNPRICED_OF_SUMS)},
      sum(u.lower_bound_calls)::float8 AS lower_bound_calls, sum(u.input_tokens)::float8 AS input_tokens,
      sum(u.output_tokens)::float8 AS output_tokens, sum(u.cache_read_tokens)::float8 AS cache_read_tokens,
      sum(u.cache_creation_tokens)::float8 AS cache_creation_tokens
    FROM usage_daily u WHERE ${visible(context, 'u')} AND ${within(context, input)} GROUP BY 1, 2 ORDER BY 1, 2`
  return { items: [...items] }
}

export const costBreakdown: TeamHandler<'costs.breakdown'> = async (context, input) => {
  const { sql } = context
  const filter = sql`${visible(context, 'u')} AND ${within(context, input)}`
  const sums = sql.unsafe(
    `sum(u.cost_usd) AS cost_usd, ${TOKENS} AS tokens, sum(u.calls)::float8 AS calls, ${UNPRICED_OF_SUMS}`,
  )
  const by_project = await sql<Answer['by_project']>`SELECT u.project, ${sums} FROM usage_daily u WHERE ${filter}
    GROUP BY u.project ORDER BY cost_usd DESC, u.project LIMIT ${input.limit}`
  const by_user = await sql<NonNullable<Answer['by_user']>>`SELECT m.name AS user, ${sums} FROM usage_daily u
    JOIN members m ON m.id = u.member_id WHERE ${filter} GROUP BY m.name ORDER BY cost_usd DESC, m.name LIMIT ${input.limit}`
  const [by_session, by_branch, by_client] = await bySession(context, input)
  const [cache] = await sql<{ read_tokens: number; written_tokens: number }[]>`SELECT
    coalesce(sum(u.cache_read_tokens), 0)::float8 AS read_tokens, coalesce(sum(u.cache_creation_tokens), 0)::float8 AS written_tokens
    FROM usage_daily u WHERE ${filter}`
  return {
    by_project: [...by_project],
    by_session,
    by_client,
    by_user: [...by_user],
    by_branch,
    // Savings need the prices of the laptop's list; the store has computed costs, not prices.
    cache: {
      saved_usd: null,
      read_tokens: cache?.read_tokens ?? 0,
      written_tokens: cache?.written_tokens ?? 0,
      unpriced_models: [],
    },
  }
}

/** Costs by properties that only sessions have: the session itself, its branch, its client. The calls are read once. */
async function bySession(
  context: ReadContext,
  input: ParsedInput<'costs.breakdown'>,
): Promise<readonly [Answer['by_session'], NonNullable<Answer['by_branch']>, Answer['by_client']]> {
  const { sql } = context
  type Sessions = readonly (Answer['by_session'][number] & Owned)[]
  type Sums = Pick<Answer, 'by_client'> & { by_branch: NonNullable<Answer['by_branch']>; by_session: Sessions }
  const list = (rows: ReturnType<typeof sql>) => sql`(SELECT coalesce(jsonb_agg(r), '[]') FROM (${rows}) r)`
  const [sums] = await sql<Sums[]>`WITH c AS MATERIALIZED (
      SELECT s.member_id, s.session_id, s.title, nullif(s.project, '') AS project, s.started_at, s.git_branch, s.client,
        c.calls, c.tokens, c.cost, c.${sql.unsafe(UNPRICED)}
      FROM (${spentBySession(context, input)}) c JOIN sessions s USING (member_id, session_key))
    SELECT ${list(sql`SELECT c.member_id, c.session_id, c.title, c.project,
        to_char(c.started_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS started_at,
        coalesce(c.cost, 0) AS cost_usd, c.tokens::float8 AS tokens, c.calls::float8 AS calls,
        c.${sql.unsafe(UNPRICED)}
      FROM c ORDER BY c.cost DESC NULLS LAST, c.session_id LIMIT ${input.limit}`)} AS by_session,
    ${list(sql`SELECT coalesce(c.git_branch, '') AS branch, coalesce(sum(c.cost), 0) AS cost_usd, sum(c.calls)::float8 AS calls
      FROM c GROUP BY 1 ORDER BY cost_usd DESC, branch LIMIT ${input.limit}`)} AS by_branch,
    ${list(sql`SELECT c.client, count(*)::float8 AS sessions, coalesce(sum(c.cost), 0) AS cost_usd,
        sum(c.tokens)::float8 AS tokens, ${sql.unsafe(UNPRICED_OF_SUMS)}
      FROM c GROUP BY 1 ORDER BY cost_usd DESC, client`)} AS by_client`
  const found = sums?.by_session ?? []
  await context.note(
    'costs.breakdown',
    found.filter(({ title }) => title !== null),
  )
  const by_session = found.map((row) => {
    const { member_id: _, ...shown } = row
    return shown
  })
  return [by_session, sums?.by_branch ?? [], sums?.by_client ?? []]
}

/** Returns the SQL for each session's cost: from sessions for all time, from calls for a range or a project. */
function spentBySession(context: ReadContext, input: ParsedInput<'costs.breakdown'>) {
  const { sql } = context
  if (input.since === undefined && input.until === undefined && input.project === undefined)
    return sql`SELECT s.member_id, s.session_key, s.calls, s.total_tokens AS tokens, s.total_cost_usd AS cost,
        s.${sql.unsafe(UNPRICED)}
      FROM sessions s WHERE s.calls > 0 AND ${visible(context, 's')}`
  return sql`SELECT e.member_id, e.session_key, count(*) AS calls,
      sum(e.input_tokens + e.output_tokens + e.cache_read_tokens + e.cache_creation_tokens) AS tokens, sum(e.cost_usd) AS cost,
      ${sql.unsafe(UNPRICED_OF_CALLS)}
    FROM events e WHERE e.kind = 'api_usage' AND e.model IS NOT NULL AND ${visible(context, 'e')}
      AND ${inRange(context, 'e.ts', input)} GROUP BY 1, 2`
}
