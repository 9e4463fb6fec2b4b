import { closeLog, openLog } from '../database/metadata.ts'
import { forgetArchivedEvents } from '../archive/archive-tables.ts'
import { contentReader } from '../log/contents.ts'
import type { WritableDb } from '../database/connection.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow } from '../log/log.ts'
import { tablesWithRole } from '../tables.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'

export interface EventRemovalParts {
  readonly db: WritableDb
  /** The store's own projections; the caller that ends the transaction flushes them. */
  readonly projections: ProjectionSet
}

/**
 * Removes single events, and sightings of events that stay, from the log. After each `end`, everything left is projected
 * as if the log had never held them, except rows by session (turns, agents …) of the deleted session. Runs within a
 * transaction.
 */
export type EventRemoval = ReturnType<typeof createEventRemoval>

export function createEventRemoval({ db, projections }: EventRemovalParts) {
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const release = createRelease(db)
  const archived = forgetArchivedEvents(db)

  const {
    rowsOfEvent,
    keysOfEvent,
    sightingsOfEvent,
    ofEvent,
    sightingPayloads,
    children,
    released,
    namedByCall,
    sighted,
    eventOf,
    removeSightingRow,
  } = prepareStatements(db)

  function releaseAll(payloads: readonly (string | null)[]): void {
    for (const payload of payloads) if (payload !== null) release(namedContents(payload))
  }

  /** Finds results that stay and take the name of their tool from this call. */
  function resultsNamedBy(id: number) {
    return namedByCall.all(id).flatMap((row) => {
      const event = eventOfRow(row, fetch)
      return event.kind === 'tool_result' && event.payload.tool_name === null ? [{ row, event }] : []
    })
  }

  return {
    begin() {
      openLog(db, 'delete')
    },
    /** Returns the number of sightings removed with it. */
    remove(row: EventRow) {
      const { id, uuid } = row
      projections.remove(eventOfRow(row, fetch), sightingsOf(row))
      const results = row.kind === 'tool_call' ? resultsNamedBy(id) : []
      const renamed = results.map(({ row: result, event }) => {
        const rename = projections.loseCall(event, sightingsOf(result))
        return () => rename(eventOfRow(result, fetch))
      })
      const below = children.all(id)
      archived.event(id)
      for (const rows of rowsOfEvent) rows.run(id)
      const sightings = sightingPayloads.all(id)
      releaseAll([...sightings.map(({ payload }) => payload), row.payload])
      keysOfEvent.run(id)
      sightingsOfEvent.run(id)
      for (const rows of ofEvent) rows.run(uuid)
      for (const other of [...below, ...released.all()]) projections.applyLinks(other)
      for (const rename of renamed) rename()
      return sightings.length + Number(!sightings.some(({ with_first }) => with_first === 1))
    },
    /** A further sighting of an event that stays. */
    removeSighting(id: number) {
      const row = sighted.get(id)
      if (row === undefined) return
      archived.sightingOf(row.event_id)
      const sightingPayloads = row.payload === null ? undefined : eventOf.get(row.event_id)
      if (sightingPayloads === undefined) return void removeSightingRow.run(id)
      const event = eventOfRow(sightingPayloads, fetch)
      const before = sightingsOf(sightingPayloads)
      const after = before.filter((sighting) => sighting.id !== id)
      removeSightingRow.run(id)
      releaseAll([row.payload])
      projections.loseSightings(event, before, after)
    },
    end() {
      closeLog(db)
    },
  }
}

function prepareStatements(db: WritableDb) {
  const rowsOfEvent = tablesWithRole('projection').flatMap(({ name, eventId, perEvent }) => {
    const column = eventId ?? perEvent
    return column === undefined ? [] : [db.prepare<[number]>(`DELETE FROM ${name} WHERE ${column} = ?`)]
  })
  const keysOfEvent = db.prepare<[number]>('DELETE FROM key_rows WHERE event_id = ?')
  const sightingsOfEvent = db.prepare<[number]>('DELETE FROM sighting_rows WHERE event_id = ?')
  const ofEvent = ['parent_keys', 'events'].map((table) => db.prepare<[string]>(`DELETE FROM ${table} WHERE uuid = ?`))
  const sightingPayloads = db.prepare<[number], { payload: string | null; with_first: number }>(
    'SELECT payload, with_first FROM sighting_rows WHERE event_id = ?',
  )
  const children = db
    .prepare<[number], string>('SELECT c.uuid FROM ancestry a JOIN events c ON c.id = a.event_id WHERE a.parent_id = ?')
    .pluck()
  // Events whose parent was cut to break a cycle get it back, since the cycle may no longer exist.
  const released = db
    .prepare<[], string>(
      'UPDATE ancestry SET cut = 0 WHERE cut = 1 RETURNING (SELECT uuid FROM events WHERE id = event_id)',
    )
    .pluck()
  const namedByCall = db.prepare<[number], EventRow>(
    `SELECT ${EVENT_COLUMNS.split(', ')
      .map((column) => `e.${column}`)
      .join(', ')}
     FROM tool_call_rows c JOIN tool_result_rows r ON r.call_id = c.call_id JOIN events e ON e.id = r.event_id
     WHERE c.event_id = ? AND r.event_id > c.event_id`,
  )
  const sighted = db.prepare<[number], { event_id: number; payload: string | null }>(
    'SELECT event_id, payload FROM sighting_rows WHERE id = ?',
  )
  const eventOf = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  const removeSightingRow = db.prepare<[number]>('DELETE FROM sighting_rows WHERE id = ?')
  return {
    rowsOfEvent,
    keysOfEvent,
    sightingsOfEvent,
    ofEvent,
    sightingPayloads,
    children,
    released,
    namedByCall,
    sighted,
    eventOf,
    removeSightingRow,
  }
}
