import { note, noted, removeNote } from '../database/metadata.ts'
import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** Progress of the deletion of a large session, kept in `metadata` until the deletion is complete. */
export interface Deletion {
  /** Events deleted so far. */
  readonly events: number
  readonly sightings: number
}

const PREFIX = 'deleting:'

/** An SQL query for the sessions that are not shown: partly deleted ones, and those whose deletion is pending. */
export const UNDER_DELETION = `SELECT substr(key, instr(key, ':') + 1) AS session FROM metadata
  WHERE key >= 'deleting:' AND key < 'deleting;' OR key >= 'pending:' AND key < 'pending;'`

/** An SQL condition on `session_id`, for queries that count rows or that end at the first short page. */
export const NOT_UNDER_DELETION = `session_id NOT IN (${UNDER_DELETION})`

/** Returns sessions that are partly deleted, which must not be shown. */
export function sessionsUnderDeletion(db: Pick<ReadableDb, 'prepare'>): () => readonly string[] {
  // A range of keys that covers any session id: ';' follows ':'.
  const keys = db.prepare<[], string>("SELECT key FROM metadata WHERE key >= 'deleting:' AND key < 'deleting;'").pluck()
  return () => keys.all().map((key) => key.slice(PREFIX.length))
}

/** Returns null if no deletion is under way. */
export function deletionUnderWay(db: WritableDb, sessionId: string): Deletion | null {
  const value = noted(db, PREFIX + sessionId)
  return value === undefined ? null : (JSON.parse(value) as Deletion)
}

/** Stores the progress, within the transaction that made it. */
export function noteDeletion(db: WritableDb, sessionId: string, { events, sightings }: Deletion): void {
  note(db, PREFIX + sessionId, JSON.stringify({ events, sightings }))
}

export function endDeletion(db: WritableDb, sessionId: string): void {
  removeNote(db, PREFIX + sessionId)
}
