import { AspyError } from '../../../shared/contract/errors.ts'
import type { Reader } from './reader.ts'
import { firstDifference } from '../../../shared/first-difference.ts'

const SESSIONS = ['sessions', 'id'] as const
const EVENTS = ['events', 'uuid'] as const

/** Length of a short id, if that is unambiguous. */
const SHORT = 8
const NAMED = 5

/**
 * Returns the session that a prefix of its id, of the client's own id or of an event's id names, or the input if there is
 * none. @throws AspyError bad_input if the prefix is ambiguous
 */
export function sessionNamed(reader: Reader, id: string): string {
  const session = idNamed(reader, SESSIONS, id)
  if (session !== null || id.length < SHORT) return session ?? id
  // Codex shows its ids without the client's name that ours begin with.
  const named = reader.all<{ id: string }>(
    "SELECT id FROM sessions WHERE substr(id, instr(id, '-') + 1, length(?)) = ? LIMIT 2",
    id,
    id,
  )
  if (named.length === 1) return named[0]?.id ?? id
  const event = idNamed(reader, EVENTS, id)
  if (event === null) return id
  return reader.get<{ id: string }>('SELECT session_id AS id FROM events WHERE uuid = ?', event)?.id ?? id
}

/**
 * Returns the uuid that a prefix names, or the input if there is none. @throws AspyError bad_input if the prefix is
 * ambiguous
 */
export const eventNamed = (reader: Reader, uuid: string): string => idNamed(reader, EVENTS, uuid) ?? uuid

function idNamed(reader: Reader, place: typeof SESSIONS | typeof EVENTS, id: string): string | null {
  const [table, column] = place
  if (id === '') return null
  // `id` itself comes first in this order.
  const found = reader
    .all<{ id: string }>(
      `SELECT ${column} AS id FROM ${table} WHERE ${column} >= ? AND ${column} < ? ORDER BY ${column} LIMIT ?`,
      id,
      `${id}\u{10ffff}`,
      NAMED + 1,
    )
    .map((row) => row.id)
  if (found[0] === id || found.length < 2) return found[0] ?? null
  const named = found.slice(0, NAMED).map((one) => shortOf(reader, place, one))
  const more = found.length > NAMED ? ' and more' : ''
  // A model reads what was recorded in the lines after the first, inside a fence.
  throw new AspyError(
    'bad_input',
    `${id} is ambiguous; give more of it. It begins the ${table}\n${named.join(', ')}${more}`,
  )
}

/** Returns the shortest prefix, of at least eight characters, that names a session. */
export const shortSession = (reader: Reader, id: string): string => shortOf(reader, SESSIONS, id)

/** Returns the shortest prefix, of at least eight characters, that names an event. */
export const shortUuid = (reader: Reader, uuid: string): string => shortOf(reader, EVENTS, uuid)

function shortOf(reader: Reader, [table, column]: typeof SESSIONS | typeof EVENTS, id: string): string {
  const neighbours = reader.all<{ id: string | null }>(
    `SELECT max(${column}) AS id FROM ${table} WHERE ${column} < ? UNION ALL SELECT min(${column}) FROM ${table} WHERE ${column} > ?`,
    id,
    id,
  )
  const length = Math.max(SHORT, ...neighbours.map((row) => (row.id === null ? 0 : firstDifference(row.id, id) + 1)))
  return id.slice(0, length).toWellFormed()
}
