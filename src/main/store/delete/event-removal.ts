import type { AnyEvent } from '../../../shared/event.ts'
import { forgetArchivedEvents } from '../archive/archive-tables.ts'
import { contentReader } from '../log/contents.ts'
import type { WritableDb } from '../database/connection.ts'
import type { DeleteSessionParts } from './delete-session.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { tablesWithRole } from '../tables.ts'
import { openProjections, type ProjectionSet } from '../projections/projection-set.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { createAggregateAdjustment, SUM_PROJECTIONS } from './aggregate-adjustment.ts'

/**
 * Removes single events, and sightings of events that stay, from the log. After each `end`, everything left is projected
 * as if the log had never held them, except rows by session (turns, agents …) of the deleted session. Runs within a
 * transaction.
 */
export interface EventRemoval {
  begin(): void
  /** Returns how many sightings went with it. */
  remove(row: EventRow): number
  /** A further sighting of an event that stays. */
  removeSighting(id: number): void
  end(): void
}

export interface EventRemovalParts extends DeleteSessionParts {
  /** The store's own projections; the caller that ends the transaction flushes them. */
  readonly projections: ProjectionSet
}

/** Creates temporary tables: call it outside transactions, which might be rolled back. */
export function createEventRemoval(parts: EventRemovalParts): EventRemoval {
  const { db, pricing, hash, projections } = parts
  const gone = createAggregateAdjustment(parts)
  const added = openProjections(SUM_PROJECTIONS, { db, pricing, hash })
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

  /** Counts an event into the sums that `end` subtracts or adds. */
  function count(set: ProjectionSet, event: AnyEvent, sightings: readonly Sighting[]): void {
    set.apply(event)
    for (const [at, sighting] of sightings.entries()) set.applySighting(event, sighting, sightings.slice(0, at))
  }

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
      gone.set.discard()
      added.discard()
      openLog(db)
    },
    remove(row) {
      const { id, uuid } = row
      count(gone.set, eventOfRow(row, fetch), sightingsOf(row))
      const results = row.kind === 'tool_call' ? resultsNamedBy(id) : []
      for (const { event } of results) count(gone.set, event, sightingsOf(event))
      const below = children.all(id)
      archived.event(id)
      for (const rows of rowsOfEvent) rows.run(id)
      const sightings = sightingPayloads.all(id)
      releaseAll([...sightings.map(({ payload }) => payload), row.payload])
      keysOfEvent.run(id)
      sightingsOfEvent.run(id)
      for (const rows of ofEvent) rows.run(uuid)
      for (const other of [...below, ...released.all()]) projections.applyLinks(other)
      for (const { row: result } of results) {
        projections.loseCall(result.id)
        count(added, eventOfRow(result, fetch), sightingsOf(result))
      }
      return sightings.length + Number(!sightings.some(({ with_first }) => with_first === 1))
    },
    removeSighting(id) {
      const row = sighted.get(id)
      if (row === undefined) return
      archived.sightingOf(row.event_id)
      const sightingPayloads = row.payload === null ? undefined : eventOf.get(row.event_id)
      if (sightingPayloads === undefined) return void removeSightingRow.run(id)
      const event = eventOfRow(sightingPayloads, fetch)
      const before = sightingsOf(sightingPayloads)
      const after = before.filter((sighting) => sighting.id !== id)
      count(gone.set, event, before)
      removeSightingRow.run(id)
      releaseAll([row.payload])
      projections.loseSightings(event, before, after)
      count(added, event, after)
    },
    end() {
      gone.subtract()
      added.flush()
      closeLog(db)
    },
  }
}

/** Allows rows of the log to be deleted until `closeLog`. Runs within a transaction. */
function openLog(db: WritableDb): void {
  db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'delete')").run()
}

function closeLog(db: WritableDb): void {
  db.prepare("DELETE FROM metadata WHERE key = 'log_open'").run()
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
  // Events whose parent was cut to break a cycle get it back: the cycle may be gone.
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
