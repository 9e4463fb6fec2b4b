import type { WritableDb } from '../database/connection.ts'

/** A session without an event for this long counts as ended, until its next event. */
const IDLE_MS = 30 * 60_000

export interface SessionEnds {
  /** Ends idle sessions that no hook ended, at their last event. Returns how many. */
  closeIdle(now: number): number
}

export function createSessionEnds(db: WritableDb): SessionEnds {
  const close = db.prepare<[string]>(
    'UPDATE sessions SET ended_at = last_event_at WHERE ended_at IS NULL AND last_event_at < ?',
  )
  return { closeIdle: (now) => close.run(new Date(now - IDLE_MS).toISOString()).changes }
}
