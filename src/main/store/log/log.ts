import type { AnyEvent, AspyEvent, EventSource, JsonObject } from '../../../shared/event.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'
import { Arrivals } from './changes.ts'
import { unpackPayload, type Fetch, type FetchArchived } from './payload.ts'

/** A row of `events`. */
export interface EventRow extends Omit<AspyEvent, 'success' | 'payload'> {
  readonly success: number | null
  readonly payload: string
}

/** A row of `sightings`, payload parsed. */
export interface Sighting {
  /** Negative for an event's own sighting, which has no row. */
  readonly id: number
  readonly uuid: string
  readonly source: EventSource
  readonly session_id: string
  readonly seen_at: string
  readonly payload: JsonObject | null
}

type NewSighting = Omit<Sighting, 'id' | 'payload'>

/** The fields of an event that are needed to place another one. */
export type KnownEvent = Pick<EventRow, 'id' | 'uuid' | 'session_id' | 'turn_id' | 'kind'>

/** The fields of an event that its first sighting shows. */
export type SeenEvent = Pick<EventRow, 'id' | 'uuid' | 'source' | 'session_id' | 'ts_wall'>

/** The columns of `events` that EventRow holds. */
export const EVENT_COLUMNS =
  'id, uuid, session_id, turn_id, seq, agent_id, parent_uuid, kind, source, ts_wall, ts_monotonic, duration_ms, success, ' +
  'error_message, request_id, user_id, project, schema_version, payload'

/** Returns the event of a row with its whole payload; archived fields only if `archived` is given. */
export function eventOfRow(row: EventRow, fetch: Fetch, archived?: FetchArchived): AnyEvent {
  return {
    ...row,
    success: row.success === null ? null : row.success === 1,
    payload: unpackPayload(row.payload, fetch, archived),
  } as unknown as AnyEvent
}

/** Prefix of the key of a transcript line. If an event's uuid is that of its line, the key has no row and `events.is_line` is 1. */
export const LINE_KEY = 'line:'

/** SQL for the id of the event with a key, or null; `key` is a column. */
export const sqlEventOfKey = (key: string): string =>
  `coalesce((SELECT k.event_id FROM key_rows k WHERE k.key = ${key}),
     (SELECT l.id FROM events l WHERE l.uuid = substr(${key}, ${LINE_KEY.length + 1}) AND l.is_line = 1 AND ${key} = '${LINE_KEY}' || l.uuid))`

/**
 * SQL that returns a row if a session was recorded live: one of its events, or a sighting for it, has another source than a
 * transcript. The three parameters are the session.
 */
export const RECORDED_LIVE = `SELECT 1 FROM events WHERE session_id = ? AND source <> 'transcript'
  UNION ALL SELECT 1 FROM sighting_rows WHERE other_session_id = ? AND source <> 'transcript'
  UNION ALL SELECT 1 FROM events e JOIN sighting_rows s ON s.event_id = e.id
  WHERE e.session_id = ? AND s.other_session_id IS NULL AND s.source <> 'transcript' LIMIT 1`

/** Reads and extends the log; nothing here changes existing rows. */
export type Log = ReturnType<typeof createLog>

