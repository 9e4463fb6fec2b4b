import { CheckedBands } from '../../shared/checked-bands.ts'
import { forecastSpending, type SpentDay } from './spending-forecast.ts'
import { DAY_MS } from '../../shared/time-units.ts'

/** Parts of a period after which its forecast is checked. */
const CHECK_AT = [0.25, 0.5, 0.75]

/**
 * Returns the accuracy of the forecasts of past periods: makes them as they would have been made then, and compares them
 * with the actual amounts.
 * @param days complete days, oldest first
 * @param periods past periods, oldest first, each as a range in ms; those that began before the first day are left out
 */
export function checkSpending(
  days: readonly SpentDay[],
  periods: readonly { readonly since: number; readonly until: number }[],
) {
  const first = days[0]?.start ?? Number.POSITIVE_INFINITY
  const bands = new CheckedBands()
  const errors: number[] = []
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
      const miss = Math.abs(amount - made.usd)
      bands.add(miss, made.high - made.usd)
      if (amount > 0) errors.push(miss / amount)
    }
  }
  const { checks, hits, widen } = bands
  /** Median of |forecast - amount| / amount; null if no forecast was checked. */
  const typicalError = quantile(errors, 0.5)
  return { checks, hits, typicalError, widen }
}

function quantile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null
}
