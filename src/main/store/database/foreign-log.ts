import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'

/** Where a database file has its `user_version`, in four bytes. */
const VERSION_AT = 60

/** Returns true if there are tables, and none of them is Aspy's. */
export function isForeign(db: Database.Database): boolean {
  const names = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all()
  return names.length > 0 && !names.includes('events') && !names.includes('metadata')
}

/**
 * Returns true if a database that is foreign has a version of its own that its write-ahead log hides: the log is that of
 * another database, with a first page of its own. No connection of this process holds a lock on such a file, which
 * closing it here would drop.
 */
export function hasForeignLog(db: Database.Database, path: string): boolean {
  if (!existsSync(`${path}-wal`)) return false
  const version = Number(db.pragma('user_version', { simple: true }))
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(4)
    return readSync(file, bytes, 0, 4, VERSION_AT) === 4 && ![0, version].includes(bytes.readUInt32BE())
  } finally {
    closeSync(file)
  }
}

/** Renames such a log, so that the file is read without it. */
export function setForeignLogAside(path: string): void {
  rmSync(`${path}-shm`, { force: true })
  renameSync(`${path}-wal`, `${path}-wal.of-another`)
}

/** Returns an error that the recorder takes as damage of the file. */
export function damaged(path: string, what: string): AspyError {
  const cause = Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' })
  return new AspyError('store_unavailable', `${path}: ${what}`, { cause })
}
