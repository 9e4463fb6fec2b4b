/** Stamps events with their time. Replayed events bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  wall(): number
  /** Milliseconds since the process started, as `performance.now()` counts them. */
  run(): number
}

export const SYSTEM_CLOCK: Clock = { wall: () => Date.now(), run: () => performance.now() }
