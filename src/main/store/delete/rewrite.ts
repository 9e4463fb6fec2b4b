import { note, noted, removeNote } from '../database/metadata.ts'
import Database from 'better-sqlite3'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { byteSize } from '../../../shared/byte-size.ts'
import { AspyError } from '../../../shared/contract/errors.ts'
import type { Checkpointer } from '../database/checkpointer.ts'
import type { WritableDb } from '../database/connection.ts'
import { emptyWal } from './empty-wal.ts'

const GIGABYTE = 1024 * 1024 * 1024
const AWAY_MS_AT_LEAST = 10_000
/** Three times the measured duration. */
const AWAY_MS_A_GIGABYTE = 20_000
const MAX_IN_MEMORY_BYTES = 128 * 1024 * 1024
/** A larger file is only rewritten on request. */
const MAX_UNASKED_BYTES = 2 * GIGABYTE
/** SQLite writes the new content to a temporary file and then to the WAL. */
const FREE_SPACE_FACTOR = 2
/** Time between two rewrites that nobody asked for: one a night. */
const EVERY_MS = 20 * 60 * 60_000

/** Size of the file before and after it was rewritten. */
export interface Rewritten {
  readonly bytes_before: number
  readonly bytes_after: number
}

/** Space on the disk of the database, in bytes. */
type FreeBytes = (folder: string) => number

interface RewriteParts {
  readonly db: WritableDb
  readonly path: string
  /** Called with the maximum duration in milliseconds before the file is rewritten, and with 0 afterwards. */
  readonly onAway: (ms: number) => void
  readonly checkpointer: Checkpointer | null
  readonly now: () => number
  readonly freeBytes?: FreeBytes
}

/** Records that unused bytes of the file may hold deleted or replaced text, until the file is rewritten. */
export function markRewrite(db: WritableDb): void {
  note(db, 'rewrite_due', '1')
}

/** Returns true if unused bytes of the file may hold deleted text, and it may be rewritten without being asked. */
export function mayRewriteUnasked({ db, path, now, freeBytes = freeBytesOf }: RewriteParts): boolean {
  if (noted(db, 'rewrite_due') === undefined) return false
  const triedAt = noted(db, 'rewrite_tried_at')
  const sinceTriedMs = triedAt === undefined ? Infinity : now() - Date.parse(triedAt)
  return mayBegin({ bytes: sizeOf(db), freeBytes: freeBytes(dirname(path)), sinceTriedMs })
}

/** Once a night, up to 2 GB, with twice the file's size free on the disk. */
export function mayBegin(state: {
  readonly bytes: number
  readonly freeBytes: number
  readonly sinceTriedMs: number
}): boolean {
  const { bytes, freeBytes, sinceTriedMs } = state
  return bytes <= MAX_UNASKED_BYTES && freeBytes >= FREE_SPACE_FACTOR * bytes && sinceTriedMs >= EVERY_MS
}

/**
 * Rewrites the database file, so that none of its bytes holds deleted or replaced text, then empties the WAL. It is one
 * statement, about seven seconds per gigabyte, during which traffic waits in memory. Yields pauses in milliseconds.
 * @throws AspyError conflict if the disk is too full, busy if somebody reads an older state all the time
 */
export function* rewriteFile(parts: RewriteParts): Generator<number, Rewritten, void> {
  const { db, path, onAway, checkpointer, now } = parts
  const bytes = sizeOf(db)
  assertSpace(parts)
  // Written first: a rewrite that fails is not tried again in the same night.
  note(db, 'rewrite_tried_at', new Date(now()).toISOString())
  onAway(AWAY_MS_AT_LEAST + Math.ceil((bytes / GIGABYTE) * AWAY_MS_A_GIGABYTE))
  try {
    vacuum(path, bytes)
  } finally {
    onAway(0)
  }
  db.pragma('shrink_memory')
  if (!(yield* emptyWal(db, checkpointer)))
    throw new AspyError(
      'busy',
      `the file was rewritten, but another program reads an older state of ${path}: close it, then run "aspy vacuum" again`,
    )
  removeNote(db, 'rewrite_due')
  return { bytes_before: bytes, bytes_after: sizeOf(db) }
}

/** Uses a separate connection: settings that VACUUM needs would drop the writer's temporary tables. */
function vacuum(path: string, bytes: number): void {
  const other = new Database(path, { fileMustExist: true, timeout: 5000 })
  try {
    other.pragma(`temp_store = ${bytes > MAX_IN_MEMORY_BYTES ? 'FILE' : 'MEMORY'}`)
    other.pragma('secure_delete = ON')
    // A file that a person made from a dump gets a map of its pages, too.
    other.pragma('auto_vacuum = INCREMENTAL')
    other.exec('VACUUM')
  } finally {
    other.close()
  }
}

function assertSpace({ db, path, freeBytes = freeBytesOf }: RewriteParts): void {
  const needed = FREE_SPACE_FACTOR * usedBytes(db)
  const free = freeBytes(dirname(path))
  if (free >= needed) return
  throw new AspyError(
    'conflict',
    `rewriting ${path} needs ${byteSize(needed)} of free disk space, and ${byteSize(free)} are left: ` +
      'free some, then run "aspy vacuum" again',
  )
}

function freeBytesOf(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

const sizeOf = (db: WritableDb): number => pages(db, 'page_count') * pageBytes(db)

const usedBytes = (db: WritableDb): number => sizeOf(db) - pages(db, 'freelist_count') * pageBytes(db)

const pageBytes = (db: WritableDb): number => pages(db, 'page_size')

const pages = (db: WritableDb, pragma: string): number => Number(db.pragma(pragma, { simple: true }))
