import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import type { AnyEvent } from '../../../src/shared/event.ts'
import { openStore } from '../../../src/main/store/open-store.ts'
import type { StoreOptions } from '../../../src/main/store/store-options.ts'
import type { Store } from '../../../src/main/store/store.ts'

export const HASH_KEY = Buffer.alloc(32, 7)
export const LIMITS = {
  store_thinking: true,
  store_tool_io: true,
  max_thinking_size: 100_000,
  max_prompt_size: 1_000_000,
}

/** Creates an empty folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** Opens a store in a new folder (or the given one); closes it when the test ends. */
export function openTestStore(options: Partial<StoreOptions> = {}): { store: Store; folder: string; dbPath: string } {
  const folder = options.dataDir ?? temporaryFolder()
  const store = openStore({ dataDir: folder, hashKey: HASH_KEY, limits: LIMITS, ...options })
  onTestFinished(() => store.close())
  return { store, folder, dbPath: join(folder, 'lifestats.db') }
}

/**
 * Copies a store's database to a new folder, with SQLite: a store that was just closed may still have a thread that moves
 * its WAL, whose files could disappear during a file copy.
 */
export function copyOfStore(dbPath: string): { folder: string; dbPath: string } {
  const folder = temporaryFolder()
  const copy = join(folder, 'lifestats.db')
  const db = new Database(dbPath, { readonly: true, timeout: 10_000 })
  db.prepare('VACUUM INTO ?').run(copy)
  db.close()
  return { folder, dbPath: copy }
}

/** Opens a read-only connection and closes it when `read` returns. */
export function readStore<T>(dbPath: string, read: (db: Database.Database) => T): T {
  const db = new Database(dbPath, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** Returns contents in which ends of turns have the name of their turn: those that prompts bring have other ids in each store. */
export const withNamedEnds = (contents: Record<string, unknown[]>): Record<string, unknown[]> => {
  const ends = (contents['events'] as AnyEvent[]).filter(({ kind }) => kind === 'turn_ended')
  const named = ends.reduce(
    (json, { uuid, session_id, turn_id }) => json.replaceAll(uuid, `end:${session_id}:${turn_id}`),
    JSON.stringify(contents),
  )
  return JSON.parse(named) as Record<string, unknown[]>
}

/** Returns the whole content of a database, byte for byte, with the pages of full text; leaves out data specific to one run. */
export const contentsOfDatabase = (dbPath: string): Record<string, unknown[]> =>
  readStore(dbPath, (db) => {
    const names = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('metadata', 'sqlite_sequence')",
      )
      .pluck()
      .all()
    // The rows of a virtual table are in shadow tables, which are included.
    const plain = names.filter((name) => !/^[a-z]+_fts$/.test(name))
    return Object.fromEntries(plain.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  })
