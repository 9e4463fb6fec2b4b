import type { AnyEvent } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow } from '../log/log.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'

/** Events per step. */
const STEP_EVENTS = 50

/** Applies the events of some sessions to projections again, in the order of the log, in steps of a few milliseconds. */
export function createReplay(
  db: WritableDb,
): (sessions: readonly string[], set: ProjectionSet) => Generator<void, void, void> {
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const idsOf = db.prepare<[string], number>('SELECT id FROM events WHERE session_id = ?').pluck()
  const row = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  return function* (sessions, set) {
    const ids = sessions.flatMap((session) => idsOf.all(session)).sort((a, b) => a - b)
    for (const [at, id] of ids.entries()) {
      const found = row.get(id)
      if (!found) continue
      const event: AnyEvent = eventOfRow(found, fetch)
      set.apply(event)
      const sightings = sightingsOf(event)
      for (const [index, sighting] of sightings.entries()) set.applySighting(event, sighting, sightings.slice(0, index))
      if (at % 1000 === 999) set.flush()
      if (at % STEP_EVENTS === STEP_EVENTS - 1) yield
    }
    set.flush()
  }
}
