import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'
import { isForeignLogAside } from '../../base/foreign-log.ts'
import { assertPrivateFile, UntrustedFile } from '../../base/private-file.ts'
import { syncFile } from './sync-file.ts'
import { isSpaceLow } from './free-space.ts'
import { inPlace } from './in-place.ts'
import { undoInterrupted } from './undo-interrupted.ts'
import { assertOwnLog, foreignLog, giveId, isForeign } from './foreign.ts'
import { latestVersion, migrate, updateProgress, versionOf, withoutVersion } from './migrate.ts'
import { plannedOnce } from './planned-once.ts'
import { translated } from './store-error.ts'

declare const readable: unique symbol
declare const writable: unique symbol

/** A connection for reading. */
export type ReadableDb = Database.Database & { readonly [readable]: true }
/** The only connection that may write. Functions that read accept it too; functions that write reject a ReadableDb. */
export type WritableDb = ReadableDb & { readonly [writable]: true }

/** Older versions of SQLite lose WAL commits in a race between checkpoint and restart. */
const MINIMUM_SQLITE = [3, 51, 3] as const

/** Beyond this many pages (128 MiB), a commit runs the checkpoint itself; normally another thread does: see checkpointer.ts. */
const AUTOCHECKPOINT_PAGES = 32_768
/** The first commit after the WAL restarts truncates its file to this size while traffic waits, so it is rarely longer. */
const WAL_KEPT_BYTES = 192 * 1024 * 1024
/**
 * Pages that the writer keeps in memory. With 64 MiB, an exchange recorded into a million events reads five pages fewer
 * from the system's own cache, out of about ten.
 */
const CACHE_KIB = 24 * 1024
/** When idle, a longer WAL is truncated, or any if the disk is nearly full. */
const WAL_IDLE_BYTES = 16 * 1024 * 1024

export interface WriterOptions {
  /** Time that a statement waits for another process's lock. */
  readonly busyTimeoutMs?: number
  /** Maximum size of the file in pages of 4 KB: writing beyond it fails as on a full disk. */
  readonly maxPages?: number
  readonly appVersion?: string
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** Called with the maximum duration in ms before long work, such as the update of an older database, and with 0 afterwards. */
  readonly onAway?: (ms: number) => void
}

/** An open writer and the lock that makes it the only one. */
export interface Writer {
  readonly db: WritableDb
  /** Throws `store_unavailable` if the file was removed or replaced: anything written would be lost. */
  assertInPlace(): void
  close(): void
}

/**
 * Opens the database for writing: takes the lock on `writer.lock` next to it, creates missing folders (0700) and files
 * (0600), and migrates the schema.
 * @throws AspyError already_running, newer_database, older_database, store_unavailable
 */
export function openWriter(path: string, options: WriterOptions = {}): Writer {
  return translated(() => {
    const folder = dirname(path)
    makeFolder(folder)
    assertOwnFiles(path)
    const lock = takeLock(join(folder, 'writer.lock'))
    let db: Database.Database | null = null
    const close = () => {
      try {
        db?.close()
      } finally {
        lock.close()
      }
    }
    try {
      refuseEmpty(path)
      createPrivately(path)
      refuseOtherVersion(path)
      db = new Database(path, { timeout: options.busyTimeoutMs ?? 1000 })
      assertSqliteVersion(db)
      prepareConnection(db)
      planOnce(db)
      if (options.maxPages !== undefined) db.pragma(`max_page_count = ${options.maxPages}`)
      migrate(db, path, options)
      giveId(db)
      return { db: db as WritableDb, assertInPlace: inPlace(db, path), close }
    } catch (error) {
      close()
      throw error
    }
  })
}

/** A connection that can write would move the WAL into a file that is then refused. */
function refuseOtherVersion(path: string): void {
  undoInterrupted(path)
  if (isForeignLogAside(path)) throw foreignLog(path)
  const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })
  try {
    refuseForeign(db, path)
  } finally {
    db.close()
  }
}

/**
 * Throws a damage if the write-ahead log of a database is not its own: see `assertOwnLog`.
 * @throws AspyError store_unavailable
 */
export function refuseForeignLog(path: string): void {
  translated(() => assertOwnFiles(path))
  assertOwnLog(path)
}

/** Returns the version of a database. Throws if it is not of Aspy. */
function refuseForeign(db: Database.Database, path: string): number {
  if (isForeign(db)) {
    const advice = 'move it away, or name another one in [lifestats] db_path'
    throw new AspyError('store_unavailable', `${path} is a database of another program: ${advice}`)
  }
  const version = versionOf(db, path)
  if (version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() !== undefined) throw withoutVersion(path)
  return version
}

/** Returns true if the writer has created the tables: a new file is empty for a moment. */
export function hasTables(path: string): boolean {
  return translated(() => {
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })
    try {
      return Number(db.pragma('user_version', { simple: true })) > 0
    } finally {
      db.close()
    }
  })
}

/**
 * Opens the database for reading.
 * @throws AspyError newer_database, older_database, store_unavailable (also if there is no database yet)
 */
