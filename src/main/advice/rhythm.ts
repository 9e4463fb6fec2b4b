import { DAY_MS, MONTH_DAYS } from '../../shared/time-units.ts'
import { formatUsd } from '../../shared/usd.ts'

/** Standard deviations within which nine in ten values lie. */
const NINE_IN_TEN = 1.645

/** A history, for figures by month. Of one shorter than a month, the sum is all that is said. */
export interface Rhythm {
  readonly from: number
  readonly until: number
}

/** Returns the days of a history, in part. */
export const daysIn = ({ from, until }: Rhythm): number => Math.max(0, until - from) / DAY_MS

const monthsIn = (rhythm: Rhythm): number => Math.max(1, daysIn(rhythm) / MONTH_DAYS)

/** Says for which time a figure is: `a month`, or the days of a shorter history. */
export function timeOf(rhythm: Rhythm): string {
  const days = Math.max(1, Math.ceil(daysIn(rhythm)))
  if (daysIn(rhythm) >= MONTH_DAYS) return 'a month'
  return days === 1 ? 'in 1 recorded day' : `in ${days} recorded days`
}

/** Writes an amount of USD for that time. */
export const usdText = (usd: number, rhythm: Rhythm): string => `${formatUsd(perMonth(usd, rhythm))} ${timeOf(rhythm)}`

/** Writes the mean of a month with its band if that is wide, since the mean alone would promise too much. */
export function bandText(usd: number, [low, high]: readonly [number, number], rhythm: Rhythm): string {
  const isWide = daysIn(rhythm) >= MONTH_DAYS && low < perMonth(usd, rhythm) * WIDE
  return usdText(usd, rhythm) + (isWide ? ` (between ${formatUsd(low)} and ${formatUsd(high)})` : '')
}
const WIDE = 0.25

/** Returns the mean of 30 days; the sum of a shorter history. */
export const perMonth = (total: number, rhythm: Rhythm): number => total / monthsIn(rhythm)

/**
 * Returns the range in which the sum of another 30 days, or of another such history if it is shorter, lies nine times
 * in ten. Days are independent and come at random; the doubt about their rate is added.
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