export function createLog(db: WritableDb, fetch: Fetch) {
  const insertEvent = db.prepare(
    `INSERT INTO events (${EVENT_COLUMNS}, is_line)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?)`,
  )
  const insertKey = db.prepare<[number, string]>(
    'INSERT INTO key_rows (event_id, key) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  // Two steps: most keys are new, and for those a join costs three times as much.
  const idOfKey = db.prepare<[string], number>('SELECT event_id FROM key_rows WHERE key = ?').pluck()
  const knownById = db.prepare<[number], KnownEvent>(
    'SELECT id, uuid, session_id, turn_id, kind FROM events WHERE id = ?',
  )
  const knownByUuid = db.prepare<[string], KnownEvent & { readonly is_line: number }>(
    'SELECT id, uuid, session_id, turn_id, kind, is_line FROM events WHERE uuid = ?',
  )
  /** The last uuid that no event has: a new event's uuid is looked up twice, as a key and as its own. */
  let unused: string | null = null
  const knownOf = (uuid: string) => {
    if (uuid === unused) return undefined
    const known = knownByUuid.get(uuid)
    if (known === undefined) unused = uuid
    return known
  }
  const knownByLine = (key: string): KnownEvent | undefined => {
    if (!key.startsWith(LINE_KEY)) return undefined
    const known = knownOf(key.slice(LINE_KEY.length))
    return known?.is_line === 1 ? known : undefined
  }
  const insertParentKey = db.prepare<[string, string, number]>(
    'INSERT INTO parent_keys (key, uuid, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const writeSighting = sightingWriter(db)
  const find = db.prepare<[string], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE uuid = ?`)
  const byId = db.prepare<[number], EventRow>(`SELECT ${EVENT_COLUMNS} FROM events WHERE id = ?`)
  const sightingsOf = sightingReader(db, fetch)
  const arrivals = new Arrivals(db)
  return {
    /** `payload`: JSON, or its UTF-8. `isLine`: its uuid is that of its transcript line. */
    addEvent(event: AnyEvent, payload: string | Uint8Array, isLine: boolean) {
      unused = null
      insertEvent.run(
        event.id,
        event.uuid,
        event.session_id,
        event.turn_id,
        event.seq,
        event.agent_id,
        event.parent_uuid,
        event.kind,
        event.source,
        event.ts_wall,
        event.ts_monotonic,
        event.duration_ms,
        event.success === null ? null : Number(event.success),
        event.error_message,
        event.request_id,
        event.user_id,
        event.project,
        event.schema_version,
        payload,
        Number(isLine),
      )
      arrivals.add(event.id)
    },
    /** Returns the event that has a key. */
    findByKey(key: string) {
      const line = knownByLine(key)
      if (line !== undefined) return line
      const id = idOfKey.get(key)
      return id === undefined ? undefined : knownById.get(id)
    },
    /** Returns false if the key already belongs to an event. */
    addKey: (key: string, eventId: number) => knownByLine(key) === undefined && insertKey.run(eventId, key).changes > 0,
    addParentKey: (key: string, uuid: string, position: number) => void insertParentKey.run(key, uuid, position),
    /** Adds an event's first sighting; it gets a row only if it has more than the event. */
    addFirstSighting(event: AnyEvent, sighting: NewSighting, payload: string | null) {
      const { source, session_id, seen_at } = sighting
      const isOwn = source === event.source && session_id === event.session_id && seen_at === event.ts_wall
      return isOwn && payload === null ? -event.id : writeSighting(event, sighting, payload, true)
    },
    addSighting(event: SeenEvent, sighting: NewSighting, payload: string | null) {
      // Its trigger adds to `changes`, where events come first.
      arrivals.note()
      return writeSighting(event, sighting, payload, false)
    },
    find: (uuid: string) => find.get(uuid),
    findKnown: knownOf,
    byId: (id: number) => byId.get(id),
    sightingsOf,
    /** Records additions in `changes`. */
    arrivals,
  }
}

/** Returns a function that adds a sighting and returns its id. */
function sightingWriter(db: WritableDb) {
  const insertSighting = db.prepare<[number, string, string | null, string, string | null, number]>(
    'INSERT INTO sighting_rows (event_id, source, other_session_id, seen_at, payload, with_first) VALUES (?, ?, ?, ?, ?, ?)',
  )
  return (event: SeenEvent, { source, session_id, seen_at }: NewSighting, payload: string | null, isFirst: boolean) => {
    const session = session_id === event.session_id ? null : session_id
    return Number(insertSighting.run(event.id, source, session, seen_at, payload, Number(isFirst)).lastInsertRowid)
  }
}

/** Reads the sightings of an event in order of arrival, like the view `sightings` but without its union and sort. */
export function sightingReader(
  db: Pick<ReadableDb, 'prepare'>,
  fetch: Fetch,
): (event: SeenEvent) => readonly Sighting[] {
  const select = db.prepare<
    [number],
    Omit<Sighting, 'payload' | 'uuid' | 'session_id'> & {
      other_session_id: string | null
      payload: string | null
      with_first: number
    }
  >(
    'SELECT id, source, other_session_id, seen_at, payload, with_first FROM sighting_rows WHERE event_id = ? ORDER BY id',
  )
  return ({ id, uuid, source, session_id, ts_wall }) => {
    const rows = select.all(id)
    const later = rows.map((row) => ({
      id: row.id,
      uuid,
      source: row.source,
      session_id: row.other_session_id ?? session_id,
      seen_at: row.seen_at,
      payload: row.payload === null ? null : unpackPayload(row.payload, fetch),
    }))
    if (rows.some(({ with_first }) => with_first === 1)) return later
    return [{ id: -id, uuid, source, session_id, seen_at: ts_wall, payload: null }, ...later]
  }
}
