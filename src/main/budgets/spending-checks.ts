import { forecastSpending, type SpentDay } from './spending-forecast.ts'
import { DAY_MS } from '../../shared/time-units.ts'

/** Accuracy of the forecasts of past periods. */
export interface SpendingChecks {
  readonly checks: number
  readonly hits: number
  /** Median of |forecast - amount| / amount; null if no forecast was checked. */
  readonly typicalError: number | null
  /** Factor that would have made nine in ten bands hold; 1 while too few have been checked. */
  readonly widen: number
}

/** Parts of a period after which its forecast is checked. */
const CHECK_AT = [0.25, 0.5, 0.75]
const MIN_CHECKS = 10
const MAX_WIDEN = 4

/**
 * Makes the forecasts of past periods as they would have been made then, and compares them with the actual amounts.
 * @param days complete days, oldest first
 * @param periods past periods, oldest first, each as a range in ms; those that began before the first day are left out
 */
export function checkSpending(
  days: readonly SpentDay[],
  periods: readonly { readonly since: number; readonly until: number }[],
): SpendingChecks {
  const first = days[0]?.start ?? Number.POSITIVE_INFINITY
  const misses: number[] = []
  const errors: number[] = []
  let [hits, widen] = [0, 1]
  for (const { since, until } of periods) {
    if (since < first) continue
    const inside = days.filter(({ start }) => start >= since && start < until)
    const amount = inside.reduce((sum, { usd }) => sum + usd, 0)
    for (const part of CHECK_AT) {
      const rest = inside.slice(Math.round(inside.length * part))
      const now = rest[0]?.start
      if (now === undefined) continue
      const spent = amount - rest.reduce((sum, { usd }) => sum + usd, 0)
      const known = days.filter(({ start }) => start < now)
      const remaining = rest.map(({ start }) => ({ start, end: start + DAY_MS, part: 1 }))
      const made = forecastSpending(known, spent, remaining)
      if (made === null) continue
      const half = made.high - made.usd
      const miss = Math.abs(amount - made.usd)
      if (miss <= half * widen + 1e-9) hits += 1
      misses.push(half > 0 ? miss / half : miss > 1e-9 ? MAX_WIDEN : 0)
      if (amount > 0) errors.push(miss / amount)
      widen = widenOf(misses)
    }
  }
  return { checks: misses.length, hits, typicalError: quantile(errors, 0.5), widen }
}

function widenOf(misses: readonly number[]): number {
  if (misses.length < MIN_CHECKS) return 1
  return Math.min(MAX_WIDEN, Math.max(0.25, quantile(misses, 0.9) ?? 1))
}

function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null
}
