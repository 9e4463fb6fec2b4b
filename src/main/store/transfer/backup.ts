import { note } from '../database/metadata.ts'
import type { OperationOutput } from '../../../shared/contract/index.ts'
import { chmodSync, closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { errorCode, errorMessage } from '../../../shared/error-text.ts'
import { storeArchives } from '../archive/backup-archives.ts'
import type { WritableDb } from '../database/connection.ts'
import { removePreviews } from '../preview/remove-previews.ts'

/** The key in `metadata` under which a backup keeps its hash key: with another key, the same text would count as new. */
export const BACKUP_KEY = 'backup_hash_key'

const PAGES_AT_ONCE = 200

/** Progress of a backup. */
export type BackupProgress = OperationOutput<'store.backup'>

/**
 * Copies the database and its archives (from the folder `archives`) to one file (mode 0600), which is all that
 * `restoreBackup` needs. Works in small steps while the store is used. The file ends in `.partial` until it is complete.
 * @throws AspyError conflict if the file exists
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
    const code = errorCode(error) ?? ''
    if (!/^(E[A-Z]+|SQLITE_(CANTOPEN|FULL|IOERR|READONLY))/.test(code)) throw error
    const kind = /FULL|IOERR|ENOSPC|EDQUOT/.test(code) ? 'store_unavailable' : 'bad_input'
    throw new AspyError(kind, `${path} cannot be written: ${errorMessage(error)}`, { cause: error })
  }
}

async function finish(path: string, hashKey: Uint8Array, archives: string): Promise<void> {
  const copy = new Database(path)
  try {
    // Leaves no WAL next to the file.
    copy.pragma('journal_mode = DELETE')
    note(copy, BACKUP_KEY, Buffer.from(hashKey).toString('hex'))
    // The transcripts they come from are not in the backup.
    removePreviews(copy)
    await storeArchives(copy, archives)
  } finally {
    copy.close()
  }
}
