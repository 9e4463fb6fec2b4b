import { AspyError } from '../../../shared/contract/errors.ts'
import type { ParsedInput } from '../../../shared/contract/index.ts'
import { EVENT_KINDS, type EventSource, type JsonObject } from '../../../shared/event.ts'
import { NOT_UNDER_DELETION } from '../delete/deletions.ts'
import type { EventRow, Sighting } from '../log/log.ts'
import { isSettled, settled } from '../identity/settled.ts'
import { numbersOfTurn } from './joined-turns.ts'
import { COUNTED, EVENT_ROW, LOG, RECENT } from '../../listings/events.ts'
import { columnsOf, type Condition } from '../../listings/page-query.ts'
import { listPage, listRows, narrowed } from './list-page.ts'
import type { Reader } from './reader.ts'

/** An event as returned in answers. */
export type EventAnswer = Omit<EventRow, 'success' | 'payload'> & {
  success: boolean | null
  payload: { [key: string]: unknown }
}

export const EVENT_COLUMNS = columnsOf('local', EVENT_ROW)

/** Returns the row with its complete payload, merged from all sightings. */
export const toEvent = (reader: Reader, row: EventRow): EventAnswer => eventsOf(reader, [row])(row)

/** Does the same for a list of rows. Their sightings are read together: one by one takes half the time of a list. */
export function eventsOf(reader: Reader, rows: readonly EventRow[]): <Row extends EventRow>(row: Row) => EventAnswer {
  const reported = sightingsOfAll(
    reader,
    rows.filter(({ kind }) => isSettled(kind)),
  )
  return (row) => {
    const event = { ...row, success: toFlag(row.success), payload: reader.payload(row.payload) }
    return isSettled(row.kind) ? settled(event, reported(row)) : event
  }
}

export const toFlag = (value: number | null): boolean | null => (value === null ? null : value !== 0)

/** Lists events in the order of the log; a session's by turn, a kind's by time. */
export function listEvents(
  reader: Reader,
  input: ParsedInput<'events.list'>,
): { items: EventAnswer[]; next: string | null } {
  const { session_id: session, turn_id: turn, agent, kind } = input
  const listing = session !== undefined ? LOG.ofSession : kind !== undefined ? LOG.ofKind : LOG.ofAll
  if (turn !== undefined && session === undefined)
    throw new AspyError('bad_input', 'turn_id: turns are counted within a session; give session_id too')
  if (agent !== undefined && session === undefined)
    throw new AspyError('bad_input', 'agent: agents belong to a session; give session_id too')
  const numbers = turn === undefined || session === undefined ? undefined : numbersOfTurn(reader, session, turn)
  // Without a bound, the table is read from its end to find its beginning.
  const begins: Condition[] = listing === LOG.ofAll && input.cursor === undefined ? [['e.id > 0']] : []
  return listPage(reader, listing, { ...input, turn_id: numbers }, (rows) => eventsOf(reader, rows), [
    [`e.${NOT_UNDER_DELETION}`],
    ...begins,
  ])
}

/** Counts events: all of them from the counts by kind; those of a session or turn from the index of turns. */
export function countEvents(reader: Reader, input: ParsedInput<'events.count'>): number {
  const { session_id: session, turn_id: turn, kind } = input
  if (session === undefined && turn === undefined) {
    const { sql, values } = narrowed({ kind: 'kind = ?' }, { kind })
    return reader.get<{ n: number | null }>(`SELECT sum(events) AS n FROM event_counts ${sql}`, ...values)?.n ?? 0
  }
  const from = session === undefined ? 'sessions s CROSS JOIN events e ON e.session_id = s.id' : 'events e'
  const numbers = turn === undefined || session === undefined ? turn : numbersOfTurn(reader, session, turn)
  const { sql, values } = narrowed(COUNTED, { ...input, turn_id: numbers })
  return reader.get<{ n: number }>(`SELECT count(*) AS n FROM ${from} ${sql}`, ...values)?.n ?? 0
}

/** Bounds the sessions of a project that are searched for its newest events. */
const RECENT_SESSIONS = 20

