import type { AnyEvent } from '../../../shared/event.ts'
import { contentReader } from '../log/contents.ts'
import type { WritableDb } from '../database/connection.ts'
import type { DeleteSessionParts } from './delete-session.ts'
import { EVENT_COLUMNS, eventOfRow, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { projectedTables } from '../rebuild/projected-tables.ts'
import { PROJECTIONS } from '../projections/all.ts'
import { openProjections, type ProjectionSet } from '../projections/projection-set.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { createSumsAside } from './aggregate-adjustment.ts'

/**
 * Takes single events, and sightings of events that stay, out of the log. After each `end` all that stays is projected as if
 * the log had never held them, but for rows by session (turns, agents …) of the session that goes. Within a transaction.
 */
export interface EventRemoval {
  begin(): void
  /** How many sightings went with it. */
  remove(row: EventRow): number
  /** A further sighting of an event that stays. */
  removeSighting(id: number): void
  end(): void
}

export interface EventRemovalParts extends DeleteSessionParts {
  /** The store's own; what they gather is written by whoever ends the transaction. */
  readonly projections: ProjectionSet
}

/** Makes temporary tables: not within a transaction, which might be rolled back. */
export function createEventRemoval(parts: EventRemovalParts): EventRemoval {
  const { db, pricing, hash, projections } = parts
  const tables = projectedTables(db)
  const sums = tables.filter(({ owner }) => owner === null)
  const aside = createSumsAside(parts, sums)
  const counting = PROJECTIONS.filter((projection) => sums.some(({ name }) => projection.tables.includes(name)))
  const anew = openProjections(counting, db, pricing, hash)
  const fetch = contentReader(db)
  const sightingsOf = sightingReader(db, fetch)
  const release = createRelease(db)

  const rowsOfEvent = tables.flatMap(({ name, owner, keys }) => {
    const column = owner === 'event_id' ? 'event_id' : owner !== 'id' && keys.join() === 'id' ? 'id' : null
    return column === null ? [] : [db.prepare<[number]>(`DELETE FROM ${name} WHERE ${column} = ?`)]
  })
  const keysOfEvent = db.prepare<[number]>('DELETE FROM key_rows WHERE event_id = ?')
  const ofEvent = ['sighting_rows', 'parent_keys', 'events'].map((table) =>
    db.prepare<[string]>(`DELETE FROM ${table} WHERE uuid = ?`),
  )
  const told = db.prepare<[string], { payload: string | null; with_first: number }>(
    'SELECT payload, with_first FROM sighting_rows WHERE uuid = ?',
  )
  const children = db
    .prepare<[number], string>('SELECT c.uuid FROM ancestry a JOIN events c ON c.id = a.event_id WHERE a.parent_id = ?')
    .pluck()
  // Those whose parent was left out, since it would have closed a cycle, have it back where the cycle is broken.
  const released = db
    .prepare<[], string>(
      'UPDATE ancestry SET cut = 0 WHERE cut = 1 RETURNING (SELECT uuid FROM events WHERE id = event_id)',
    )
    .pluck()
  const namedByCall = db.prepare<[number], EventRow>(
    `SELECT ${EVENT_COLUMNS.split(', ')
      .map((column) => `e.${column}`)
      .join(', ')}
     FROM tool_calls c JOIN tool_results r ON r.call_id = c.call_id JOIN events e ON e.id = r.id WHERE c.id = ? AND r.id > c.id`,
  )
  const sighted = db.prepare<[number], { uuid: string; payload: string | null }>(
    'SELECT uuid, payload FROM sighting_rows WHERE id = ?',
  )
  const eventOf = db.prepare<[string], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE uuid = ?`)
  const removeSightingRow = db.prepare<[number]>('DELETE FROM sighting_rows WHERE id = ?')

  /** Takes what an event had added off the sums that `end` writes, or adds it to them. */
  function count(set: ProjectionSet, event: AnyEvent, sightings: readonly Sighting[]): void {
    set.apply(event)
    for (const [at, sighting] of sightings.entries()) set.applySighting(event, sighting, sightings.slice(0, at))
  }

  function releaseAll(payloads: readonly (string | null)[]): void {
    for (const payload of payloads) if (payload !== null) release(namedContents(payload))
  }

  /** Results that stay, and do not say themselves of which tool they are. */
  function resultsNamedBy(id: number) {
    return namedByCall.all(id).flatMap((row) => {
      const event = eventOfRow(row, fetch)
      return event.kind === 'tool_result' && event.payload.tool_name === null ? [{ row, event }] : []
    })
  }

  return {
    begin() {
      aside.set.discard()
      anew.discard()
      openLog(db)
    },
    remove(row) {
      const { id, uuid } = row
      count(aside.set, eventOfRow(row, fetch), sightingsOf(row))
      const results = row.kind === 'tool_call' ? resultsNamedBy(id) : []
      for (const { event } of results) count(aside.set, event, sightingsOf(event))
      const below = children.all(id)
      for (const rows of rowsOfEvent) rows.run(id)
      const sightings = told.all(uuid)
      releaseAll([...sightings.map(({ payload }) => payload), row.payload])
      keysOfEvent.run(id)
      for (const rows of ofEvent) rows.run(uuid)
      for (const other of [...below, ...released.all()]) projections.applyLinks(other)
      for (const { row: result } of results) {
        projections.loseCall(result.id)
        count(anew, eventOfRow(result, fetch), sightingsOf(result))
      }
      return sightings.length + Number(!sightings.some(({ with_first }) => with_first === 1))
    },
    removeSighting(id) {
      const row = sighted.get(id)
      if (row === undefined) return
      const told = row.payload === null ? undefined : eventOf.get(row.uuid)
      if (told === undefined) return void removeSightingRow.run(id)
      const event = eventOfRow(told, fetch)
      const before = sightingsOf(told)
      const after = before.filter((sighting) => sighting.id !== id)
      count(aside.set, event, before)
      removeSightingRow.run(id)
      releaseAll([row.payload])
      projections.loseSightings(event, before, after)
      count(anew, event, after)
    },
    end() {
      aside.takeOff()
      anew.flush()
      closeLog(db)
    },
  }
}

/** Within a transaction: from now on rows may be taken out of the log. */
function openLog(db: WritableDb): void {
  db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'delete')").run()
}

function closeLog(db: WritableDb): void {
  db.prepare("DELETE FROM metadata WHERE key = 'log_open'").run()
}
