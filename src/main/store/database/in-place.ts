import type Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { statOf } from '../../base/stat-of.ts'

/** Returns a function that throws `store_unavailable` if the open file or its log was removed or replaced. */
export function inPlace(db: Database.Database, path: string): () => void {
  const opened = identityOf(path)
  const log = `${path}-wal`
  let openedLog = identityOf(log)
  return () => {
    if (identityOf(path) !== opened)
      throw new AspyError('store_unavailable', `${path} was removed or replaced; Aspy opens a new one`)
    const found = identityOf(log)
    if (openedLog === '') openedLog = found
    if (found === openedLog) return
    // This connection still has what others can no longer read.
    db.pragma('wal_checkpoint(TRUNCATE)')
    throw new AspyError('store_unavailable', `${log} was removed; Aspy opens the database again`)
  }
}

/** Returns device and inode; '' if there is no file. */
export function identityOf(path: string): string {
  const found = statOf(path)
  return found === undefined ? '' : `${found.dev}:${found.ino}`
}
