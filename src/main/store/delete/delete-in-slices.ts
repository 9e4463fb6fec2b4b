import type { WritableDb } from '../database/connection.ts'
import {
  deleteSessionRows,
  removeOther,
  sessionsThatHangFrom,
  type DeletedRows,
  type DeleteSessionParts,
} from './delete-session.ts'
import { deletionUnderWay, endDeletion, noteDeletion } from './deletions.ts'
import type { EventRemoval } from './event-removal.ts'
import { EVENT_COLUMNS, type EventRow } from '../log/log.ts'
import { markScrub } from './scrub.ts'

/** A session with no more events than this is deleted in one transaction. */
const MAX_AT_ONCE = 250
const SLICE_MS = 30
const SLICE_ROWS = 400
/** Rows between two reads of the clock. */
const BATCH_ROWS = 20

/**
 * Deletes a large session slice by slice, each in its own transaction run by `transact`. The first slice blocks and hides
 * the session. Then its events go, last first, followed by its sightings of other sessions' events. After each slice, the
 * rest is as if the deleted part had never existed. Yields between two slices; an interrupted deletion resumes where it
 * was. Returns null without any change if the session is not large.
 */
export function* deleteInSlices(
  parts: DeleteSessionParts,
  removal: EventRemoval,
  sessionId: string,
  hide: () => void,
  transact: <T>(work: () => T) => T,
): Generator<void, DeletedRows | null, void> {
  const { db } = parts
  if (deletionUnderWay(db, sessionId) === null) {
    if (isSmall(db, sessionId)) return null
    transact(() => {
      hide()
      removeOther(db, sessionId)
      markScrub(db, 'deleted')
      noteDeletion(db, sessionId, { events: 0, sightings: 0 })
    })
    yield
  }
  const slice = createSlice(db, removal, sessionId)
  for (let isMore = true; isMore;) {
    isMore = transact(() => {
      const before = deletionUnderWay(db, sessionId)
      const taken = slice()
      if (before !== null) noteDeletion(db, sessionId, sumOf(before, taken))
      return taken.isMore
    })
    yield
  }
  return transact(() => {
    const before = deletionUnderWay(db, sessionId)
    const rest = deleteSessionRows(parts, sessionId)
    endDeletion(db, sessionId)
    return before === null ? rest : sumOf(before, rest)
  })
}

const sumOf = (one: DeletedRows, other: DeletedRows): DeletedRows => ({
  events: one.events + other.events,
  sightings: one.sightings + other.sightings,
})

/** Deletes the last events of a session, then its sightings, for a few milliseconds. */
function createSlice(db: WritableDb, removal: EventRemoval, sessionId: string) {
  const lastEvents = db.prepare<[string, number], EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events WHERE session_id = ? ORDER BY turn_id DESC, seq DESC LIMIT ?`,
  )
  const someSightings = db
    .prepare<[string, number], number>('SELECT id FROM sighting_rows WHERE other_session_id = ? LIMIT ?')
    .pluck()
  return (): DeletedRows & { readonly isMore: boolean } => {
    const until = performance.now() + SLICE_MS
    let [events, sightings, isMore] = [0, 0, true]
    removal.begin()
    while (isMore && events + sightings < SLICE_ROWS && performance.now() < until) {
      const rows = lastEvents.all(sessionId, BATCH_ROWS)
      for (const row of rows) sightings += removal.remove(row)
      events += rows.length
      if (rows.length > 0) continue
      const found = someSightings.all(sessionId, BATCH_ROWS)
      for (const id of found) removal.removeSighting(id)
      sightings += found.length
      isMore = found.length > 0
    }
    removal.end()
    return { events, sightings, isMore }
  }
}

/** Returns true if the session and its dependents, which are all projected again if it is deleted at once, are small. */
function isSmall(db: WritableDb, sessionId: string): boolean {
  const events = atMost(db, 'events', sessionId)
  if (events > MAX_AT_ONCE || sightingsAtMost(db, sessionId) > MAX_AT_ONCE) return false
  const others = sessionsThatHangFrom(db, sessionId)
  return others.reduce((sum, other) => sum + atMost(db, 'events', other), events) <= MAX_AT_ONCE
}

/** Counts a session's sightings, of its own events and of others, up to the number that matters. */
function sightingsAtMost(db: WritableDb, sessionId: string): number {
  const found = db
    .prepare<[string, string, number], number>(
      `SELECT count(*) FROM (
         SELECT 1 FROM sighting_rows WHERE other_session_id = ?
         UNION ALL SELECT 1 FROM events e JOIN sighting_rows s ON s.event_id = e.id WHERE e.session_id = ? AND s.other_session_id IS NULL
         LIMIT ?)`,
    )
    .pluck()
    .get(sessionId, sessionId, MAX_AT_ONCE + 1)
  return found ?? 0
}

/** Counts a session's rows in a table of the log, up to the number that matters. */
function atMost(db: WritableDb, table: string, sessionId: string): number {
  const sql = `SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE session_id = ? LIMIT ?)`
  const found = db
    .prepare<[string, number], number>(sql)
    .pluck()
    .get(sessionId, MAX_AT_ONCE + 1)
  return found ?? 0
}
