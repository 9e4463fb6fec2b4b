import { DAY_MS } from '../../shared/time-units.ts'

const MONTH_MS = 30 * DAY_MS
/** Standard deviations within which nine in ten values lie. */
const NINE_IN_TEN = 1.645

/** A history, for figures by month. One shorter than a month is not extrapolated. */
export interface Rhythm {
  readonly from: number
  readonly until: number
}

const monthsIn = ({ from, until }: Rhythm): number => Math.max(1, (until - from) / MONTH_MS)

/** Returns the mean of 30 days. */
export const perMonth = (total: number, rhythm: Rhythm): number => total / monthsIn(rhythm)

/**
 * Returns the range in which the sum of another 30 days lies nine times in ten. Days are independent and come at random;
 * the doubt about their rate is added.
 */
export function monthBand(
  amounts: readonly { readonly at: number; readonly usd: number }[],
  rhythm: Rhythm,
): [low: number, high: number] {
  const days = new Map<number, number>()
  for (const { at, usd } of amounts) {
    const day = Math.floor(at / DAY_MS)
    days.set(day, (days.get(day) ?? 0) + usd)
  }
  const sums = [...days.values()]
  const mean = perMonth(
    sums.reduce((sum, usd) => sum + usd, 0),
    rhythm,
  )
  const share = 1 / monthsIn(rhythm)
  const squares = sums.reduce((sum, usd) => sum + usd * usd, 0)
  const spread = NINE_IN_TEN * Math.sqrt((share + share * share) * squares)
  return [Math.max(0, mean - spread), mean + spread]
}
