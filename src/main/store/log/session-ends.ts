import type { WritableDb } from '../database/connection.ts'

/** A session without an event for this long counts as ended, until its next event. */
const IDLE_MS = 30 * 60_000
/** Sessions that one call ends: an import or a rebuild may leave thousands. */
export const ENDED_AT_ONCE = 500

export type SessionEnds = ReturnType<typeof createSessionEnds>

export function createSessionEnds(db: WritableDb) {
  const close = db.prepare<[string]>(
    `UPDATE sessions SET ended_at = last_event_at WHERE rowid IN
       (SELECT rowid FROM sessions WHERE ended_at IS NULL AND last_event_at < ? LIMIT ${ENDED_AT_ONCE})`,
  )
  return {
    /** Ends up to `ENDED_AT_ONCE` idle sessions that no hook ended, at their last event. Returns how many. */
    closeIdle: (now: number) => close.run(new Date(now - IDLE_MS).toISOString()).changes,
  }
}
