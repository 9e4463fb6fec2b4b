import type { AnyEvent, StoredRequest } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import { EVENT_COLUMNS, sightingReader, type EventRow, type Sighting } from '../log/log.ts'
import { unpackPayload, type Fetch } from '../log/payload.ts'
import type { ArchivedEvent } from './archive-file.ts'

/** An event of the log as stored, and its line for an archive. */
export interface ReadEvent {
  readonly row: EventRow
  readonly event: AnyEvent
  readonly sightings: readonly Sighting[]
  /** Columns of the sightings as stored, to detect changes in the meantime. */
  readonly storedSightings: string
  readonly line: ArchivedEvent
}

/** Reads events with everything that the log knows about them. */
export function createLineReader(db: ReadableDb, fetch: Fetch) {
  const find = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  const keysOf = db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ? ORDER BY key').pluck()
  const parentKeysOf = db
    .prepare<[string], [string, number]>('SELECT key, position FROM parent_keys WHERE uuid = ? ORDER BY position, key')
    .raw()
  const storedSightings = db
    .prepare<[string], string>(
      'SELECT json_group_array(json_array(id, payload)) FROM (SELECT id, payload FROM sightings WHERE uuid = ? ORDER BY id)',
    )
    .pluck()
  const sightingsOf = sightingReader(db, fetch)
  return {
    /** Returns null if the event was deleted. */
    read(id: number): ReadEvent | null {
      const row = find.get(id)
      if (row === undefined) return null
      const { uuid, session_id, kind, ts_wall } = row
      const success = row.success === null ? null : row.success === 1
      const payload = unpackPayload(row.payload, fetch)
      const { id: _, ...columns } = row
      const sightings = sightingsOf(row)
      return {
        row,
        event: { ...row, success, payload } as unknown as AnyEvent,
        sightings,
        storedSightings: storedSightings.get(uuid) ?? '',
        line: {
          id,
          event: { ...columns, uuid, session_id, kind, ts_wall, success, payload },
          keys: keysOf.all(uuid),
          parent_keys: parentKeysOf.all(uuid),
          sightings: sightings.map(({ uuid: __, ...sighting }) => sighting),
        },
      }
    },
    /** Returns true if the event has not changed since it was read. */
    isSame: ({ row, storedSightings: before }: ReadEvent): boolean =>
      find.get(row.id)?.payload === row.payload && storedSightings.get(row.uuid) === before,
  }
}

/** Returns the blocks that a line's request names, without duplicates. */
export function namedBlocks({ event }: ArchivedEvent): readonly string[] {
  const request = event.payload['request'] as unknown as StoredRequest | null | undefined
  if (event.kind !== 'model_request' || !request || !Array.isArray(request.add)) return []
  return [...new Set([...request.add.flatMap(({ blocks }) => blocks), ...request.system, ...request.tools])]
}
