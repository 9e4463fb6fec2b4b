import type { EventSource, JsonObject, StoredRequest } from '../../../shared/event.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import type { EventRow } from '../log/log.ts'
import { EVENT_COLUMNS, toFlag, type EventAnswer } from './events.ts'
import { fromCursor, toCursor } from '../../listings/cursor.ts'
import type { Reader } from './reader.ts'

/** An event with everything that the log knows about it, as an export contains it. */
export interface ExportedEvent {
  /** Without its id, since another log assigns its own. */
  readonly event: Omit<EventAnswer, 'id'>
  readonly keys: string[]
  /** Keys of better parents that had not arrived, with their order. */
  readonly parent_keys: [string, number][]
  readonly sightings: {
    source: EventSource
    session_id: string
    seen_at: string
    payload: { [key: string]: unknown } | null
  }[]
  /** Texts of the blocks that requests name, by hash; each appears once per page. */
  readonly contents: { [hash: string]: string }
}

/** A page ends at this size, regardless of its number of events. */
const MAX_CHARACTERS = 4_000_000

/** Exports events in the order of the log; those of one session in the order of its turns. */
export function exportPage(
  reader: Reader,
  { session_id, limit, cursor }: { session_id?: string; limit: number; cursor?: string },
): { items: ExportedEvent[]; next: string | null } {
  const rows = rowsOf(reader, session_id, limit, cursor)
  const items: ExportedEvent[] = []
  const given = new Set<string>()
  let characters = 0
  for (const row of rows) {
    const item = toExport(reader, row, given)
    characters += JSON.stringify(item).length
    items.push(item)
    if (characters > MAX_CHARACTERS) break
  }
  const last = rows[items.length - 1]
  const isLast = items.length === rows.length && rows.length < limit
  return {
    items,
    next: isLast || last === undefined ? null : toCursor([session_id === undefined ? last.id : last.turn_id, last.seq]),
  }
}

function rowsOf(reader: Reader, sessionId: string | undefined, limit: number, cursor: string | undefined): EventRow[] {
  const [after, seq] = cursor === undefined ? [-1, -1] : fromCursor(cursor, ['number', 'number'])
  return sessionId === undefined
    ? reader.all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.id > ? AND e.${NOT_UNDER_DELETION} ORDER BY e.id LIMIT ?`,
        after,
        limit,
      )
    : reader.all<EventRow>(
        `SELECT ${EVENT_COLUMNS} FROM events e
         WHERE e.session_id = ? AND (e.turn_id, e.seq) > (?, ?) ORDER BY e.turn_id, e.seq LIMIT ?`,
        sessionId,
        after,
        seq,
        limit,
      )
}

function toExport(reader: Reader, row: EventRow, given: Set<string>): ExportedEvent {
  const payload = reader.payload(row.payload)
  const { id: _, ...event } = { ...row, success: toFlag(row.success), payload }
  const sightings = reader
    .all<{ source: EventSource; session_id: string; seen_at: string; payload: string | null }>(
      'SELECT source, session_id, seen_at, payload FROM sightings WHERE uuid = ? ORDER BY id',
      row.uuid,
    )
    .map((one) => ({ ...one, payload: one.payload === null ? null : reader.payload(one.payload) }))
  return {
    event,
    keys: keysOf(reader, row.uuid),
    parent_keys: reader
      .all<{ key: string; position: number }>(
        'SELECT key, position FROM parent_keys WHERE uuid = ? ORDER BY position, key',
        row.uuid,
      )
      .map(({ key, position }) => [key, position]),
    sightings,
    contents: contentsOf(reader, payload as JsonObject, given),
  }
}

/** Returns the keys that identify an event. */
export const keysOf = (reader: Reader, uuid: string): string[] =>
  reader.all<{ key: string }>('SELECT key FROM event_keys WHERE uuid = ? ORDER BY key', uuid).map(({ key }) => key)

function contentsOf(reader: Reader, payload: JsonObject, given: Set<string>): { [hash: string]: string } {
  const request = payload['request'] as StoredRequest | null | undefined
  if (request === null || request === undefined || !Array.isArray(request.add)) return {}
  const hashes = [...request.add.flatMap(({ blocks }) => blocks), ...request.system, ...request.tools]
  const found: { [hash: string]: string } = {}
  for (const hash of hashes) {
    if (given.has(hash)) continue
    given.add(hash)
    const text = reader.content(hash)
    if (text !== null) found[hash] = text
  }
  return found
}
