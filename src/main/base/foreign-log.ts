import { closeSync, constants, existsSync, openSync, readSync, renameSync, rmSync } from 'node:fs'
import { mayAccess } from './may-access.ts'

const HEADER_BYTES = 100
const LOG_HEADER_BYTES = 32
/** By the byte order of its checksums: https://sqlite.org/fileformat.html#the_write_ahead_log */
const LOG_MAGIC = [0x377f0682, 0x377f0683]
const FRAME_HEADER_BYTES = 24

/** What the first page of a database says of itself. */
interface Header {
  readonly id: number
  readonly version: number
  /** How often the page was written, about: one more each time at most. */
  readonly changes: number
}

/**
 * Returns true if the write-ahead log beside a database was written for another one, or for an older or newer state of this
 * one: SQLite would mix the pages of both. A damaged header says nothing. Reads the file itself, and closing it drops all
 * locks that this process holds on it: only for a file that this process has not opened.
 */
export function hasForeignLog(path: string): boolean {
  // What cannot be read says so when it is opened.
  if (![path, `${path}-wal`].every((file) => mayAccess(file, constants.R_OK))) return false
  const own = headerIn(read(path, (bytes) => bytes(0, HEADER_BYTES)))
  if (own === null) return false
  const [first, last] = read(`${path}-wal`, firstPagesIn)
  if (first === undefined || last === undefined) return false
  // The id of a database of before may still be in the log alone. Its version only rises.
  if (own.id === 0) return last.version < own.version
  return last.id !== own.id || first.changes > own.changes + 1 || last.changes < own.changes
}

/** Where such a log waits for the salvage of the file. */
const asidePath = (path: string) => `${path}.damaged-log`

/** Renames such a log, if there is one, before anything opens the file: the writer then takes the file for damaged. */
export function setForeignLogAside(path: string): void {
  if (!hasForeignLog(path)) return
  rmSync(`${path}-shm`, { force: true })
  renameSync(`${path}-wal`, asidePath(path))
}

/** Returns true if such a log was set aside, and the file is not salvaged yet. */
export const isForeignLogAside = (path: string): boolean => existsSync(asidePath(path))

/** Keeps a log that was set aside beside the file that it was found with, which now has this added to its name. */
export function keepForeignLog(path: string, stamp: string): void {
  if (isForeignLogAside(path)) renameSync(asidePath(path), `${path}${stamp}-log`)
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
  return isWhole ? { id, version: bytes.readUInt32BE(60), changes } : null
}

/** Returns the first and the last version of the first page that a log has; nothing if one of them is damaged. */
function firstPagesIn(bytes: Bytes): readonly Header[] {
  const log = bytes(0, LOG_HEADER_BYTES)
  if (log.length < LOG_HEADER_BYTES || !LOG_MAGIC.includes(log.readUInt32BE(0))) return []
  const [pageBytes, salt] = [log.readUInt32BE(8), log.subarray(16, 24)]
  if (pageBytes < 512) return []
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
