/** Spending of a complete day. */
export interface SpentDay {
  /** Local midnight, ms since 1970. */
  readonly start: number
  readonly usd: number
}

/** Expected spending at the end of a period, with a band that should hold it nine times in ten. */
export interface SpendingForecast {
  readonly usd: number
  readonly low: number
  readonly high: number
  /** Returns the expected spending at a moment between now and the end, ms since 1970. */
  readonly at: (moment: number) => number
}

/** With fewer complete days, a forecast is not reliable. */
export const MIN_DAYS = 3
/** Older days are not representative of the present. */
const LOOK_BACK_DAYS = 56
/** Number of average days that are mixed into the mean of a weekday. */
const SHRINK = 2
/** Two-sided 90 % quantiles of Student's t by degrees of freedom. */
const T90 = [6.314, 2.92, 2.353, 2.132, 2.015, 1.943, 1.895, 1.86, 1.833, 1.812] as const
const T90_MANY = 1.7

/**
 * Forecasts the spending of a period from the complete days before now. Weekdays have their own means, drawn towards the
 * mean of all days. Returns null if there are fewer than MIN_DAYS days.
 * @param remaining the days from now to the end with the part of each that is left, from 0 to 1
 * @param widen factor of the band, from the success of earlier bands
 */
export function forecastSpending(
  history: readonly SpentDay[],
  spent: number,
  remaining: readonly { readonly start: number; readonly end: number; readonly part: number }[],
  widen = 1,
): SpendingForecast | null {
  const days = history.slice(-LOOK_BACK_DAYS)
  if (days.length < MIN_DAYS) return null
  const mean = days.reduce((sum, { usd }) => sum + usd, 0) / days.length
  const means = weekdayMeans(days, mean)
  const meanOf = (start: number) => means[new Date(start).getDay()] ?? mean
  const rests = days.map(({ start, usd }) => usd - meanOf(start))
  const spread = spreadOf(rests)
  const left = remaining.reduce((sum, { part }) => sum + part, 0)
  const rise = remaining.reduce((sum, { start, part }) => sum + meanOf(start) * part, 0)
  const t = T90[days.length - 2] ?? T90_MANY
  const half = widen * t * spread * Math.sqrt(left + left ** 2 / days.length)
  return {
    usd: spent + rise,
    low: Math.max(spent, spent + rise - half),
    high: spent + rise + half,
    at: (moment) =>
      spent +
      remaining.reduce((sum, { start, end, part }) => {
        // The part of a day that is left ends with the day.
        const begin = end - (end - start) * part
        return sum + meanOf(start) * part * Math.min(1, Math.max(0, (moment - begin) / Math.max(1, end - begin)))
      }, 0),
  }
}

function weekdayMeans(days: readonly SpentDay[], mean: number): readonly number[] {
  const sums = Array.from({ length: 7 }, () => ({ usd: SHRINK * mean, count: SHRINK }))
  for (const { start, usd } of days) {
    const sum = sums[new Date(start).getDay()]
    if (sum === undefined) continue
    sum.usd += usd
    sum.count += 1
  }
  return sums.map(({ usd, count }) => usd / count)
}

/** Standard deviation; larger if neighbouring days resemble each other, since then the future varies more. */
function spreadOf(rests: readonly number[]): number {
  const squares = rests.reduce((sum, rest) => sum + rest ** 2, 0)
  if (squares === 0) return 0
  const products = rests.reduce((sum, rest, index) => sum + rest * (rests[index - 1] ?? 0), 0)
  const likeness = Math.min(0.6, Math.max(0, products / squares))
  return Math.sqrt((squares / (rests.length - 1)) * ((1 + likeness) / (1 - likeness)))
}
