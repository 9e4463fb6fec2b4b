import { fdatasync, fdatasyncSync, fstatSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { AspyError } from '../../../../shared/contract/errors.ts'

/** Bytes of a database file, past SQLite. */
export interface RawFile {
  /** Fills the buffer from `offset`; bytes beyond the end of the file are zero. */
  read(into: Buffer, offset: number): void
  /** Overwrites bytes with zeros. */
  zero(offset: number, bytes: number): void
  sync(): void
  /** Syncs in a thread of Node's pool. `isOver` throws if it failed. */
  beginSync(): { isOver(): boolean }
}

/**
 * Open files by device and inode. They stay open until the process ends: closing any descriptor of a file drops the POSIX
 * locks that SQLite holds on it everywhere in the process, and another process could then remove its WAL.
 */
const open = new Map<string, number>()

/** Opens a database file for reading and writing. @throws AspyError store_unavailable if it is not the file of that path */
export function openRawFile(path: string): RawFile {
  const { dev, ino } = statSync(path)
  const identity = `${dev}:${ino}`
  const file = open.get(identity) ?? openSync(path, 'r+')
  open.set(identity, file)
  const opened = fstatSync(file)
  if (opened.dev !== dev || opened.ino !== ino)
    throw new AspyError('store_unavailable', `${path} was replaced while it was opened`)
  return {
    read(into, offset) {
      const bytes = readSync(file, into, 0, into.length, offset)
      into.fill(0, bytes)
    },
    zero(offset, bytes) {
      writeSync(file, Buffer.alloc(bytes), 0, bytes, offset)
    },
    sync: () => fdatasyncSync(file),
    beginSync() {
      let outcome: { readonly error: unknown } | null = null
      fdatasync(file, (error) => (outcome = { error }))
      const settled = () => outcome
      return {
        isOver() {
          const result = settled()
          if (result?.error) throw result.error
          return result !== null
        },
      }
    },
  }
}
