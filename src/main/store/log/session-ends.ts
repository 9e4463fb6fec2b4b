import type { WritableDb } from '../database/connection.ts'

/** A session of which nothing was heard for so long has ended, unless it says otherwise later. */
const IDLE_MS = 30 * 60_000

export interface SessionEnds {
  /** Gives sessions that went quiet the end that no hook told of: their last event. Returns how many. */
  closeIdle(now: number): number
}

export function createSessionEnds(db: WritableDb): SessionEnds {
  const close = db.prepare<[string]>(
    'UPDATE sessions SET ended_at = last_event_at WHERE ended_at IS NULL AND last_event_at < ?',
  )
  return { closeIdle: (now) => close.run(new Date(now - IDLE_MS).toISOString()).changes }
}
