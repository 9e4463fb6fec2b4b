import { compareText } from '../../../../shared/compare-text.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { ReadContext, TeamHandler } from './scope.ts'
import { DAY_MS, MINUTE_MS } from '../../../../shared/time-units.ts'
import { lengthOf, SAME_RESET_MS, sameAccounts, type AccountReading } from './same-accounts.ts'

/**
 * Limits of members' accounts, as reported by the API to their laptops. A member sees those of their own account:
 * sharing a project does not share the account.
 */

interface Reading extends AccountReading {
  readonly user: string
  readonly ts: Date
  readonly used: number
}

/** No window is longer than seven days. */
const LONGEST_MS = 8 * DAY_MS
/** The last reading of each part of the time is shown. */
const CURVE_MINUTES = 30

/** Reads the last report of each window, account and member in each bucket, oldest first. */
async function readings(
  { sql, caller }: ReadContext,
  range: { readonly since: Date; readonly until: Date; readonly minutes: number; readonly isOwn?: boolean },
): Promise<readonly Reading[]> {
  const isOwn = range.isOwn === true || caller.role === 'member'
  const rows = await sql<
    Reading[]
  >`SELECT DISTINCT ON (m.name, w.account, w."window", bucket) m.name AS "user", w.account, w."window", w.used, w.resets_at,
      e.device_id AS device, e.ts, floor(extract(epoch FROM e.ts) / ${range.minutes * 60}) AS bucket
    FROM events e JOIN members m ON m.id = e.member_id
      CROSS JOIN LATERAL jsonb_to_recordset(e.limits) AS w ("window" text, account text, used double precision, resets_at timestamptz)
    WHERE e.limits IS NOT NULL AND e.ts >= ${range.since} AND e.ts < ${range.until}
      AND ${isOwn ? sql`e.member_id = ${caller.memberId}` : sql`TRUE`}
    ORDER BY m.name, w.account, w."window", bucket, e.ts DESC, e.id DESC`
  const ofMembers = [...Map.groupBy(rows, ({ user }) => user).values()].flatMap((of) => {
    const nameOf = sameAccounts(of)
    return of.map((reading) => ({ ...reading, account: nameOf(reading.account) }))
  })
  return ofMembers.toSorted((one, other) => one.ts.getTime() - other.ts.getTime())
}

type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

/** Used shares of each member's limits. Only the laptop, which has the prices, answers forecasts and who used them. */
export const limitsNow: TeamHandler<'limits.now'> = async (context, input) => {
  const until = input.until === undefined ? new Date(Date.now() + 1) : new Date(Date.parse(input.until) + 1)
  const start = input.since === undefined ? null : Date.parse(input.since)
  const since = new Date(Math.min(start ?? until.getTime(), until.getTime() - LONGEST_MS))
  const found = await readings(context, { since, until, minutes: CURVE_MINUTES })
  const windows = [
    ...Map.groupBy(found, ({ user, account, window }) => JSON.stringify([user, account, window])).values(),
  ]
  const labelOf = labels(found)
  return {
    at: found.at(-1)?.ts.toISOString() ?? null,
    windows: windows
      .flatMap((of) => describe(of, start, until.getTime() - 1).map((window) => ({ ...window, ...labelOf(of[0]) })))
      .sort(
        (one, other) =>
          compareText(one.user ?? '', other.user ?? '') ||
          compareText(one.account ?? '', other.account ?? '') ||
          compareText(one.window, other.window),
      ),
  }
}

/** Returns what names the account of a reading: nothing if its member has only one. */
function labels(found: readonly Reading[]): (reading: Reading | undefined) => { readonly account?: string } {
  const accounts = new Map(
    [...Map.groupBy(found, ({ user }) => user)].map(([user, of]) => [user, new Set(of.map(({ account }) => account))]),
  )
  return (reading) =>
    reading === undefined || (accounts.get(reading.user)?.size ?? 0) <= 1
      ? {}
      : { account: reading.account ?? 'unknown account' }
}

