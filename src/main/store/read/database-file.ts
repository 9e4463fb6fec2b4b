import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { hasTables, openReader, type ReadableDb } from '../database/connection.ts'
import { migrate } from '../database/migrate.ts'
import type { Pricing } from '../pricing/pricing.ts'
import type { Budget } from './budget.ts'
import { createReader, type Reader } from './reader.ts'

/** The database as a thread sees it over time: not there yet, there, replaced by another file. */
export interface DatabaseFile {
  /** A reader over the file as it is now; over an empty database where there is none yet. */
  reader(): Reader
  /** After an error: opens the file anew at the next call, since it may have changed under the connection. */
  reopen(): void
  /** Gives back the pages that are kept in memory. */
  rest(): void
  close(): void
}

interface Open {
  readonly db: Database.Database
  readonly reader: Reader
  /** Device and inode; null: the empty stand-in. */
  readonly identity: string | null
}

/** Watches over the file at `path` without holding it open in vain. */
export function createDatabaseFile(path: string, budget: Budget, pricing: Pricing): DatabaseFile {
  let open: Open | null = null
  let begun: string | null = null

  function close(): void {
    open?.db.close()
    open = null
  }

  /** Which file lies at the path; null where there is none, or the writer has not made its tables yet. */
  function identify(): string | null {
    if (!existsSync(path)) return null
    const { dev, ino } = statSync(path)
    const identity = `${dev}:${ino}`
    if (begun !== identity && hasTables(path)) begun = identity
    return begun === identity ? identity : null
  }

  return {
    reader() {
      const identity = identify()
      if (open !== null && open.identity === identity) return open.reader
      close()
      const db = identity === null ? emptyDatabase() : openReader(path)
      open = { db, reader: createReader(db, budget, pricing), identity }
      return open.reader
    },
    reopen: close,
    rest: () => void open?.db.pragma('shrink_memory'),
    close,
  }
}

function emptyDatabase(): ReadableDb {
  const db = new Database(':memory:')
  migrate(db, ':memory:')
  return db as ReadableDb
}
