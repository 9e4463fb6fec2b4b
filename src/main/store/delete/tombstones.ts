import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** Sessions deleted for good: their data is never stored again, from any source. */
export interface Tombstones {
  has(sessionId: string): boolean
  /** Runs within the transaction that deletes. */
  add(sessionId: string, deletedAt: string): void
  /** Rereads the table after a rollback. */
  clear(): void
}

export function createTombstones(db: WritableDb): Tombstones {
  const insert = db.prepare<[string, string]>(
    'INSERT INTO tombstones (session_id, deleted_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  )
  let known: Set<string> | null = null
  return {
    has: (sessionId) => (known ??= new Set(readTombstones(db).map(({ session_id }) => session_id))).has(sessionId),
    add(sessionId, deletedAt) {
      insert.run(sessionId, deletedAt)
      known?.add(sessionId)
    },
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

export function readTombstones(db: ReadableDb): readonly Tombstone[] {
  return db.prepare<[], Tombstone>('SELECT session_id, deleted_at FROM tombstones ORDER BY session_id').all()
}
