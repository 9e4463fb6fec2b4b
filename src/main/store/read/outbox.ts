import { EVENT_KINDS, type EventKind } from '../../../shared/event.ts'
import { NOT_UNDER_DELETION, UNDER_DELETION } from '../delete/deletions.ts'
import type { EventRow } from '../log/log.ts'
import { byTime, EVENT_COLUMNS, toEvent, type EventAnswer } from './events.ts'
import { where } from './page.ts'
import type { Reader } from './reader.ts'

/** Selects the events that a sink wants. */
export interface Wanted {
  /** After this position. */
  readonly after: number
  readonly up_to?: number
  /** At or after this moment. */
  readonly since: string
  /** Empty: all. */
  readonly kinds: readonly EventKind[]
  /** null: all. Events without a project never match. */
  readonly projects: readonly string[] | null
}

/** Returns the name of this log; a log that starts over gets a new name. '' if nothing is recorded yet. */
export const logName = (reader: Reader): string =>
  reader.get<{ value: string }>("SELECT value FROM metadata WHERE key = 'created_at'")?.value ?? ''

/** Returns the position of the newest event; 0 if there is none. */
export const newestId = (reader: Reader): number =>
  reader.get<{ id: number | null }>('SELECT max(id) AS id FROM events')?.id ?? 0

/** The position up to which sinks may read. */
export interface Deliverable {
  readonly upTo: number
  /** True if events after it belong to a session whose deletion is pending. They wait for that. */
  readonly isHeld: boolean
}

/**
 * Returns the position up to which sinks may read after a position: that of the newest event, or the last one before a
 * session whose deletion is pending: its events would be lost if sinks passed them and the deletion was undone.
 */
export function deliverableUpTo(reader: Reader, after: number): Deliverable {
  const newest = newestId(reader)
  if (!reader.leavesSessionsOut()) return { upTo: newest, isHeld: false }
  const first = reader.get<{ id: number | null }>(
    `SELECT min(id) AS id FROM events WHERE session_id IN (${UNDER_DELETION}) AND id > ?`,
    after,
  )?.id
  return typeof first === 'number' ? { upTo: first - 1, isHeld: true } : { upTo: newest, isHeld: false }
}

/** Returns the sessions whose events wait, because their deletion is pending. */
export const heldSessions = (reader: Reader): ReadonlySet<string> =>
  new Set(reader.all<{ session: string }>(UNDER_DELETION).map(({ session }) => session))

/** Returns the highest position ever assigned, even if its event was deleted since; 0 before the first event. */
export const lastAssignedId = (reader: Reader): number =>
  reader.get<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'events'")?.seq ?? 0

/** Returns the position of the last event, by time, before a moment; 0 if there is none. */
export function newestBefore(reader: Reader, moment: string): number {
  const values = EVENT_KINDS.flatMap((kind) => [moment, kind])
  return reader.get<{ id: number }>(`${byTime(EVENT_KINDS.length, 'WHERE e.ts_wall < ?')} LIMIT 1`, ...values)?.id ?? 0
}

/** Returns projects that occur after a position; null means no project. */
export const projectsAfter = (reader: Reader, after: number): (string | null)[] =>
  reader
    .all<{ project: string | null }>('SELECT DISTINCT project FROM events WHERE id > ?', after)
    .map(({ project }) => project)

/**
 * Yields the next events in the order of the log, each complete and merged from all sightings. Events are built one by
 * one when requested, since some can be large.
 */
export function* matchingEvents(reader: Reader, wanted: Wanted, limit: number): Generator<EventAnswer> {
  const { sql, values } = filterOf(wanted)
  const rows = reader.all<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e ${sql} ORDER BY e.id LIMIT ?`,
    ...values,
    limit,
  )
  for (const row of rows) yield toEvent(reader, row)
}

export function countMatching(reader: Reader, wanted: Wanted): number {
  const { sql, values } = filterOf(wanted)
  return reader.get<{ n: number }>(`SELECT count(*) AS n FROM events e ${sql}`, ...values)?.n ?? 0
}

/** Returns the position of the n-th (from 1) wanted event; null if there are fewer. */
export function positionOfMatch(reader: Reader, wanted: Wanted, n: number): number | null {
  const { sql, values } = filterOf(wanted)
  return (
    reader.get<{ id: number | null }>(
      `SELECT max(id) AS id FROM (SELECT e.id FROM events e ${sql} ORDER BY e.id LIMIT ?) HAVING count(*) = ?`,
      ...values,
      n,
      n,
    )?.id ?? null
  )
}

/** Returns the turns with events in a range of the log, each with its first event there; turn 0 means no turn. */
export function turnsIn(
  reader: Reader,
  { after, up_to, since }: { readonly after: number; readonly up_to: number; readonly since: string },
): { session_id: string; turn_id: number; from: number }[] {
  return reader.all(
    `SELECT session_id, turn_id, min(id) AS "from" FROM events
     WHERE id > ? AND id <= ? AND turn_id > 0 AND ts_wall >= ? GROUP BY session_id, turn_id ORDER BY "from"`,
    after,
    up_to,
    since,
  )
}

/** Returns the events of a turn, complete and by time, up to `limit`. */
export function eventsOfTurn(reader: Reader, sessionId: string, turnId: number, limit: number): EventAnswer[] {
  return reader
    .all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND e.turn_id = ? ORDER BY e.seq LIMIT ?`,
      sessionId,
      turnId,
      limit,
    )
    .map((row) => toEvent(reader, row))
    .toSorted((one, other) => one.ts_wall.localeCompare(other.ts_wall) || one.id - other.id)
}

