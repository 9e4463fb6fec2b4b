import { closeLog, openLog } from '../database/metadata.ts'
import { forgetArchivedSession } from '../archive/archive-tables.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { tablesWithRole, type NamedTable } from '../tables.ts'
import { PROJECTIONS, SUM_PROJECTIONS } from '../projections/all.ts'
import { openProjections } from '../projections/projection-set.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { createReplay } from '../rebuild/replay-events.ts'
import { markScrub } from './scrub.ts'
import { dropShadowTables } from '../rebuild/shadow-tables.ts'

export interface DeleteSessionParts {
  readonly db: WritableDb
  readonly pricing: Pricing
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
}

/** Counts of deleted rows. */
export interface DeletedRows {
  readonly events: number
  /** Sightings of other sessions' events, which stay. */
  readonly sightings: number
}

/**
 * Deletes a session from the log and all derived tables; runs within a transaction. Sessions that depend on it (a
 * fork's events, its further sightings) are projected again, so that all tables equal the result of a rebuild. If the
 * session `isReadAgain`, people's additions to it stay.
 */
export function deleteSessionRows(
  parts: DeleteSessionParts,
  sessionId: string,
  { isReadAgain = false }: { readonly isReadAgain?: boolean } = {},
): DeletedRows {
  const { db, pricing, hash } = parts
  // Tables that a rebuild left behind are dropped, not searched.
  for (const _ of dropShadowTables(db));
  const owned = tablesWithRole('projection').filter(({ owner }) => owner !== null)
  const others = sessionsThatHangFrom(db, sessionId)
  const replay = createReplay(db)

  replay.remove([sessionId, ...others], openProjections(SUM_PROJECTIONS, { db, pricing, hash }))
  for (const session of [sessionId, ...others])
    for (const table of owned.toReversed()) removeProjected(db, table, session)
  const unlink = db.prepare<[string]>('DELETE FROM session_links WHERE other_session_id = ?')
  unlink.run(sessionId)
  if (!isReadAgain) removeOther(db, sessionId)
  const removed = removeFromLog(db, sessionId)
  if (others.length > 0) replay.apply(others, openProjections(PROJECTIONS, { db, pricing, hash }))
  if (isReadAgain) return removed
  // Projecting the others again links them once more.
  unlink.run(sessionId)
  markScrub(db, 'deleted')
  return removed
}

/** Finds sessions whose projections depend on this one by a sighting, a parent or the call of a result, and their dependents. */
export function sessionsThatHangFrom(db: WritableDb, sessionId: string): readonly string[] {
  const sighted = db
    .prepare<[string], string>(
      'SELECT DISTINCT e.session_id FROM sighting_rows s JOIN events e ON e.id = s.event_id WHERE s.other_session_id = ?',
    )
    .pluck()
  const below = db
    .prepare<[string], string>(
      `SELECT DISTINCT child.session_id FROM events e JOIN ancestry a ON a.parent_id = e.id
       JOIN events child ON child.id = a.event_id WHERE e.session_id = ?`,
    )
    .pluck()
  const results = db
    .prepare<[string], string>(
      `SELECT DISTINCT result.session_id FROM events e CROSS JOIN tool_call_rows c ON c.event_id = e.id
       JOIN tool_result_rows r ON r.call_id = c.call_id JOIN events result ON result.id = r.event_id WHERE e.session_id = ?`,
    )
    .pluck()
  const found = new Set([...sighted.all(sessionId), ...results.all(sessionId)])
  const due = [sessionId, ...found]
  for (let session = due.pop(); session !== undefined; session = due.pop())
    for (const next of below.all(session))
      if (next !== sessionId && !found.has(next)) {
        found.add(next)
        due.push(next)
      }
  found.delete(sessionId)
  return [...found]
}

function removeRows(db: WritableDb, { name, owner }: NamedTable, sessionId: string): void {
  const event = owner === 'event_uuid' ? 'uuid' : owner === 'event_id' ? 'id' : null
  const isOwned = event === null ? `${owner} = ?` : `${owner} IN (SELECT ${event} FROM events WHERE session_id = ?)`
  db.prepare<[string]>(`DELETE FROM ${name} WHERE ${isOwned}`).run(sessionId)
}

/** Deletes rows by event id through the log's index of sessions, since not every table has such an index. */
function removeProjected(db: WritableDb, table: NamedTable, sessionId: string): void {
  if (table.owner !== 'session_id' || table.eventId !== 'id') return removeRows(db, table, sessionId)
  const sql = `DELETE FROM ${table.name} WHERE id IN (SELECT id FROM events WHERE session_id = ?)`
  db.prepare<[string]>(sql).run(sessionId)
}

/** Removes people's additions to the session: labels, memories, episodes. */
export function removeOther(db: WritableDb, sessionId: string): void {
  for (const table of tablesWithRole('people')) if (table.owner !== null) removeRows(db, table, sessionId)
  db.prepare<[string]>('DELETE FROM answers_in_progress WHERE session_id = ?').run(sessionId)
}

function removeFromLog(db: WritableDb, sessionId: string): DeletedRows {
  const release = createRelease(db)
  const payloads = db.prepare<[string], string>('SELECT payload FROM events WHERE session_id = ?').pluck()
  const sightings = db
    .prepare<[string, string], { id: number; payload: string | null }>(
      `SELECT id, payload FROM sighting_rows WHERE other_session_id = ?
       UNION SELECT s.id, s.payload FROM events e JOIN sighting_rows s ON s.event_id = e.id WHERE e.session_id = ?`,
    )
    .all(sessionId, sessionId)
  const inEvents = db
    .prepare<[string], number>(
      `SELECT count(*) FROM events e WHERE e.session_id = ?
       AND NOT EXISTS (SELECT 1 FROM sighting_rows r WHERE r.event_id = e.id AND r.with_first = 1)`,
    )
    .pluck()
    .get(sessionId)
  const removeSighting = db.prepare<[number]>('DELETE FROM sighting_rows WHERE id = ?')
  const ofSession = 'uuid IN (SELECT uuid FROM events WHERE session_id = ?)'

  forgetArchivedSession(db, sessionId)
  openLog(db, 'delete')
  for (const { id, payload } of sightings) {
    if (payload !== null) release(namedContents(payload))
    removeSighting.run(id)
  }
  for (const payload of payloads.all(sessionId)) release(namedContents(payload))
  const ids = 'SELECT id FROM events WHERE session_id = ?'
  db.prepare<[string]>(`DELETE FROM key_rows WHERE event_id IN (${ids})`).run(sessionId)
  db.prepare<[string]>(`DELETE FROM parent_keys WHERE ${ofSession}`).run(sessionId)
  const events = db.prepare<[string]>('DELETE FROM events WHERE session_id = ?').run(sessionId).changes
  closeLog(db)
  return { events, sightings: sightings.length + (inEvents ?? 0) }
}
