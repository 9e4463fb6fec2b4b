import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** How far the deletion of a large session is; it lies in `metadata` until the last of it is gone. */
export interface Deletion {
  /** Taken out so far. */
  readonly events: number
  readonly sightings: number
}

const PREFIX = 'deleting:'

/** A condition on `session_id` of the log: for what counts rows, or takes few of them for the last. */
export const NOT_UNDER_DELETION =
  "session_id NOT IN (SELECT substr(key, 10) FROM metadata WHERE key >= 'deleting:' AND key < 'deleting;')"

/** Sessions of which some is still there, and nothing may be shown. */
export function sessionsUnderDeletion(db: Pick<ReadableDb, 'prepare'>): () => readonly string[] {
  // A range of the key, whatever the sessions are called: ';' follows ':'.
  const keys = db.prepare<[], string>("SELECT key FROM metadata WHERE key >= 'deleting:' AND key < 'deleting;'").pluck()
  return () => keys.all().map((key) => key.slice(PREFIX.length))
}

/** Null: none is under way. */
export function deletionUnderWay(db: WritableDb, sessionId: string): Deletion | null {
  const value = db
    .prepare<[string], string>('SELECT value FROM metadata WHERE key = ?')
    .pluck()
    .get(PREFIX + sessionId)
  return value === undefined ? null : (JSON.parse(value) as Deletion)
}

/** Within the transaction that came so far. */
export function noteDeletion(db: WritableDb, sessionId: string, { events, sightings }: Deletion): void {
  db.prepare<[string, string]>(
    'INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(PREFIX + sessionId, JSON.stringify({ events, sightings }))
}

export function endDeletion(db: WritableDb, sessionId: string): void {
  db.prepare<[string]>('DELETE FROM metadata WHERE key = ?').run(PREFIX + sessionId)
}
