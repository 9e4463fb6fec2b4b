import { noted, removeNote } from './database/metadata.ts'
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AspyError } from '../../shared/contract/errors.ts'
import { archiveFolder } from './archive/archive-file.ts'
import { releaseArchives } from './archive/backup-archives.ts'
import { BACKUP_KEY } from './transfer/backup.ts'
import { openReader } from './database/connection.ts'
import type { Limits } from './log/limits.ts'
import { versionOf } from './database/migrate.ts'
import { keepForeignLog } from '../base/foreign-log.ts'
import { openStore } from './open-store.ts'
import type { Store } from './store.ts'
import { readTombstones, type Tombstone } from './delete/tombstones.ts'
import { errorMessage } from '../../shared/error-text.ts'

export interface RestoreOptions {
  readonly backup: string
  readonly dataDir: string
  /** Absolute. */
  readonly databasePath: string
  readonly limits: Limits
  readonly now?: () => number
  /** Called before each stage with its name, for display. */
  readonly onStage?: (stage: string) => void
}

/** The outcome of a restore. */
export interface Restored {
  readonly events: number
  /** Sessions of the backup that were deleted since, and stay deleted. */
  readonly left_out: number
  /** Path of the previous database; null if there was none. */
  readonly kept: string | null
}

/**
 * Replaces the database with a backup. Sessions deleted since stay deleted. The previous database is kept next to it,
 * and its key too if the backup has another. Nothing is changed until the whole backup has been checked.
 * @throws AspyError already_running, newer_database, bad_input for a file that is not a backup
 */
export function restoreBackup(options: RestoreOptions): Restored {
  const { backup, dataDir, databasePath, limits, now = Date.now, onStage = () => undefined } = options
  onStage('checking the backup')
  const hashKey = checkBackup(backup)
  const stamp = new Date(now()).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const coming = join(dirname(databasePath), `restore-${stamp}.db`)
  const archiveDir = `${archiveFolder(databasePath)}.restore-${stamp}`
  try {
    mkdirSync(dirname(databasePath), { recursive: true, mode: 0o700 })
    onStage('copying it')
    copyFileSync(backup, coming)
    chmodSync(coming, 0o600)
    onStage('unpacking archives')
    unpackArchives(coming, archiveDir)
    onStage('updating it and removing sessions deleted since')
    // Opening it takes the folder's lock: no app can start from here on.
    const store = openStore({ dataDir, dbPath: coming, hashKey, limits, archiveDir })
    let leftOut: number
    try {
      leftOut = buryAgain(store, tombstonesOf(databasePath))
    } finally {
      store.close()
    }
    const events = finish(coming)
    const kept = keepOld(databasePath, stamp)
    putKey(join(dataDir, 'hash.key'), hashKey, stamp)
    putArchives(archiveDir, archiveFolder(databasePath), stamp)
    renameSync(coming, databasePath)
    return { events, left_out: leftOut, kept }
  } finally {
    for (const part of ['', '-wal', '-shm']) rmSync(coming + part, { force: true })
    rmSync(archiveDir, { recursive: true, force: true })
  }
}

/** Reads all of a backup; returns the key of its hashes. */
function checkBackup(path: string): Buffer {
  if (!existsSync(path)) throw new AspyError('not_found', `there is no file ${path}`)
  const noBackup = (why: string) => new AspyError('bad_input', `${path} is not a backup that can be restored: ${why}`)
  try {
    const db = new Database(path, { readonly: true, fileMustExist: true })
    try {
      versionOf(db, path)
      const key = noted(db, BACKUP_KEY)
      if (key === undefined || !/^[0-9a-f]{64}$/.test(key)) throw noBackup('it was not made by aspy backup')
      const found = String(db.pragma('quick_check(1)', { simple: true }))
      if (found !== 'ok') throw noBackup(found)
      return Buffer.from(key, 'hex')
    } finally {
      db.close()
    }
  } catch (error) {
    if (error instanceof AspyError) throw error
    throw noBackup(errorMessage(error))
  }
}

function tombstonesOf(path: string): readonly Tombstone[] {
  if (!existsSync(path)) return []
  try {
    const db = openReader(path)
    try {
      return readTombstones(db)
    } finally {
      db.close()
    }
  } catch (error) {
    // Restores often replace a damaged database. An older one has no tombstones that this version can read.
    if (error instanceof AspyError || error instanceof Database.SqliteError) return []
    throw error
  }
}

function buryAgain(store: Store, tombstones: readonly Tombstone[]): number {
  const before = store.removal.applyTombstones(tombstones)
  for (const _ of store.maintenance.scrub() ?? []);
  return before
}

/** Removes the backup's own notes; returns how many events it holds. */
function finish(path: string): number {
  const db = new Database(path)
  try {
    removeNote(db, BACKUP_KEY)
    db.pragma('wal_checkpoint(TRUNCATE)')
    return Number(db.prepare('SELECT count(*) FROM events').pluck().get())
  } finally {
    db.close()
  }
}

/** Unpacks the archives, so that sessions deleted since are removed from them too. */
function unpackArchives(path: string, folder: string): void {
  const db = new Database(path)
  try {
    releaseArchives(db, folder)
  } finally {
    db.close()
  }
}

function putArchives(coming: string, folder: string, stamp: string): void {
  if (existsSync(folder)) renameSync(folder, `${folder}.before-restore-${stamp}`)
  if (existsSync(coming)) renameSync(coming, folder)
}

function keepOld(path: string, stamp: string): string | null {
  const added = `.before-restore-${stamp}`
  keepForeignLog(path, added)
  if (!existsSync(path)) return null
  const kept = join(dirname(path), basename(path) + added)
  for (const part of ['-wal', '-shm', '']) if (existsSync(path + part)) renameSync(path + part, kept + part)
  return kept
}

function putKey(path: string, key: Buffer, stamp: string): void {
  const coming = `${path}.restore-${stamp}`
  writeFileSync(coming, key, { mode: 0o600 })
  if (existsSync(path)) renameSync(path, `${path}.before-restore-${stamp}`)
  renameSync(coming, path)
}
