import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { contentText } from '../../../src/main/store/log/contents.ts'
import { HASH_KEY, openTestStore } from './folder.ts'
import { promptFact, seeded, sessionFacts } from './history.ts'

const PAGE_BYTES = 4096

/** What may happen to a page. */
export const DAMAGES = ['zeros', 'garbage', 'copy', 'flipped', 'half'] as const
export type Damage = (typeof DAMAGES)[number]

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

/** Writes a copy in which some pages (counted from 1) are damaged. */
export function writeDamaged(path: string, whole: Buffer, pages: readonly number[], damage: Damage): void {
  const bytes = Buffer.from(whole)
  for (const page of pages) {
    const start = (page - 1) * PAGE_BYTES
    harm(bytes.subarray(start, start + PAGE_BYTES), page, whole, damage)
  }
  writeFileSync(path, bytes)
}

function harm(bytes: Buffer, page: number, whole: Buffer, damage: Damage): void {
  switch (damage) {
    case 'zeros':
      bytes.fill(0)
      return
    case 'garbage':
      for (let at = 0; at < PAGE_BYTES; at += 1) bytes[at] = (at * 167 + 13) % 256
      return
    case 'copy': {
      const other = (page * 7 + 3) % pagesOf(whole)
      whole.copy(bytes, 0, other * PAGE_BYTES, (other + 1) * PAGE_BYTES)
      return
    }
    case 'flipped': {
      // The header of a page of rows: its kind, first free block, number of rows, where they begin, free bytes, next page.
      const at = page % (page === 1 ? 112 : 12)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << ((page >> 3) % 8))
      return
    }
    case 'half':
      bytes.fill(0, PAGE_BYTES / 2)
  }
}

/** The uuids of events with their whole payload, which shows whether one was changed. */
export type EventsOf = ReadonlyMap<string, string>

/**
 * Returns the events that SQLite still reads by their id, or by a scan in either direction; null if it cannot open the
 * file. With `original`, only those that are unchanged.
 */
export function readableEvents(path: string, most: number, original?: EventsOf): EventsOf | null {
  const db = new Database(path, { readonly: true })
  const found = new Map<string, string>()
  const take = (row: Row | undefined) => {
    const payload = row === undefined || typeof row.payload !== 'string' ? undefined : tried(() => resolved(db, row))
    if (row === undefined || payload === undefined) return
    if (original === undefined || original.get(row.uuid) === payload) found.set(row.uuid, payload)
  }
  try {
    const one = db.prepare<[number], Row>('SELECT uuid, payload FROM events WHERE id = ?')
    for (let id = 1; id <= most; id += 1) take(tried(() => one.get(id)))
    for (const order of ['ASC', 'DESC']) {
      const rows = db.prepare<[], Row>(`SELECT uuid, payload FROM events NOT INDEXED ORDER BY id ${order}`)
      tried(() => {
        for (const row of rows.iterate()) take(row)
      })
    }
    return found
  } catch (error) {
    if (error instanceof Database.SqliteError) return null
    throw error
  } finally {
    db.close()
  }
}

interface Row {
  readonly uuid: string
  readonly payload: string
}

const REFERENCE = /"\$content":"([0-9a-f]+)"/g

/** The payload with all texts it refers to. Throws if one of them cannot be read. */
function resolved(db: Database.Database, { payload }: Row): string {
  const texts = [...payload.matchAll(REFERENCE)].map(([, hash = '']) => content(db, hash))
  const [first] = texts
  return [
    payload,
    ...texts,
    ...(first?.includes('"$content"') === true ? [resolved(db, { uuid: '', payload: first })] : []),
  ].join('\n')
}

function content(db: Database.Database, hash: string): string {
  const row = db
    .prepare<[Buffer], { encoding: string; data: Buffer }>('SELECT encoding, data FROM contents WHERE hash = ?')
    .get(Buffer.from(hash, 'hex'))
  if (row === undefined) throw new Error('a text is not there')
  const text = contentText(row.encoding, row.data)
  // Damage within a text shows only in its hash.
  if (!createHmac('sha256', HASH_KEY).update(text).digest('hex').startsWith(hash)) throw new Error('a text is changed')
  return text
}

function tried<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
