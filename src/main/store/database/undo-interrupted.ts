import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'

/** Undoes a transaction that another program has left in a journal: it can be read only after that. */
export function undoInterrupted(path: string): void {
  if (!existsSync(`${path}-journal`)) return
  const db = new Database(path, { fileMustExist: true, timeout: 5000 })
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get()
  } finally {
    db.close()
  }
}