/** The state that decides whether a turn is over, without its texts. */
export interface TurnEnd {
  /** The newest event's time; null if the turn was deleted. */
  readonly last_at: string | null
  readonly has_ended: boolean
  readonly has_later: boolean
  /** Number of requests without a response. */
  readonly open_requests: number
  /** Number of tool calls without a result. */
  readonly open_calls: number
}

export function turnEnd(reader: Reader, sessionId: string, turnId: number): TurnEnd {
  const own = reader.get<Record<'ended' | 'open_requests' | 'open_calls', number | null> & Pick<TurnEnd, 'last_at'>>(
    `SELECT max(ts_wall) AS last_at, max(kind IN ('turn_ended', 'session_ended')) AS ended,
       sum((kind = 'model_request') - (kind = 'model_response')) AS open_requests,
       sum((kind = 'tool_call') - (kind = 'tool_result')) AS open_calls
     FROM events WHERE session_id = ? AND turn_id = ?`,
    sessionId,
    turnId,
  )
  const later = reader.get('SELECT 1 FROM events WHERE session_id = ? AND turn_id > ? LIMIT 1', sessionId, turnId)
  return {
    last_at: own?.last_at ?? null,
    has_ended: own?.ended === 1,
    has_later: later !== undefined,
    open_requests: own?.open_requests ?? 0,
    open_calls: own?.open_calls ?? 0,
  }
}

/** Returns the main agent's last response of a turn, with its stop reason; null if none has arrived. */
export function lastResponse(reader: Reader, sessionId: string, turnId: number): EventAnswer | null {
  const row = reader.get<EventRow>(
    `SELECT ${EVENT_COLUMNS} FROM events e WHERE e.session_id = ? AND e.turn_id = ? AND e.agent_id IS NULL
       AND e.kind IN ('model_request', 'model_response') ORDER BY e.seq DESC LIMIT 1`,
    sessionId,
    turnId,
  )
  return row?.kind === 'model_response' ? toEvent(reader, row) : null
}

/** Returns the client of a session (`codex`, `claude-code` …, or `unknown`) and its version. */
export function clientOfSession(
  reader: Reader,
  sessionId: string,
): { readonly client: string; readonly clientVersion: string | null } {
  const sql = 'SELECT client, client_version AS clientVersion FROM sessions WHERE id = ?'
  return reader.get(sql, sessionId) ?? { client: 'unknown', clientVersion: null }
}

/** Returns the cost of each request of a turn in USD, by log id of its usage; null: unpriced. */
export function costsOfTurn(reader: Reader, sessionId: string, turnId: number): ReadonlyMap<number, number | null> {
  const sql = 'SELECT id, cost_usd FROM api_usage WHERE session_id = ? AND turn_id = ?'
  const rows = reader.all<{ id: number; cost_usd: number | null }>(sql, sessionId, turnId)
  return new Map(rows.map(({ id, cost_usd }) => [id, cost_usd]))
}

function filterOf({ after, up_to, since, kinds, projects }: Wanted) {
  const filter = where()
  filter.add('e.id > ?', after)
  if (up_to !== undefined) filter.add('e.id <= ?', up_to)
  filter.add('+e.ts_wall >= ?', since)
  filter.add(`e.${NOT_UNDER_DELETION}`)
  if (kinds.length > 0) filter.add(`+e.kind IN (${kinds.map(() => '?').join(', ')})`, ...kinds)
  if (projects !== null) filter.add(`+e.project IN (${projects.map(() => '?').join(', ')})`, ...projects)
  return { sql: filter.sql, values: filter.values }
}
