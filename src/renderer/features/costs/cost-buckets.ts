import type { OperationOutput } from '../../../shared/contract/index.ts'
import { offsetMinutes, startOfDay } from '../../lib/time-range.ts'
import { HOUR_MS } from '../../../shared/time-units.ts'
import { unpricedOf } from '../../../shared/spend.ts'

export type CostItem = OperationOutput<'costs.series'>['items'][number]
export type BucketUnit = 'hour' | 'day' | 'month'

/** One column of the chart, with the cost of each model. */
export interface CostColumn {
  readonly bucket: string
  readonly cost: Readonly<Record<string, number>>
  readonly total: number
  readonly tokens: number
  /** Total of the same column in the previous period; null: not compared. */
  readonly before: number | null
}

const KEY_LENGTHS: Readonly<Record<BucketUnit, number>> = { hour: 13, day: 10, month: 7 }
const MAX_COLUMNS = 400

/** Returns the bucket of a moment in a zone: `2026-11-21T14`, `2026-11-21` or `2026-11`. */
export const bucketKey = (time: number, unit: BucketUnit, zone: string): string =>
  new Date(time + offsetMinutes(time, zone) * 60_000).toISOString().slice(0, KEY_LENGTHS[unit])

/** Returns every bucket of a span in order, so that a day without calls is a gap in the chart, not a missing date. */
export function bucketKeys(since: number, until: number, unit: BucketUnit, zone: string): string[] {
  const keys: string[] = []
  let time = unit === 'hour' ? since : startOfDay(since, zone)
  while (time < until && keys.length < MAX_COLUMNS * 40) {
    const key = bucketKey(time, unit, zone)
    if (keys.at(-1) !== key) keys.push(key)
    // Steps of 23 hours reach every day, also days of 23 and 25 hours.
    time += unit === 'hour' ? HOUR_MS : 23 * HOUR_MS
  }
  // These steps drift backward and may miss the last day.
  const last = bucketKey(until - 1, unit, zone)
  if (keys.at(-1) !== last) keys.push(last)
  return keys.slice(-MAX_COLUMNS)
}

/** Returns the moments at which a bucket begins and ends in a zone. */
export function bucketBounds(bucket: string, unit: BucketUnit, zone: string): { from: number; to: number } {
  const [year = 0, month = 1, day = 1, hour = 0] = bucket.split(/[-T]/).map(Number)
  const at = (m: number, d: number, h: number) => {
    const wall = Date.UTC(year, m - 1, d, h)
    return wall - offsetMinutes(wall - offsetMinutes(wall, zone) * 60_000, zone) * 60_000
  }
  const from = at(month, day, hour)
  if (unit === 'hour') return { from, to: from + HOUR_MS }
  return { from, to: unit === 'month' ? at(month + 1, 1, 0) : at(month, day + 1, 0) }
}

/** Adds the totals of the previous period, column by column. */
export const withBefore = (columns: readonly CostColumn[], before: readonly CostColumn[]): CostColumn[] =>
  columns.map((column, at) => ({ ...column, before: before[at]?.total ?? 0 }))

/** Multiple of the median from which a column makes the others hard to read. */
const FAR_ABOVE = 4

/** Returns the height at which columns far above the others can be cut off; null if there are none. */
export function clipHeight(columns: readonly CostColumn[]): number | null {
  const totals = columns.flatMap(({ total }) => (total > 0 ? total : [])).sort((one, other) => one - other)
  const median = totals[Math.floor((totals.length - 1) / 2)] ?? 0
  const height = totals.findLast((total) => total <= median * FAR_ABOVE) ?? 0
  return totals.length > 3 && (totals.at(-1) ?? 0) >= height * 2 ? height : null
}

/** Sums items by bucket and model. A day with a clock change comes in two parts, which share a column. */
export function costColumns(items: readonly CostItem[], keys: readonly string[], unit: BucketUnit): CostColumn[] {
  const columns = new Map(
    keys.map((key) => [
      key,
      { bucket: key, cost: {} as Record<string, number>, total: 0, tokens: 0, before: null as number | null },
    ]),
  )
  for (const item of items) {
    const column = columns.get(item.bucket.slice(0, KEY_LENGTHS[unit]))
    if (!column) continue
    column.cost[item.model] = (column.cost[item.model] ?? 0) + item.cost_usd
    column.total += item.cost_usd
    column.tokens += item.input_tokens + item.output_tokens + item.cache_read_tokens + item.cache_creation_tokens
  }
  return [...columns.values()]
}

const NO_COST = {
  cost: 0,
  calls: 0,
  unpricedCalls: 0,
  lowerBoundCalls: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheCreation: 0,
}

export type CostTotals = Readonly<typeof NO_COST>

function plus(totals: CostTotals, item: CostItem): CostTotals {
  return {
    cost: totals.cost + item.cost_usd,
    calls: totals.calls + item.calls,
    unpricedCalls: totals.unpricedCalls + unpricedOf(item),
    lowerBoundCalls: totals.lowerBoundCalls + item.lower_bound_calls,
    input: totals.input + item.input_tokens,
    output: totals.output + item.output_tokens,
    cacheRead: totals.cacheRead + item.cache_read_tokens,
    cacheCreation: totals.cacheCreation + item.cache_creation_tokens,
  }
}

/** Sums all items. */
export const costTotals = (items: readonly CostItem[]): CostTotals => items.reduce(plus, NO_COST)

/** Sums items by model, most expensive first. */
export function costByModel(items: readonly CostItem[]): { readonly model: string; readonly totals: CostTotals }[] {
  const models = new Map<string, CostTotals>()
  for (const item of items) models.set(item.model, plus(models.get(item.model) ?? NO_COST, item))
  return [...models]
    .map(([model, totals]) => ({ model, totals }))
    .sort((one, other) => other.totals.cost - one.totals.cost || other.totals.calls - one.totals.calls)
}

/** A day's cost by the key of its bucket, of all models. */
export function costByDay(items: readonly CostItem[]): ReadonlyMap<string, number> {
  const days = new Map<string, number>()
  for (const { bucket, cost_usd: cost } of items) days.set(bucket, (days.get(bucket) ?? 0) + cost)
  return days
}
