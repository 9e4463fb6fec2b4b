import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { hasTables, openReader, type ReadableDb } from '../database/connection.ts'
import { reportDamage } from '../database/damage.ts'
import { migrate } from '../database/migrate.ts'
import type { Pricing } from '../pricing/pricing.ts'
import type { Budget } from './budget.ts'
import { createReader, type Reader } from './reader.ts'

/** A thread's view of the database file over time: missing, present, or replaced by another file. */
export type DatabaseFile = ReturnType<typeof createDatabaseFile>

interface Open {
  readonly db: Database.Database
  readonly reader: Reader
  /** Device and inode; null for the empty placeholder. */
  readonly identity: string | null
}

/** Follows the file at `path` without keeping a removed or replaced file open. */
export function createDatabaseFile(
  path: string,
  budget: Budget,
  pricing: Pricing,
  hash: Reader['hash'] = null,
  accounts: Reader['accounts'] = {},
) {
  let open: Open | null = null
  let begun: string | null = null

  function close(): void {
    open?.db.close()
    open = null
  }

  /** Identifies the file at the path; null if there is none, or the writer has not created its tables yet. */
  function identify(): string | null {
    if (!existsSync(path)) return null
    const { dev, ino } = statSync(path)
    const identity = `${dev}:${ino}`
    if (begun !== identity && hasTables(path)) begun = identity
    return begun === identity ? identity : null
  }

  return {
    /** Returns a reader of the current file, or of an empty database if there is no file yet. */
    reader(): Reader {
      const identity = identify()
      if (open !== null && open.identity === identity) return open.reader
      close()
      const db = identity === null ? emptyDatabase() : openReader(path)
      open = { db, reader: { ...createReader(db, budget, pricing, hash), accounts }, identity }
      return open.reader
    },
    /**
     * Reopens the file on the next call, and reports the damage that the error shows. For use after an error: the file may
     * have changed under the connection.
     */
    reopen(error?: unknown) {
      const identity = open?.identity ?? undefined
      close()
      reportDamage(path, error, identity)
    },
    /** Frees the pages cached in memory. */
    rest: () => void open?.db.pragma('shrink_memory'),
    close,
  }
}

function emptyDatabase(): ReadableDb {
  const db = new Database(':memory:')
  migrate(db, ':memory:')
  return db as ReadableDb
}
