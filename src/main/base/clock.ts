/** Stamps events with their time. Replayed events bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds since the process started, as `performance.now()` counts them. */
  run(): number
}

/** Aspy is younger: a clock that shows an earlier day was never set. */
const FIRST_DAY = Date.parse('2026-01-01')

/** Returns true if the computer's clock shows a day on which Aspy did not exist. */
export const isClockUnset = (): boolean => Date.now() < FIRST_DAY

/** The computer's clock. While that is not set, time runs from the first possible day: no session begins in 1999. */
export const SYSTEM_CLOCK: Clock = {
  wall: () => Math.max(Date.now(), Math.trunc(FIRST_DAY + performance.now())),
  run: () => performance.now(),
}
