import { HOUR_MS, MINUTE_MS } from '../../../shared/time-units.ts'
import { isOfUnsetClock } from '../../base/clock.ts'

export interface ClockSpan {
  readonly since: Date
  /** Exclusive. */
  readonly until: Date
}

/** Smaller steps back are corrections of the clock. */
const SET_BACK_MS = MINUTE_MS
/** Answers that overlap are recorded in another order than they began. */
const OVERLAP_MS = HOUR_MS
/** Changes of the clock that are remembered. */
const MOST = 20

/** Returns the hour or day of a moment by the local clock. A day can have 23 or 25 hours, and an hour can come twice. */
export function spanOf(period: 'hour' | 'day', wall: number): ClockSpan {
  const now = new Date(wall)
  if (period === 'hour') {
    const since = wall - (wall % MINUTE_MS) - now.getMinutes() * MINUTE_MS
    return { since: new Date(since), until: new Date(since + HOUR_MS) }
  }
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  return { since: new Date(year, month, day), until: new Date(year, month, day + 1) }
}

/**
 * Knows which hours and days count as the one that is now: if somebody sets the clock back, or sets it at all, what was spent
 * until then has times of another day, and must not leave a cap whole.
 */
export class ClockSpans {
  #last: { readonly wall: number; readonly isUnset: boolean } | null = null
  readonly #changes: { readonly from: number; readonly to: number }[] = []

  /** Learns of changes before this start: `recorded` are the times of the newest answers, in the order of their arrival. */
  recall(recorded: readonly number[]): void {
    for (const wall of recorded) {
      const last = this.#last?.wall ?? -Infinity
      if (wall > last || wall < last - OVERLAP_MS) this.follow(wall)
    }
  }

  /** Looks at the clock. A step forward may be a sleep, and is none of its changes. */
  follow(wall: number): void {
    const isUnset = isOfUnsetClock(wall)
    const last = this.#last
    this.#last = { wall, isUnset }
    if (last === null || (wall > last.wall - SET_BACK_MS && (isUnset || !last.isUnset))) return
    this.#changes.push({ from: last.wall, to: wall })
    if (this.#changes.length > MOST) this.#changes.shift()
  }

  /** Returns the spans that count as the hour or day of a moment; the first is its own. */
  of(period: 'hour' | 'day', wall: number): readonly [ClockSpan, ...ClockSpan[]] {
    const own = spanOf(period, wall)
    const before = this.#changes
      .filter(({ to }) => to >= own.since.getTime() && to < own.until.getTime())
      .map(({ from }) => spanOf(period, from))
    const others = new Map(before.map((span) => [span.since.getTime(), span]))
    others.delete(own.since.getTime())
    return [own, ...others.values()]
  }
}
