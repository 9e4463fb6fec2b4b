import { niceStep } from '../../../lib/axis.ts'

/** A span of time in ms since 1970. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

const MIN_MS = 10

/** Zooms a window around a moment; a factor below 1 shows less time. Never leaves `bounds`. */
export function zoomed(window: TimeWindow, factor: number, around: number, bounds: TimeWindow): TimeWindow {
  const span = Math.max(MIN_MS, (window.to - window.from) * factor)
  const share = (around - window.from) / Math.max(1, window.to - window.from)
  const from = around - share * span
  return within({ from, to: from + span }, bounds)
}

/** Moves a window by a share of its width. */
export function panned(window: TimeWindow, share: number, bounds: TimeWindow): TimeWindow {
  const by = (window.to - window.from) * share
  return within({ from: window.from + by, to: window.to + by }, bounds)
}

/** Returns the window inside its bounds: moved if it fits, cut if it does not. */
function within({ from, to }: TimeWindow, bounds: TimeWindow): TimeWindow {
  const span = Math.min(to - from, bounds.to - bounds.from)
  const start = Math.min(Math.max(from, bounds.from), bounds.to - span)
  return { from: start, to: start + span }
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const STEPS = [2, 5, 10, 15, 30]
  .map((seconds) => seconds * SECOND)
  .concat(
    [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
    [1, 2, 5, 10].map((hours) => hours * HOUR),
  )

/** Returns moments in a window at round times after an origin, at most `count`. */
export function elapsedTicks({ from, to }: TimeWindow, origin: number, count: number): number[] {
  const least = Math.max(1, (to - from) / Math.max(1, count))
  const step =
    least <= SECOND ? niceStep(least) : (STEPS.find((size) => size >= least) ?? niceStep(least / HOUR) * HOUR)
  const first = Math.ceil((from - origin) / step)
  const ticks = Array.from(
    { length: Math.max(0, Math.floor((to - origin) / step) - first + 1) },
    (_, at) => origin + (first + at) * step,
  )
  return ticks.slice(0, count + 1)
}
