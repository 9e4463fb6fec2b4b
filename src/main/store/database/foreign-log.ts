import { randomInt } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { AspyError } from '../../../shared/contract/errors.ts'

const HEADER_BYTES = 100
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

/** Returns true if there are tables, and none of them is Aspy's. */
export function isForeign(db: Database.Database): boolean {
  const names = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all()
  return names.length > 0 && !names.includes('events') && !names.includes('metadata')
}

/** Gives a database a random id, unless it has one: a number that is written twice, so that a damaged one is none. */
export function giveId(db: Database.Database): void {
  if (db.pragma('application_id', { simple: true }) !== 0) return
  const half = randomInt(1, 2 ** 15)
  db.pragma(`application_id = ${half * 2 ** 16 + half}`)
}

/** What the first page of a database says of itself. */
interface Header {
  readonly id: number
  /** How often the page was written, about: one more each time at most. */
  readonly changes: number
}

/**
 * Returns true if the write-ahead log beside a database that nobody writes was written for another one, or for an older or
 * newer state of this one: SQLite would mix the pages of both. A damaged header says nothing.
 */
export function hasForeignLog(path: string): boolean {
  if (!existsSync(path) || !existsSync(`${path}-wal`)) return false
  const own = headerIn(read(path, (bytes) => bytes(0, HEADER_BYTES)))
  if (own === null || own.id === 0) return false
  const [first, last] = read(`${path}-wal`, firstPagesIn)
  if (first === undefined || last === undefined) return false
  return last.id !== own.id || first.changes > own.changes + 1 || last.changes < own.changes
}

/** Renames such a log, so that the file is read without it. */
export function setForeignLogAside(path: string): void {
  rmSync(`${path}-shm`, { force: true })
  renameSync(`${path}-wal`, `${path}-wal.of-another-${Date.now()}`)
}

/** Returns an error that the recorder takes as damage of the file. */
export function damaged(path: string, what: string): AspyError {
  const cause = Object.assign(new Error(what), { code: 'SQLITE_CORRUPT' })
  return new AspyError('store_unavailable', `${path}: ${what}`, { cause })
}

type Bytes = (at: number, count: number) => Buffer

function read<T>(path: string, use: (bytes: Bytes) => T): T {
  const file = openSync(path, 'r')
  try {
    return use((at, count) => {
      const bytes = Buffer.alloc(count)
      return bytes.subarray(0, readSync(file, bytes, 0, count, at))
    })
  } finally {
    closeSync(file)
  }
}

/** Returns null unless the bytes are a header of a database, whose id may be 0. SQLite writes the count of changes twice. */
function headerIn(bytes: Buffer): Header | null {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, 16) !== 'SQLite format 3\0') return null
  const [id, changes] = [bytes.readUInt32BE(68), bytes.readUInt32BE(24)]
  const isWhole = bytes.readUInt16BE(68) === bytes.readUInt16BE(70) && changes === bytes.readUInt32BE(92)
  return isWhole ? { id, changes } : null
}

/** Returns the first and the last version of the first page that a log has; nothing if one of them is damaged. */
function firstPagesIn(bytes: Bytes): readonly Header[] {
  const log = bytes(0, LOG_HEADER_BYTES)
  if (log.length < LOG_HEADER_BYTES) return []
  const [pageBytes, salt] = [log.readUInt32BE(8), log.subarray(16, 24)]
  const found: number[] = []
  for (let at = LOG_HEADER_BYTES; ; at += FRAME_HEADER_BYTES + pageBytes) {
    const frame = bytes(at, FRAME_HEADER_BYTES)
    // Frames that are in use have the random bytes of the log's own header.
    if (frame.length < FRAME_HEADER_BYTES || !frame.subarray(8, 16).equals(salt)) break
    if (frame.readUInt32BE(0) === 1) found.push(at + FRAME_HEADER_BYTES)
  }
  const headers = [found[0], found.at(-1)].map((at) => (at === undefined ? null : headerIn(bytes(at, HEADER_BYTES))))
  return headers.every((header) => header !== null) ? headers : []
}
