import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { contentText } from '../../../src/main/store/log/contents.ts'
import { HASH_KEY, openTestStore } from './folder.ts'
import { promptFact, seeded, sessionFacts } from './history.ts'

const PAGE_BYTES = 4096

export type Damage = 'zeros' | 'garbage'

/** Writes a database of some 400 pages; returns its bytes. */
export function storeOf400Pages(): Buffer {
  const { store, dbPath } = openTestStore()
  const random = seeded(38)
  for (let at = 0; at < 5; at += 1) {
    store.ingest.append(sessionFacts(`session-${at}`, 4, random).flatMap((fact) => fact.reports))
    const text = Array.from({ length: 600 }, () => Math.floor(random() * 1e9).toString(36)).join(' ')
    store.ingest.append(promptFact(`session-${at}`, `long-${at}`, text, 1e6).reports)
  }
  store.close()
  const db = new Database(dbPath)
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.pragma('journal_mode = DELETE')
  db.close()
  return readFileSync(dbPath)
}

export const pagesOf = (whole: Buffer): number => whole.length / PAGE_BYTES

/** Writes a copy in which some pages (counted from 1) are torn. */
export function writeDamaged(path: string, whole: Buffer, pages: readonly number[], damage: Damage): void {
  const bytes = Buffer.from(whole)
  for (const page of pages) {
    const start = (page - 1) * PAGE_BYTES
    for (let at = 0; at < PAGE_BYTES; at += 1) bytes[start + at] = damage === 'zeros' ? 0 : (at * 167 + 13) % 256
  }
  writeFileSync(path, bytes)
}

/** Returns the uuids of events that SQLite still reads by their id, with their payload; null if it cannot open the file. */
export function readableEvents(path: string, most: number): ReadonlySet<string> | null {
  const db = new Database(path, { readonly: true })
  try {
    const one = db.prepare<[number], { uuid: string; payload: string }>('SELECT uuid, payload FROM events WHERE id = ?')
    const found = new Set<string>()
    for (let id = 1; id <= most; id += 1) {
      const row = tried(() => one.get(id))
      if (row && tried(() => isThere(db, row.payload))) found.add(row.uuid)
    }
    return found
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  } finally {
    db.close()
  }
}

/** Throws if the payload, or the content that has all of it, cannot be read. */
function isThere(db: Database.Database, payload: string): boolean {
  const { $content: hash } = JSON.parse(payload) as { readonly $content?: string }
  if (hash === undefined) return true
  const row = db
    .prepare<[Buffer], { encoding: string; data: Buffer }>('SELECT encoding, data FROM contents WHERE hash = ?')
    .get(Buffer.from(hash, 'hex'))
  if (row === undefined) return false
  // Damage within a text shows only in its hash.
  return createHmac('sha256', HASH_KEY).update(contentText(row.encoding, row.data)).digest('hex').startsWith(hash)
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
