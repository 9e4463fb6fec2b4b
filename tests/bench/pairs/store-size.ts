import { join } from 'node:path'
import Database from 'better-sqlite3'

/** Bytes of the database's pages in use, WAL included, and its events. */
export function storeSize(dataDir: string): { readonly bytes: number; readonly events: number } {
  const db = new Database(join(dataDir, 'lifestats.db'), { readonly: true })
  try {
    const one = (sql: string) => db.prepare<[], number>(sql).pluck().get() ?? Number.NaN
    const pages = one('PRAGMA page_count') - one('PRAGMA freelist_count')
    return { bytes: pages * one('PRAGMA page_size'), events: one('SELECT count(*) FROM events') }
  } finally {
    db.close()
  }
}
