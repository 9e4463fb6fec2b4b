import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { keepArchives } from '../archive/backup-archives.ts'
import type { WritableDb } from '../database/connection.ts'

/** Where a backup keeps the key of all hashes in it: without it, the same text would be another one. */
export const BACKUP_KEY = 'backup_hash_key'

const PAGES_AT_ONCE = 200

/** How far a backup has come. */
export interface BackupProgress {
  readonly path: string
  readonly pages: number
  readonly pages_done: number
  /** Of the finished file. */
  readonly bytes: number
  readonly done: boolean
}

/**
 * Copies the database as it is, and the archives (in the folder `archives`), to one file (mode 0600) that `restoreBackup` needs nothing besides. Goes on in small steps
 * while the store is used. Until it is whole it has the ending `.partial`.
 * @throws AspyError conflict where the file exists
 */
export async function backUp(
  db: WritableDb,
  path: string,
  hashKey: Uint8Array,
  archives: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupProgress> {
  if (existsSync(path)) throw new AspyError('conflict', `${path} exists: choose another name, or remove it first`)
  const partial = `${path}.partial`
  try {
    closeSync(openSync(partial, 'w', 0o600))
    chmodSync(partial, 0o600)
    const { totalPages } = await db.backup(partial, {
      progress({ totalPages: pages, remainingPages }) {
        onProgress({ path, pages, pages_done: pages - remainingPages, bytes: 0, done: false })
        return PAGES_AT_ONCE
      },
    })
    await finish(partial, hashKey, archives)
    renameSync(partial, path)
    return { path, pages: totalPages, pages_done: totalPages, bytes: statSync(path).size, done: true }
  } catch (error) {
    rmSync(partial, { force: true })
    if (
      error instanceof Error &&
      'code' in error &&
      /^(E[A-Z]+|SQLITE_(CANTOPEN|FULL|IOERR|READONLY))/.test(String(error.code))
    )
      throw new AspyError('bad_input', `${path} cannot be written: ${error.message}`, { cause: error })
    throw error
  }
}

async function finish(path: string, hashKey: Uint8Array, archives: string): Promise<void> {
  const copy = new Database(path)
  try {
    // One file, with nothing beside it.
    copy.pragma('journal_mode = DELETE')
    copy
      .prepare('INSERT INTO metadata (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
      .run(BACKUP_KEY, Buffer.from(hashKey).toString('hex'))
    await keepArchives(copy, archives)
  } finally {
    copy.close()
  }
}
