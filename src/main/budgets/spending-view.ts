import type { Config } from '../../shared/config.ts'
import type { ForecastPeriod } from '../../shared/contract/budgets.ts'
import type { OperationOutput, ParsedInput } from '../../shared/contract/index.ts'
import { budgetPeriod } from './budget-period.ts'
import { budgetLimit, type Spent } from './budget-statuses.ts'
import { checkSpending } from './spending-checks.ts'
import { forecastSpending, MIN_DAYS, type SpentDay } from './spending-forecast.ts'
import { unpricedOf, withoutPrice } from '../../shared/spend.ts'

type SpendingView = OperationOutput<'budgets.forecast'>

interface Range {
  readonly since: Date
  readonly until: Date
}

/** History that forecasts are made from and checked against, in days. */
const HISTORY_DAYS = 370
/**
 * Accepted range of `now`. Before it, counting periods back never ends, because `new Date(99, …)` means 1999; after it, a
 * period ends in a year of five digits.
 */
const EARLIEST_MS = Date.UTC(1970, 0, 2)
const LATEST_MS = Date.UTC(9999, 0, 2)

/**
 * Returns the current period's cost so far, its forecast, and a comparison with the previous period. Days, weeks and
 * months are those of the local time zone.
 */
export async function spendingView(
  config: Config,
  spent: Spent,
  { period, project: only, until }: ParsedInput<'budgets.forecast'>,
): Promise<SpendingView> {
  const project = only ?? null
  const now = new Date(Math.min(Math.max(until === undefined ? Date.now() : Date.parse(until), EARLIEST_MS), LATEST_MS))
  const current = budgetPeriod(period, now)
  const previous = before(period, current)
  const elapsed = now.getTime() - current.since.getTime()
  const samePoint = new Date(Math.min(previous.until.getTime(), previous.since.getTime() + elapsed))
  const today = budgetPeriod('day', now)
  const past = Array.from({ length: HISTORY_DAYS }, (_, index) => daysBefore(today.since, HISTORY_DAYS - index))
  const ranges: readonly Range[] = [
    { since: current.since, until: now },
    previous,
    { since: previous.since, until: samePoint },
    { since: today.since, until: now },
    ...past,
  ]
  const { items } = await spent({
    spans: ranges.map(({ since, until }) => ({
      since: since.toISOString(),
      until: until.toISOString(),
      ...(project === null ? {} : { project }),
    })),
  })
  const [spentUsd = 0, previousUsd = 0, samePointUsd = 0, todayUsd = 0] = items.map(({ cost_usd: usd }) => usd)
  const all = past.map(({ since }, index) => ({ start: since.getTime(), usd: items[index + 4]?.cost_usd ?? 0 }))
  // Days before the first spending are not part of the history: nothing was recorded then.
  const firstSpent = all.findIndex(({ usd }) => usd > 0)
  const days: readonly SpentDay[] = firstSpent < 0 ? [] : all.slice(firstSpent)
  const checked = checkSpending(days, pastPeriods(period, current, days[0]?.start ?? now.getTime()))
  const made = forecastSpending(days, spentUsd, remainingDays(now, current.until), checked.widen)
  const limit = budgetLimit(config, project, period)
  const unpriced = unpricedOf(items[0] ?? {})
  return {
    period,
    project,
    since: current.since.toISOString(),
    until: current.until.toISOString(),
    now: now.toISOString(),
    spent_usd: spentUsd,
    ...withoutPrice(unpriced),
    limit_usd: limit,
    previous: {
      since: previous.since.toISOString(),
      until: previous.until.toISOString(),
      spent_usd: previousUsd,
      same_point_usd: samePointUsd,
    },
    change_share: samePointUsd > 0 ? spentUsd / samePointUsd - 1 : null,
    forecast:
      made === null
        ? null
        : {
            usd: made.usd,
            low: made.low,
            high: made.high,
            confidence: 0.9,
            limit_reached_at: limit === null ? null : reachedAt(made.at, limit, now, current.until),
          },
    forecast_checks: { checks: checked.checks, hits: checked.hits, typical_error: checked.typicalError },
    days: [
      ...all.filter(({ start }) => start >= current.since.getTime()),
      { start: today.since.getTime(), usd: todayUsd },
    ].map(({ start, usd }) => ({ day: localDay(new Date(start)), usd })),
    gaps: [
      ...(made === null
        ? [`The forecast starts after ${MIN_DAYS} complete days of history; ${days.length} so far.`]
        : []),
      ...(unpriced > 0 ? [`${unpriced} requests have no price. Their cost is not in the sums.`] : []),
      ...(days.length > 0 && (days[0]?.start ?? 0) > previous.since.getTime()
        ? ['The period before was recorded only in part.']
        : []),
    ],
  }
}

function before(period: ForecastPeriod, { since }: Range): Range {
  return budgetPeriod(period, new Date(since.getFullYear(), since.getMonth(), since.getDate() - 1))
}

/** The local day `count` calendar days before the day that begins at `midnight`. */
function daysBefore(midnight: Date, count: number): Range {
  const [year, month, day] = [midnight.getFullYear(), midnight.getMonth(), midnight.getDate() - count]
  return { since: new Date(year, month, day), until: new Date(year, month, day + 1) }
}

/** Returns the complete periods since `first`, oldest first. */
function pastPeriods(period: ForecastPeriod, current: Range, first: number): { since: number; until: number }[] {
  const periods: { since: number; until: number }[] = []
  for (let range = before(period, current); range.since.getTime() >= first; range = before(period, range))
    periods.unshift({ since: range.since.getTime(), until: range.until.getTime() })
  return periods
}

/** Returns the days from now to the end, with the part of each that is left. */
function remainingDays(now: Date, end: Date): { start: number; end: number; part: number }[] {
  const days: { start: number; end: number; part: number }[] = []
  for (let day = budgetPeriod('day', now); day.since < end; day = budgetPeriod('day', day.until)) {
    const [start, until] = [day.since.getTime(), day.until.getTime()]
    days.push({ start, end: until, part: Math.min(1, (until - now.getTime()) / (until - start)) })
  }
  return days
}

/** Returns when a growing path reaches a value, to the quarter hour; null if it does not before the end. */
function reachedAt(path: (moment: number) => number, value: number, now: Date, end: Date): string | null {
  for (let moment = now.getTime(); moment <= end.getTime(); moment += 900_000)
    if (path(moment) >= value) return new Date(moment).toISOString()
  return null
}

const localDay = (date: Date): string =>
  `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
