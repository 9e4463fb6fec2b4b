import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** What a session added to one table of sums: rows of its keys, counts and totals, by column. */
type SumRow = Readonly<Record<string, string | number | null>>

/** What a session added to the tables of sums, by table. */
export type SessionSums = Readonly<Record<string, readonly SumRow[]>>

/** A deletion that can still be undone. The session is hidden from all readers; its events are still stored. */
export interface PendingDeletion {
  /** The run of the app that hid it. Any other run carries the deletion out at once. */
  readonly run: string
  /** When it is carried out (ISO 8601). */
  readonly undo_until: string
  /** Subtracted from the sums that readers see. */
  readonly sums: SessionSums
}

const PREFIX = 'hidden:'
const KEYS = "key >= 'hidden:' AND key < 'hidden;'"

/** Returns the sessions that are hidden, with their pending deletions. */
export function pendingDeletions(db: Pick<ReadableDb, 'prepare'>): () => ReadonlyMap<string, PendingDeletion> {
  const rows = db.prepare<[], { key: string; value: string }>(`SELECT key, value FROM metadata WHERE ${KEYS}`)
  return () =>
    new Map(rows.all().map(({ key, value }) => [key.slice(PREFIX.length), JSON.parse(value) as PendingDeletion]))
}

/** Stores a pending deletion, or its new sums. Runs within a transaction. */
export function notePending(db: WritableDb, sessionId: string, pending: PendingDeletion): void {
  db.prepare<[string, string]>(
    'INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(PREFIX + sessionId, JSON.stringify(pending))
}

/** Ends a pending deletion: it was undone, or its session is being deleted. Returns false if there was none. */
export function endPending(db: WritableDb, sessionId: string): boolean {
  return db.prepare<[string]>('DELETE FROM metadata WHERE key = ?').run(PREFIX + sessionId).changes > 0
}
