import type { AnyEvent } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { contentReader } from '../log/contents.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow } from '../log/log.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'

/** Events after which collected rows are written. */
const FLUSH_EVENTS = 1000

/** Takes the events of some sessions out of sums, or applies them to projections again; both in the order of the log. */
export function createReplay(db: WritableDb) {
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const idsOf = db.prepare<[string], number>('SELECT id FROM events WHERE session_id = ?').pluck()
  const row = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  function* eventsOf(sessions: readonly string[], set: ProjectionSet): Generator<AnyEvent, void, void> {
    const ids = sessions.flatMap((session) => idsOf.all(session)).sort((a, b) => a - b)
    for (const [at, id] of ids.entries()) {
      const found = row.get(id)
      if (found) yield eventOfRow(found, fetch)
      if (at % FLUSH_EVENTS === FLUSH_EVENTS - 1) set.flush()
    }
    set.flush()
  }
  return {
    remove(sessions: readonly string[], set: ProjectionSet) {
      for (const event of eventsOf(sessions, set)) set.remove(event, sightingsOf(event))
    },
    apply(sessions: readonly string[], set: ProjectionSet) {
      for (const event of eventsOf(sessions, set)) {
        set.apply(event)
        const sightings = sightingsOf(event)
        for (const [at, sighting] of sightings.entries()) set.applySighting(event, sighting, sightings.slice(0, at))
      }
    },
  }
}