export function openReader(path: string): ReadableDb {
  return translated(() => {
    assertOwnFiles(path)
    if (!existsSync(path)) throw new AspyError('store_unavailable', `nothing is recorded yet: ${path} does not exist`)
    const db = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 })
    try {
      assertSqliteVersion(db)
      planOnce(db)
      db.pragma('query_only = ON')
      if (refuseForeign(db, path) < latestVersion()) throw olderThanReader(db, path)
      return db as ReadableDb
    } catch (error) {
      db.close()
      throw error
    }
  })
}

function olderThanReader(db: Database.Database, path: string): AspyError {
  const progress = updateProgress(db, path)
  return new AspyError(
    'store_unavailable',
    progress === null
      ? `${path} was written by an older Aspy: start Aspy once to update it`
      : `${path} is being updated to this version of Aspy (${progress}): try again once it is done. ` +
          'If Aspy is not running, start it to finish the update',
  )
}

/**
 * Tidies up when idle: moves the WAL into the file without touching readers' snapshots, truncates it if nobody reads it,
 * and frees the pages cached in memory.
 */
export function checkpointWal(db: WritableDb): void {
  translated(() => {
    const [state] = db.pragma('wal_checkpoint(PASSIVE)') as { busy: number; log: number; checkpointed: number }[]
    const kept = isSpaceLow(db.name) ? 0 : WAL_IDLE_BYTES
    if (state && state.log === state.checkpointed && walBytes(db) > kept) db.pragma('wal_checkpoint(TRUNCATE)')
    db.pragma('shrink_memory')
  })
}

/** Syncs committed data to disk. The writer holds no SQLite locks on this file, so opening and closing it drops none. */
export function syncWal(db: WritableDb): void {
  if (walBytes(db) > 0) syncFile(`${db.name}-wal`)
}

const walBytes = (db: WritableDb): number => statSync(`${db.name}-wal`, { throwIfNoEntry: false })?.size ?? 0

/** Throws `store_unavailable` if a file that SQLite would open is a link, not a file, or another user's. */
function assertOwnFiles(path: string): void {
  const files = [path, `${path}-wal`, `${path}-shm`, `${path}-journal`, join(dirname(path), 'writer.lock')]
  try {
    for (const file of files) assertPrivateFile(file)
  } catch (error) {
    if (!(error instanceof UntrustedFile)) throw error
    const advice = 'move it away, or name another database in [lifestats] db_path'
    throw new AspyError('store_unavailable', `${error.message}; ${advice}`, { cause: error })
  }
}

/** SQLite would take an empty file for a new database, and nobody would notice the loss. */
function refuseEmpty(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return
  const cause = Object.assign(new Error('the file is empty'), { code: 'SQLITE_NOTADB' })
  throw new AspyError('store_unavailable', `${path} is empty (0 bytes); Aspy moves it away when it starts`, { cause })
}

/** Takes the lock as an exclusive transaction, so that it ends with the process in any case. */
function takeLock(path: string): Database.Database {
  createPrivately(path)
  const lock = new Database(path, { timeout: 0 })
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    const code = error instanceof Database.SqliteError ? error.code : ''
    if (code.startsWith('SQLITE_BUSY'))
      throw new AspyError(
        'already_running',
        `another Aspy is writing to ${dirname(path)}: use that one, or choose another folder with --data`,
      )
    // Has no cause, which would report a damaged database.
    if (/^SQLITE_(NOTADB|CORRUPT)/.test(code))
      throw new AspyError(
        'store_unavailable',
        `${path} is not a lock of Aspy: move it away, and Aspy creates a new one`,
      )
    throw error
  }
}

/** Creates a folder and its parents. `recursive` would loop forever if the system answers "no such file" to mkdir (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

/**
 * Creates an empty file of mode 0600. Never opens an existing file: closing it would drop the POSIX locks that SQLite
 * holds on it elsewhere in this process.
 */
function createPrivately(path: string): void {
  if (existsSync(path)) chmodSync(path, 0o600)
  else closeSync(openSync(path, 'wx', 0o600))
}

function assertSqliteVersion(db: Database.Database): void {
  const text = String(db.prepare('SELECT sqlite_version()').pluck().get())
  const version = text.split('.').map(Number)
  for (const [place, least] of MINIMUM_SQLITE.entries()) {
    const part = version[place] ?? 0
    if (part > least) return
    if (part < least)
      throw new AspyError('internal', `SQLite ${text} is too old: Aspy needs at least ${MINIMUM_SQLITE.join('.')}`)
  }
}

function prepareConnection(db: Database.Database): void {
  // Takes effect only before the first table exists and before WAL writes the first page.
  db.pragma('auto_vacuum = INCREMENTAL')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.pragma('foreign_keys = ON')
  // Overwrites deleted data if that costs no further page; deleting a session switches it to ON.
  db.pragma('secure_delete = FAST')
  db.pragma(`wal_autocheckpoint = ${AUTOCHECKPOINT_PAGES}`)
  db.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`)
  db.pragma(`cache_size = -${CACHE_KIB}`)
  db.pragma('temp_store = MEMORY')
}

/** The writer executes most of its statements for each event, and readers keep theirs for later answers. */
function planOnce(db: Database.Database): void {
  const prepare = db.prepare.bind(db)
  db.prepare = ((sql: string) => prepare(plannedOnce(sql))) as typeof db.prepare
}
