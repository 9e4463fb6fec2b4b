import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
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

/** An empty folder that goes when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'aspy-store-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

/** A store in a folder of its own (or the given one), closed when the test ends. */
export function openTestStore(options: Partial<StoreOptions> = {}): { store: Store; folder: string; dbPath: string } {
  const folder = options.dataDir ?? temporaryFolder()
  const store = openStore({ dataDir: folder, hashKey: HASH_KEY, limits: LIMITS, ...options })
  onTestFinished(() => store.close())
  return { store, folder, dbPath: join(folder, 'lifestats.db') }
}

/**
 * A folder with a copy of a store's database, made by SQLite: a store that was just closed may still have a thread that moves
 * its WAL, whose files come and go under whoever copies files.
 */
export function copyOfStore(dbPath: string): { folder: string; dbPath: string } {
  const folder = temporaryFolder()
  const copy = join(folder, 'lifestats.db')
  const db = new Database(dbPath, { readonly: true, timeout: 10_000 })
  db.prepare('VACUUM INTO ?').run(copy)
  db.close()
  return { folder, dbPath: copy }
}

/** A read-only connection that is closed when `read` returns. */
export function readStore<T>(dbPath: string, read: (db: Database.Database) => T): T {
  const db = new Database(dbPath, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** All that lies in a database, byte for byte, the pages of full text too; but not what tells of one run alone. */
export const contentsOfDatabase = (dbPath: string): Record<string, unknown[]> =>
  readStore(dbPath, (db) => {
    const names = db
      .prepare<[], string>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('metadata', 'sqlite_sequence')",
      )
      .pluck()
      .all()
    // A virtual table's rows lie in tables of its own, which are among these.
    const plain = names.filter((name) => !/^[a-z]+_fts$/.test(name))
    return Object.fromEntries(plain.map((name) => [name, db.prepare(`SELECT * FROM "${name}"`).all()]))
  })
