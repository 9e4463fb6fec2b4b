/** All in milliseconds. */
export interface RecorderTiming {
  /** A recorder that shows no sign of life for so long is ended. */
  readonly hangMs: number
  /** The same before it is ready: migrations of a large database take their time. */
  readonly startMs: number
  /** Wait before the first restart; doubled with each failure in a row. */
  readonly minBackoffMs: number
  /** How long a call waits for the first recorder to be ready. */
  readonly callMs: number
  readonly maxBackoffMs: number
}

export const TIMING: RecorderTiming = {
  hangMs: 30_000,
  startMs: 600_000,
  minBackoffMs: 100,
  callMs: 10_000,
  maxBackoffMs: 30_000,
}
