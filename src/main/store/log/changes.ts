import type { WritableDb } from '../database/connection.ts'

/**
 * Entries of `changes` that no trigger writes: projections that changed while the log did not. Triggers write the rest,
 * in the transaction of the change itself.
 */

/** Notes that costs may differ: prices changed, or all of `api_usage` was filled again. */
export function noteRecalculatedCosts(db: WritableDb): void {
  db.prepare("INSERT INTO changes (kind, event_id) SELECT 'correction', id FROM api_usage ORDER BY id").run()
}

/** Notes that titles, projects and branches of sessions may have been redacted. */
export function noteRedactedSessions(db: WritableDb): void {
  db.prepare("INSERT INTO changes (kind, name) SELECT 'session', id FROM sessions ORDER BY id").run()
}