/** Returns the newest rows of one session, a project or all, newest first. */
export function recentEventRows(reader: Reader, input: ParsedInput<'events.recent'>): EventRow[] {
  const { project, ...others } = input
  const { session_id, kinds, since, until, limit } = others
  if (session_id !== undefined) return listRows(reader, RECENT, others).slice(0, limit)
  // The log has no index by project or by time alone, so the newest rows of each session or kind are merged.
  if (project !== undefined) {
    const spans = { project: 'project = ?', since: 'last_event_at >= ?', until: 'started_at < ?' }
    const { sql, values } = narrowed(spans, { project, since, until })
    const sessions = reader.all<{ id: string }>(
      `SELECT id FROM sessions ${sql} ORDER BY last_event_at DESC LIMIT ?`,
      ...values,
      RECENT_SESSIONS,
    )
    const rows = sessions.flatMap(({ id }) => listRows(reader, RECENT, { ...others, session_id: id }))
    return newestFirst(rows).slice(0, limit)
  }
  const merged = kinds === undefined || kinds.length === 0 ? EVENT_KINDS : kinds
  const filter = narrowed(RECENT.filters, { ...others, kinds: undefined }, [[`e.${NOT_UNDER_DELETION}`]])
  return reader.inTime<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM (${byTime(merged.length, filter.sql)} LIMIT ?) newest CROSS JOIN events e ON e.id = newest.id
     ORDER BY e.ts_wall DESC, e.id DESC`,
    ...merged.flatMap((kind) => [...filter.values, kind]),
    limit,
  )
}

/**
 * Builds SQL for the ids of events of some kinds, newest first; reads no more than requested. The kind is the last
 * parameter of each.
 */
export function byTime(kinds: number, where: string): string {
  const ofKind = `SELECT e.id, e.ts_wall FROM events e ${where} AND e.kind = ?`
  return `${Array.from({ length: kinds }, () => ofKind).join(' UNION ALL ')} ORDER BY ts_wall DESC, id DESC`
}

function newestFirst(rows: EventRow[]): EventRow[] {
  return rows.sort((a, b) => (a.ts_wall < b.ts_wall ? 1 : a.ts_wall > b.ts_wall ? -1 : b.id - a.id))
}

/** Returns one row by its uuid. */
export const findEventRow = (reader: Reader, uuid: string): EventRow | undefined =>
  reader.get<EventRow>(`SELECT ${EVENT_COLUMNS} FROM events e WHERE e.uuid = ?`, uuid)

/** Returns one row by its uuid. @throws AspyError not_found */
export function requireEventRow(reader: Reader, uuid: string): EventRow {
  const row = findEventRow(reader, uuid)
  if (row === undefined) throw new AspyError('not_found', `there is no event ${uuid}`)
  return row
}

/** Returns the sources that reported an event, and the additions of each. */
export function sightingsOf(
  reader: Reader,
  uuid: string,
): { source: EventSource; session_id: string; seen_at: string; payload: JsonObject | null }[] {
  return reader
    .all<{ source: EventSource; session_id: string; seen_at: string; payload: string | null }>(
      'SELECT source, session_id, seen_at, payload FROM sightings WHERE uuid = ? ORDER BY id',
      uuid,
    )
    .map((row) => ({ ...row, payload: row.payload === null ? null : (reader.payload(row.payload) as JsonObject) }))
}

type KnownSighting = Pick<Sighting, 'source' | 'session_id' | 'payload'>

interface SightingRow {
  readonly event_id: number
  readonly source: EventSource
  /** null: the event's. */
  readonly other_session_id: string | null
  readonly payload: string | null
  readonly with_first: number
}

/** Returns the sightings of each event in order of arrival. If the first has no row, it is taken from the event. */
function sightingsOfAll(reader: Reader, rows: readonly EventRow[]): (row: EventRow) => readonly KnownSighting[] {
  if (rows.length === 0) return () => []
  const found = reader.all<SightingRow>(
    `SELECT s.event_id, s.source, s.other_session_id, s.payload, s.with_first
     FROM json_each(?) asked CROSS JOIN sighting_rows s ON s.event_id = asked.value ORDER BY s.id`,
    JSON.stringify(rows.map(({ id }) => id)),
  )
  const byEvent = Map.groupBy(found, ({ event_id }) => event_id)
  return ({ id, source, session_id }) => {
    const reported = byEvent.get(id) ?? []
    const later = reported.map((row) => ({
      source: row.source,
      session_id: row.other_session_id ?? session_id,
      payload: row.payload === null ? null : (reader.payload(row.payload) as JsonObject),
    }))
    return reported.some(({ with_first }) => with_first === 1)
      ? later
      : [{ source, session_id, payload: null }, ...later]
  }
}

/** Returns the natural keys of an event. */
export const keysOf = (reader: Reader, uuid: string): string[] =>
  reader.all<{ key: string }>('SELECT key FROM event_keys WHERE uuid = ? ORDER BY key', uuid).map((row) => row.key)
