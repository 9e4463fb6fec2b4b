import type { WritableDb } from './connection.ts'
import {
  deleteSessionRows,
  removeBeside,
  removeRows,
  sessionsThatHangFrom,
  type DeletedRows,
  type DeleteSessionParts,
} from './delete-session.ts'
import { deletionUnderWay, type Deletion, endDeletion, noteDeletion } from './deletions.ts'
import { forgetArchivedSession } from './archive/archive-tables.ts'
import { describeTables, type ProjectedTable } from './projected-tables.ts'
import { PROJECTIONS } from './projections/all.ts'
import { createRelease, namedContents } from './release-contents.ts'
import { createReplay } from './replay-events.ts'
import { markScrub } from './scrub.ts'
import { createSumsAside } from './sums-aside.ts'

/** A session of no more events goes in one transaction. */
const MOST_AT_ONCE = 1000
const SLICE_MS = 30
const SLICE_EVENTS = 400
/** Between two looks at the clock. */
const BATCH_EVENTS = 20

interface GoingEvent {
  readonly id: number
  readonly uuid: string
  readonly payload: string
}

/**
 * Takes a large session out a slice at a time, each in a transaction of its own that is run by `transact`: first nothing of
 * it is taken in or shown any more, then its sums go, then its events, the last first. Where another session hangs from what
 * is left, that goes in one transaction, as a small session does. Yields between two slices; what was cut short goes on where
 * it stood. Null, and nothing done: it is not large.
 */
export function* deleteInSlices(
  parts: DeleteSessionParts,
  sessionId: string,
  hide: () => void,
  transact: <T>(work: () => T) => T,
): Generator<void, DeletedRows | null, void> {
  const { db } = parts
  if (deletionUnderWay(db, sessionId) === null) {
    if (countAtMost(db, sessionId, MOST_AT_ONCE + 1) <= MOST_AT_ONCE) return null
    const begun = transact(() => {
      if (sessionsThatHangFrom(db, sessionId).length > 0) return null
      hide()
      return noteDeletion(db, sessionId, { areSumsGone: false, events: 0, sightings: 0 })
    })
    if (begun === null) return null
    yield
  }
  const slice = createSlice(db, sessionId)
  for (let isMore = true; ;) {
    // Between two steps a rebuild may have counted it in again.
    const before = deletionUnderWay(db, sessionId)
    if (before === null) return { events: 0, sightings: 0 }
    if (sumsToTakeOff(db, before).length > 0) {
      yield* takeSumsOff(parts, sessionId, transact)
    } else if (isMore) {
      isMore = transact(() => {
        const taken = slice()
        const events = before.events + taken.events
        const sightings = before.sightings + taken.sightings
        noteDeletion(db, sessionId, { areSumsGone: true, events, sightings })
        return taken.isMore
      })
    } else {
      return transact(() => {
        const rest = deleteSessionRows(parts, sessionId, true)
        endDeletion(db, sessionId)
        return { events: before.events + rest.events, sightings: before.sightings + rest.sightings }
      })
    }
    yield
  }
}

/** Tables of sums in which it is still counted. */
function sumsToTakeOff(db: WritableDb, { areSumsGone, sumsBack = [] }: Deletion): readonly ProjectedTable[] {
  if (areSumsGone && sumsBack.length === 0) return []
  const sums = projectedTables(db).filter(({ owner }) => owner === null)
  return areSumsGone ? sums.filter(({ name }) => sumsBack.includes(name)) : sums
}

/** Counts what its events had added, in steps: nothing changes them any more. */
function* takeSumsOff(
  parts: DeleteSessionParts,
  sessionId: string,
  transact: <T>(work: () => T) => T,
): Generator<void, void, void> {
  const { db } = parts
  const noted = () => deletionUnderWay(db, sessionId)
  const before = noted()
  if (before === null) return
  const projected = projectedTables(db)
  const aside = createSumsAside(parts, sumsToTakeOff(db, before))
  yield* createReplay(db)([sessionId], aside.set)
  transact(() => {
    // Counted in again meanwhile: what is to be taken off is another.
    const now = noted()
    if (JSON.stringify(now) !== JSON.stringify(before)) return
    aside.takeOff()
    forgetArchivedSession(db, sessionId)
    removeBeside(db, sessionId, projected)
    for (const table of projected) if (table.name === 'sessions') removeRows(db, table, sessionId)
    markScrub(db)
    const { events, sightings } = before
    noteDeletion(db, sessionId, { areSumsGone: true, events, sightings })
  })
}

/** Takes out the last events of a session, for some milliseconds; ends before one that another session hangs from. */
function createSlice(db: WritableDb, sessionId: string) {
  const last = db.prepare<[string, number], GoingEvent>(
    'SELECT id, uuid, payload FROM events WHERE session_id = ? ORDER BY turn_id DESC, seq DESC LIMIT ?',
  )
  const hangs = db
    .prepare<[number, string, number, string], number>(
      `SELECT 1 FROM ancestry a JOIN events c ON c.id = a.event_id WHERE a.parent_id = ? AND c.session_id <> ?
       UNION ALL SELECT 1 FROM tool_calls c JOIN tool_results r ON r.call_id = c.call_id WHERE c.id = ? AND r.session_id <> ? LIMIT 1`,
    )
    .pluck()
  const rows = projectedTables(db).flatMap(({ name, owner, keys }) => {
    const column = owner === 'event_id' ? 'event_id' : owner !== 'id' && keys.join() === 'id' ? 'id' : null
    return column === null ? [] : [db.prepare<[number]>(`DELETE FROM ${name} WHERE ${column} = ?`)]
  })
  const told = db.prepare<[string], { payload: string | null; with_first: number }>(
    'SELECT payload, with_first FROM sighting_rows WHERE uuid = ?',
  )
  const ofEvent = ['sighting_rows', 'event_keys', 'parent_keys', 'events'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE uuid = ?`),
  )
  const open = db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'delete')")
  const close = db.prepare("DELETE FROM metadata WHERE key = 'log_open'")
  const release = createRelease(db)

  /** How many sightings went with it. */
  const remove = ({ id, uuid, payload }: GoingEvent): number => {
    for (const row of rows) row.run(id)
    const sightings = told.all(uuid)
    for (const sighting of sightings) if (sighting.payload !== null) release(namedContents(sighting.payload))
    release(namedContents(payload))
    for (const row of ofEvent) row.run(uuid)
    return sightings.length + Number(!sightings.some(({ with_first }) => with_first === 1))
  }

  return () => {
    const until = performance.now() + SLICE_MS
    let [events, sightings, isMore] = [0, 0, true]
    open.run()
    while (isMore && events < SLICE_EVENTS && performance.now() < until) {
      const batch = last.all(sessionId, BATCH_EVENTS)
      isMore = batch.length > 0
      for (const event of batch) {
        if (hangs.get(event.id, sessionId, event.id, sessionId) !== undefined) {
          isMore = false
          break
        }
        sightings += remove(event)
        events += 1
      }
    }
    close.run()
    return { events, sightings, isMore }
  }
}

const projectedTables = (db: WritableDb) =>
  describeTables(
    db,
    PROJECTIONS.flatMap(({ tables }) => tables),
  )

function countAtMost(db: WritableDb, sessionId: string, most: number): number {
  const sql = 'SELECT count(*) FROM (SELECT 1 FROM events WHERE session_id = ? LIMIT ?)'
  return db.prepare<[string, number], number>(sql).pluck().get(sessionId, most) ?? 0
}
