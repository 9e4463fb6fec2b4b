import { CheckedBands } from '../../../../shared/checked-bands.ts'
import type { Instance } from './window-readings.ts'
import { HOUR_MS } from '../../../../shared/time-units.ts'

/** The used share expected at the reset, with a band that should hold it nine times in ten. */
export interface Forecast {
  readonly value: number
  readonly low: number
  readonly high: number
  /** Share per hour, over a past as long as the window. */
  readonly perHour: number
  /**
   * When the limit is reached at that rate, and at the upper end of the band, in ms since 1970; null: not before the
   * reset.
   */
  readonly exhaustedAt: number | null
  readonly exhaustedEarliest: number | null
}

/** A wider band, as a share of the limit, says nothing about whether the limit is reached. */
const WIDEST_BAND = 0.5

/** Returns whether a forecast says anything about the limit (1). */
export const isTelling = ({ low, high }: Pick<Forecast, 'low' | 'high'>): boolean => high - low <= WIDEST_BAND

/** A rise of the used share. */
interface Increment {
  readonly at: number
  readonly step: number
}

/** Number of equal parts of the past, whose spread gives the band. */
const PARTS = 10
/** Two-sided 90 % quantile of Student's t with PARTS - 1 degrees of freedom. */
const T90 = 1.833
/** A shorter past is not enough for a forecast. */
const MIN_PAST_MS = 600_000

/**
 * Returns the rises of all instances, oldest first. Usage before the first reading of the first instance is not known.
 */
export function incrementsOf(instances: readonly Instance[]): Increment[] {
  return instances.flatMap(({ readings }, index) =>
    readings.map(({ at, used }, i) => ({
      at,
      step: i === 0 ? (index === 0 ? 0 : used) : used - (readings[i - 1]?.used ?? 0),
    })),
  )
}

/**
 * Forecasts the used share at the reset. Returns null if the past is too short or the reset is over.
 * @param widen factor of the band, from the success of earlier bands
 */
export function forecast(
  increments: readonly Increment[],
  given: { readonly used: number; readonly now: number; readonly resetsAt: number; readonly lengthMs: number },
  widen = 1,
): Forecast | null {
  const { used, now, resetsAt, lengthMs } = given
  const left = resetsAt - now
  const first = increments[0]?.at ?? now
  const past = Math.min(lengthMs, now - first)
  if (left <= 0 || past < MIN_PAST_MS) return null
  const part = past / PARTS
  const parts = Array.from({ length: PARTS }, () => 0)
  for (const { at, step } of increments) {
    const index = PARTS - 1 - Math.floor((now - at) / part)
    if (at <= now && index >= 0 && index < PARTS) parts[index] = (parts[index] ?? 0) + step
  }
  const mean = parts.reduce((sum, value) => sum + value, 0) / PARTS
  const spread = spreadOf(parts, mean)
  const rise = (after: number) => mean * (after / part)
  const half = (after: number) => {
    const count = after / part
    return widen * T90 * spread * Math.sqrt(count + count ** 2 / PARTS)
  }
  const reaches = (path: (after: number) => number) => firstReached(path, left, 1 - used)
  const exhausted = reaches(rise)
  const earliest = reaches((after) => rise(after) + half(after))
  return {
    value: used + rise(left),
    low: Math.max(used, used + rise(left) - half(left)),
    high: used + rise(left) + half(left),
    perHour: (mean / part) * HOUR_MS,
    exhaustedAt: exhausted === null ? null : now + exhausted,
    exhaustedEarliest: earliest === null ? null : now + earliest,
  }
}

/** Standard deviation of a part; larger if neighbouring parts resemble each other, since then the future varies more. */
function spreadOf(parts: readonly number[], mean: number): number {
  const squares = parts.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  if (squares === 0) return 0
  const products = parts.reduce(
    (sum, value, i) => (i === 0 ? 0 : sum + (value - mean) * ((parts[i - 1] ?? 0) - mean)),
    0,
  )
  const likeness = Math.min(0.6, Math.max(0, products / squares))
  return Math.sqrt((squares / (parts.length - 1)) * ((1 + likeness) / (1 - likeness)))
}

/** Returns the time after which a growing path reaches a value, by bisection; null if it does not within `left` ms. */
function firstReached(path: (after: number) => number, left: number, value: number): number | null {
  if (value <= 0) return 0
  if (path(left) < value) return null
  let [low, high] = [0, left]
  for (let step = 0; step < 50; step += 1) {
    const middle = (low + high) / 2
    if (path(middle) < value) low = middle
    else high = middle
  }
  return high
}

/** Fractions of a window at which its past forecasts are checked. */
const CHECK_AT = [0.25, 0.5, 0.75]

/** Makes the forecasts of past windows as they would have been made then, and compares them with the actual values. */
export function checkForecasts(instances: readonly Instance[], lengthMs: number): CheckedBands {
  const increments = incrementsOf(instances)
  const bands = new CheckedBands()
  for (const { readings, resetsAt } of instances.slice(0, -1)) {
    const last = readings.at(-1)
    if (resetsAt === null || last === undefined) continue
    for (const fraction of CHECK_AT) {
      const now = resetsAt - lengthMs * (1 - fraction)
      const then = readings.filter(({ at }) => at <= now).at(-1)
      if (then === undefined) continue
      const known = increments.filter(({ at }) => at <= now)
      const made = forecast(known, { used: then.used, now, resetsAt, lengthMs }, 1)
      if (made === null) continue
      bands.add(Math.abs(last.used - made.value), made.high - made.value)
    }
  }
  return bands
}
