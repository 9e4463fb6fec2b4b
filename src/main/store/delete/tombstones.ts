import { AspyError } from '../../../shared/contract/errors.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** Sessions deleted for good: their data is never stored again, from any source. */
export type Tombstones = ReturnType<typeof createTombstones>

export function createTombstones(db: WritableDb) {
  const insert = db.prepare<[string, string]>(
    'INSERT INTO tombstones (session_id, deleted_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  let known: Set<string> | null = null
  return {
    has: (sessionId: string) =>
      (known ??= new Set(readTombstones(db).map(({ session_id }) => session_id))).has(sessionId),
    /** Runs within the transaction that deletes. */
    add(sessionId: string, deletedAt: string) {
      insert.run(sessionId, deletedAt)
      known?.add(sessionId)
    },
    /** Rereads the table after a rollback. */
    clear() {
      known = null
    },
  }
}

/** A row of `tombstones`. */
export interface Tombstone {
  readonly session_id: string
  readonly deleted_at: string
}

export const readTombstones = (db: ReadableDb): readonly Tombstone[] =>
  db.prepare<[], Tombstone>('SELECT session_id, deleted_at FROM tombstones ORDER BY session_id').all()

/** Returns the error for an id that names no session, or one that was deleted, which its beginning may name, too. */
export function noSession(get: (sql: string, id: string) => Tombstone | undefined, id: string): AspyError {
  const deleted = get(
    `WITH asked (id) AS (VALUES (?)) SELECT session_id, deleted_at FROM tombstones, asked
     WHERE substr(session_id, 1, length(id)) = id AND (session_id = id OR length(id) >= 8) ORDER BY session_id LIMIT 1`,
    id,
  )
  const said =
    deleted === undefined
      ? `there is no session ${id}`
      : `session ${deleted.session_id} was deleted at ${deleted.deleted_at}`
  return new AspyError('not_found', said)
}
