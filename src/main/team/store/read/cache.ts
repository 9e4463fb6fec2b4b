import type { CacheCauseKind } from '../../../../shared/cache-causes.ts'
import type { OperationOutput, ParsedInput } from '../../../../shared/contract/index.ts'
import { missSums, NO_REQUESTS, type MissGroup } from '../../../ledger/miss-sums.ts'
import { cursorOf, offsetOf } from './pages.ts'
import { visible, type ReadContext } from './scope.ts'

/** The cache ledger, from what laptops judged of their own requests: only they have the bodies. */

type Summary = OperationOutput<'cache.summary'>
type Totals = Omit<Summary, `by_${string}` | 'vendor'>

export async function cacheSummary(context: ReadContext, input: ParsedInput<'cache.summary'>): Promise<Summary> {
  const { sql } = context
  const filter = inRange(context, input)
  const [totals] = await sql<Totals[]>`SELECT count(*)::float8 AS requests,
      (count(*) FILTER (WHERE e.cache_cause IS DISTINCT FROM 'unknown'))::float8 AS judged, coalesce(sum(e.cost_usd), 0) AS cost_usd,
      coalesce(sum(e.cost_usd) FILTER (WHERE e.cache_cause IS DISTINCT FROM 'unknown'), 0) AS judged_cost_usd,
      coalesce(sum(e.cache_could_read), 0)::float8 AS could_read, coalesce(sum(e.cache_read_tokens), 0)::float8 AS read,
      coalesce(sum(e.cache_missed_tokens), 0)::float8 AS missed_tokens, coalesce(sum(e.cache_waste_usd), 0) AS waste_usd,
      (count(*) FILTER (WHERE e.cache_waste_usd IS NULL))::float8 AS unpriced
    FROM events e WHERE ${filter}`
  const groups = await sql<
    (MissGroup & { compared: number; agreed: number })[]
  >`SELECT g.cause, g.project, g.week, s.client_version,
      sum(g.requests)::float8 AS requests, sum(g.missed)::float8 AS missed_tokens, sum(g.waste) AS waste_usd,
      sum(g.compared)::float8 AS compared, sum(g.agreed)::float8 AS agreed
    FROM (SELECT e.member_id, e.session_key, e.cache_cause AS cause, nullif(e.project, '') AS project,
        to_char(date_trunc('week', e.cache_sent_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD') AS week, count(*) AS requests,
        sum(e.cache_missed_tokens) AS missed, coalesce(sum(e.cache_waste_usd), 0) AS waste,
        count(e.cache_vendor_agrees) AS compared, count(*) FILTER (WHERE e.cache_vendor_agrees) AS agreed
      FROM events e WHERE ${filter} AND e.cache_cause IS NOT NULL GROUP BY 1, 2, 3, 4, 5) g
    LEFT JOIN sessions s ON s.session_key = g.session_key AND s.member_id = g.member_id GROUP BY 1, 2, 3, 4`
  const sum = (of: (group: (typeof groups)[number]) => number) => groups.reduce((all, group) => all + of(group), 0)
  return {
    ...(totals ?? NO_REQUESTS),
    ...missSums(groups),
    vendor: { compared: sum(({ compared }) => compared), agreed: sum(({ agreed }) => agreed) },
  }
}

interface MissRow {
  readonly exchange: string | null
  readonly session_id: string
  readonly turn_id: number
  readonly agent_id: string | null
  readonly sent_at: Date
  readonly model: string
  readonly could_read: number
  readonly read: number
  readonly missed_tokens: number
  readonly waste_usd: number | null
  readonly cause: CacheCauseKind
}

/** Requests with a cause, newest first. Where in the request it is, and what the API said of it, is on the laptop. */
export async function listMisses(
  context: ReadContext,
  input: ParsedInput<'cache.list'>,
): Promise<OperationOutput<'cache.list'>> {
  const { sql } = context
  const offset = offsetOf(input.cursor)
  const rows = await sql<MissRow[]>`SELECT e.cache_exchange AS exchange, e.session_id, e.turn_id, e.agent_id,
      e.cache_sent_at AS sent_at, coalesce(e.model, '') AS model, e.cache_could_read::float8 AS could_read,
      e.cache_read_tokens::float8 AS read, e.cache_missed_tokens::float8 AS missed_tokens, e.cache_waste_usd AS waste_usd,
      e.cache_cause AS cause
    FROM events e WHERE ${inRange(context, input)} AND e.cache_cause IS NOT NULL
      AND ${input.session_id === undefined ? sql`TRUE` : sql`e.session_id = ${input.session_id}`}
      AND ${input.cause === undefined ? sql`TRUE` : sql`e.cache_cause = ${input.cause}`}
    ORDER BY e.cache_sent_at DESC, e.id DESC LIMIT ${input.limit + 1} OFFSET ${offset}`
  const items = rows.slice(0, input.limit).map(({ sent_at, cause, ...row }) => ({
    ...row,
    ts_wall: sent_at.toISOString(),
    cause: { kind: cause, where: null, detail: null },
    vendor: null,
  }))
  return { items, next: cursorOf(rows.length > input.limit, offset + input.limit) }
}

function inRange(
  context: ReadContext,
  { since, until, project }: { since?: string | undefined; until?: string | undefined; project?: string | undefined },
) {
  const { sql } = context
  return sql`e.cache_sent_at IS NOT NULL AND ${visible(context, 'e')}
    AND ${since === undefined ? sql`TRUE` : sql`e.cache_sent_at >= ${since}`}
    AND ${until === undefined ? sql`TRUE` : sql`e.cache_sent_at < ${until}`}
    AND ${project === undefined ? sql`TRUE` : sql`e.project = ${project}`}`
}
