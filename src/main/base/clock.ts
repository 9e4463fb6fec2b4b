import { DAY_MS } from '../../shared/time-units.ts'

/** Stamps events with their time. Replayed events bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds since the process started, as `performance.now()` counts them. */
  run(): number
}

/** Aspy is younger, and no build of today runs ten years later: a clock that shows another day is not set. */
const FIRST_DAY = Date.parse('2026-01-01')
const LAST_DAY = Date.parse('2036-01-01')

/** Returns true if the computer's clock shows a day on which this Aspy cannot run. */
export const isClockUnset = (): boolean => Date.now() < FIRST_DAY || Date.now() >= LAST_DAY

/** Returns true for a moment that was stamped while the clock was not set. */
export const isOfUnsetClock = (moment: number): boolean => moment >= FIRST_DAY && moment < FIRST_DAY + DAY_MS

/** The computer's clock. While that is not set, time runs from the first possible day: no session begins in 1999 or 2047. */
export const SYSTEM_CLOCK: Clock = {
  wall: () => (isClockUnset() ? Math.trunc(FIRST_DAY + performance.now()) : Date.now()),
  run: () => performance.now(),
}
