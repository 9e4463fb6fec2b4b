/** Timeouts of the recorder host, in milliseconds. */
export interface RecorderTiming {
  /** A recorder that sends no heartbeat for this long is terminated. */
  readonly hangMs: number
  /** The same limit before it is ready: migrating a large database takes time. */
  readonly startMs: number
  /** Delay before the first restart; doubles with each failure in a row. */
  readonly minBackoffMs: number
  /** Maximum time that a call waits for the first recorder to be ready. */
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
