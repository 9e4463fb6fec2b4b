import type { ReadableDb, WritableDb } from './connection.ts'

/** What the store notes about itself, in the table `metadata`. */

/** Returns a noted value; undefined if there is none. */
export const noted = (db: Pick<ReadableDb, 'prepare'>, key: string): string | undefined =>
  db.prepare<[string], string>('SELECT value FROM metadata WHERE key = ?').pluck().get(key)

export function note(db: Pick<WritableDb, 'prepare'>, key: string, value: string): void {
  db.prepare<[string, string]>(
    'INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  ).run(key, value)
}

export function removeNote(db: Pick<WritableDb, 'prepare'>, key: string): void {
  db.prepare<[string]>('DELETE FROM metadata WHERE key = ?').run(key)
}

/** Allows rows of the log to change until `closeLog`: triggers refuse it otherwise. Runs within a transaction. */
export function openLog(db: WritableDb, why: string): void {
  db.prepare<[string]>("INSERT INTO metadata (key, value) VALUES ('log_open', ?)").run(why)
}

export const closeLog = (db: WritableDb): void => removeNote(db, 'log_open')
