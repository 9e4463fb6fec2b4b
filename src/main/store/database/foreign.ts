import { randomInt } from 'node:crypto'
import type Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { hasForeignLog, isForeignLogAside } from '../../base/foreign-log.ts'

/** Returns true if there are tables, and none of them is Aspy's. */
export function isForeign(db: Database.Database): boolean {
  const names = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all()
  return names.length > 0 && !names.includes('events') && !names.includes('metadata')
}

/**
 * Gives a database a random id, unless it has one: a number that is written twice, so that a damaged one is none. Where
 * that cannot be written now, the next start does.
 */
export function giveId(db: Database.Database): void {
  if (db.pragma('application_id', { simple: true }) !== 0) return
  const half = randomInt(1, 2 ** 15)
  try {
    db.pragma(`application_id = ${half * 2 ** 16 + half}`)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && /^SQLITE_(FULL|BUSY)/.test(String(error.code)))) throw error
  }
}

/** Returns the error of a database whose write-ahead log is not its own. */
export const foreignLog = (path: string): AspyError =>
  damaged(path, 'its write-ahead log is that of another database, or of another state of it')

/** Throws a damage if the write-ahead log of a database is not its own, also if it was set aside: see `hasForeignLog`. */
export function assertOwnLog(path: string): void {
  if (isForeignLogAside(path) || hasForeignLog(path)) throw foreignLog(path)
}

/** Returns an error that the recorder takes as damage of the file. */
export function damaged(path: string, what: string): AspyError {
  const cause = Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' })
  return new AspyError('store_unavailable', `${path}: ${what}`, { cause })
}
