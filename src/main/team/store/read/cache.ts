import type { CacheCauseKind } from '../../../../shared/cache-causes.ts'
import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { MISSES, toMiss } from '../../../listings/cache.ts'
import { missSums, type MissGroup } from '../../../ledger/miss-sums.ts'
import { listPage } from './list-page.ts'
import { inRange, visible, type ReadContext, type TeamHandler } from './scope.ts'
import { DAY_MS } from '../../../../shared/time-units.ts'

/** The cache ledger, from the laptops' judgments of their own requests: only they have the bodies. */

type Summary = OperationOutput<'cache.summary'>
type Totals = Omit<Summary, `by_${string}` | 'vendor'>

/** Requests of a day and session with the same values of all properties that they are summed by. */
interface SummedRequests extends Omit<MissGroup, 'cause'> {
  /** Null for requests that missed nothing. */
  readonly cause: CacheCauseKind | null
  readonly could_read: number
  readonly read: number
  readonly cost_usd: number
  readonly unpriced: number
  readonly compared: number
  readonly agreed: number
}

export async function cacheSummary(context: ReadContext, input: ParsedInput<'cache.summary'>): Promise<Summary> {
  const { sql } = context
  const groups = await sql<SummedRequests[]>`SELECT nullif(g.cause, '') AS cause, nullif(g.project, '') AS project,
      to_char(date_trunc('week', g.day::timestamp), 'YYYY-MM-DD') AS week, s.client_version,
      sum(g.requests)::float8 AS requests, sum(g.could_read)::float8 AS could_read, sum(g.cache_read_tokens)::float8 AS read,
      sum(g.missed_tokens)::float8 AS missed_tokens, sum(g.waste_usd) AS waste_usd, sum(g.cost_usd) AS cost_usd,
      sum(g.unpriced)::float8 AS unpriced, sum(g.compared)::float8 AS compared, sum(g.agreed)::float8 AS agreed
    FROM (${requestsOf(context, input)}) g
    LEFT JOIN sessions s ON s.session_key = g.session_key AND s.member_id = g.member_id GROUP BY 1, 2, 3, 4`
  const sum = (of: (group: SummedRequests) => number, some: readonly SummedRequests[] = groups) =>
    some.reduce((all, group) => all + of(group), 0)
  const judged = groups.filter(({ cause }) => cause !== 'unknown')
  const totals: Totals = {
    requests: sum(({ requests }) => requests),
    judged: sum(({ requests }) => requests, judged),
    cost_usd: sum(({ cost_usd: usd }) => usd),
    judged_cost_usd: sum(({ cost_usd: usd }) => usd, judged),
    could_read: sum(({ could_read: tokens }) => tokens),
    read: sum(({ read }) => read),
    missed_tokens: sum(({ missed_tokens: tokens }) => tokens),
    waste_usd: sum(({ waste_usd: usd }) => usd),
    unpriced: sum(({ unpriced }) => unpriced),
  }
  return {
    ...totals,
    ...missSums(groups.flatMap(({ cause, ...group }) => (cause === null ? [] : { ...group, cause }))),
    vendor: { compared: sum(({ compared }) => compared), agreed: sum(({ agreed }) => agreed) },
  }
}

/** Reads whole days from their sums, and only the rest of a range from its requests. */
function requestsOf(context: ReadContext, input: ParsedInput<'cache.summary'>) {
  const { since, until, project } = input
  const first = since === undefined ? null : Math.ceil(Date.parse(since) / DAY_MS) * DAY_MS
  const end = until === undefined ? null : Math.floor(Date.parse(until) / DAY_MS) * DAY_MS
  if (first !== null && end !== null && first >= end) return singleRequests(context, input)
  const { sql } = context
  const [from, to] = [first, end].map((time) => (time === null ? null : new Date(time).toISOString()))
  const before = from == null ? sql`` : sql`UNION ALL ${singleRequests(context, { since, until: from, project })}`
  const after = to == null ? sql`` : sql`UNION ALL ${singleRequests(context, { since: to, until, project })}`
  return sql`SELECT c.day, c.member_id, c.session_key, c.project, c.cause, c.requests, c.could_read, c.cache_read_tokens,
      c.missed_tokens, c.waste_usd, c.cost_usd, c.unpriced, c.compared, c.agreed
    FROM cache_daily c WHERE ${visible(context, 'c')}
      AND ${from == null ? sql`TRUE` : sql`c.day >= ${from.slice(0, 10)}::date`}
      AND ${to == null ? sql`TRUE` : sql`c.day < ${to.slice(0, 10)}::date`}
      AND ${project === undefined ? sql`TRUE` : sql`c.project = ${project}`} ${before} ${after}`
}

function singleRequests(context: ReadContext, range: Range) {
  return context.sql`SELECT (e.cache_sent_at AT TIME ZONE 'UTC')::date AS day, e.member_id, e.session_key, e.project,
      coalesce(e.cache_cause, '') AS cause, 1 AS requests, coalesce(e.cache_could_read, 0) AS could_read,
      coalesce(e.cache_read_tokens, 0) AS cache_read_tokens, coalesce(e.cache_missed_tokens, 0) AS missed_tokens,
      coalesce(e.cache_waste_usd, 0) AS waste_usd, coalesce(e.cost_usd, 0) AS cost_usd, (e.cache_waste_usd IS NULL)::int AS unpriced,
      (e.cache_vendor_agrees IS NOT NULL)::int AS compared, coalesce(e.cache_vendor_agrees, false)::int AS agreed
    FROM events e WHERE e.cache_sent_at IS NOT NULL AND ${visible(context, 'e')} AND ${inRange(context, 'e.cache_sent_at', range)}`
}

/** Requests with a cause, newest first. */
export const listMisses: TeamHandler<'cache.list'> = async (context, input) => {
  const page = await listPage(context, MISSES, input, { operation: 'cache.list', hasText: () => false })
  return { ...page, items: page.items.map(toMiss) }
}

type Range = Pick<ParsedInput<'cache.summary'>, 'since' | 'until' | 'project'>