function describe(found: readonly Reading[], start: number | null, now: number): LimitWindow[] {
  const last = found.at(-1)
  if (last === undefined) return []
  const { window, user } = last
  const resets = last.resets_at?.getTime() ?? null
  const from = start ?? (resets ?? last.ts.getTime()) - lengthOf(window)
  const isOver = resets !== null && resets <= now
  const isSame = ({ resets_at }: Reading) =>
    start !== null || resets === null || resets_at === null || Math.abs(resets_at.getTime() - resets) <= SAME_RESET_MS
  return [
    {
      user,
      window,
      used: isOver ? 0 : last.used,
      read_at: last.ts.toISOString(),
      resets_at: isOver ? null : (last.resets_at?.toISOString() ?? null),
      burn_per_hour: null,
      forecast: null,
      forecast_checks: { checks: 0, hits: 0 },
      curve: found
        .filter((reading) => reading.ts.getTime() >= from && isSame(reading))
        .map(({ ts, used }) => ({ timestamp: ts.toISOString(), used })),
      since: new Date(from).toISOString(),
      attributed: 0,
      elsewhere: 0,
      covered_share: null,
      by_session: [],
      by_agent: [],
      by_prompt: [],
      gaps: ["A team's history has no forecast and does not share out the limit: see aspy limits on the laptop."],
    },
  ]
}

/** The newest reports of the caller's own accounts. */
export async function latestLimits(context: ReadContext): Promise<OperationOutput<'limits.latest'>> {
  const until = new Date(Date.now() + 1)
  const since = new Date(until.getTime() - LONGEST_MS)
  const found = await readings(context, { since, until, minutes: DAY_MS / MINUTE_MS, isOwn: true })
  const labelOf = labels(found)
  const accounts = [...Map.groupBy(found, ({ account }) => account).values()]
  const windows = accounts.flatMap((of) =>
    (['5h', '7d'] as const).flatMap((name) => {
      const newest = of.findLast(({ window }) => window === name)
      const resets_at = newest?.resets_at?.toISOString() ?? null
      return newest === undefined ? [] : [{ name, ...labelOf(newest), utilization: newest.used, resets_at }]
    }),
  )
  return { at: windows.length === 0 ? null : (found.at(-1)?.ts.toISOString() ?? null), windows }
}

const MAX_BUCKETS = 2000
/** A series without a start begins this long before its end. */
const SERIES_MS = 30 * DAY_MS
const UNKNOWN = {
  requests_limit: null,
  requests_remaining: null,
  tokens_limit: null,
  tokens_remaining: null,
  input_tokens_limit: null,
  input_tokens_remaining: null,
  output_tokens_limit: null,
  output_tokens_remaining: null,
  unified_status: null,
  claim: null,
}

/** The used shares over time, by member. What a laptop sends has no limits of an API key. */
export const limitsSeries: TeamHandler<'limits.series'> = async (context, input) => {
  const until = input.until === undefined ? new Date(Date.now() + 1) : new Date(input.until)
  const since = input.since === undefined ? new Date(until.getTime() - SERIES_MS) : new Date(input.since)
  const found = await readings(context, { since, until, minutes: input.bucket_minutes })
  const bucketOf = ({ ts }: Reading) => Math.floor(ts.getTime() / MINUTE_MS / input.bucket_minutes)
  const buckets = Map.groupBy(found, (reading) => JSON.stringify([bucketOf(reading), reading.user, reading.account]))
  const labelOf = labels(found)
  const items = [...buckets.values()].map((of) => {
    const [five, seven] = ['5h', '7d'].map((name) => of.findLast(({ window }) => window === name))
    return {
      timestamp: of.at(-1)?.ts.toISOString() ?? '',
      user: of[0]?.user ?? '',
      ...labelOf(of[0]),
      ...UNKNOWN,
      five_hour_used: five?.used ?? null,
      five_hour_resets_at: five?.resets_at?.toISOString() ?? null,
      seven_day_used: seven?.used ?? null,
      seven_day_resets_at: seven?.resets_at?.toISOString() ?? null,
    }
  })
  const ordered = items.toSorted((one, other) => compareText(one.timestamp, other.timestamp))
  return { items: ordered.slice(-MAX_BUCKETS), partial: ordered.length > MAX_BUCKETS }
}
