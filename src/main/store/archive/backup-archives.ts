import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type Database from 'better-sqlite3'

/** Holds archives within a backup, which is a single file: each archive is split into parts. */
const TABLE = 'backup_archives'
const PART_BYTES = 1024 * 1024

interface StoredArchive {
  readonly path: string
  readonly bytes: number
}

/** Stores the archives that a copy of the database names in the copy. Others may work between two parts. */
export async function storeArchives(copy: Database.Database, folder: string): Promise<void> {
  const archives = copy
    .prepare<[], StoredArchive>('SELECT path, bytes FROM archives WHERE removed_at IS NULL AND bytes > 0')
    .all()
  if (archives.length === 0) return
  copy.exec(
    `CREATE TABLE ${TABLE} (path TEXT NOT NULL, part INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (path, part)) STRICT`,
  )
  const insert = copy.prepare<[string, number, Buffer]>(`INSERT INTO ${TABLE} (path, part, data) VALUES (?, ?, ?)`)
  for (const { path, bytes } of archives) {
    // A file that somebody removed is also missing from the copy.
    if (!existsSync(join(folder, path))) continue
    const file = openSync(join(folder, path), 'r')
    try {
      for (let at = 0; at < bytes; at += PART_BYTES) {
        const part = Buffer.alloc(Math.min(PART_BYTES, bytes - at))
        const length = readSync(file, part, 0, part.length, at)
        insert.run(path, at / PART_BYTES, part.subarray(0, length))
        await new Promise((resolve) => setImmediate(resolve))
      }
    } finally {
      closeSync(file)
    }
  }
}

/** Takes the archives out of a restored database and writes their files (0600) into a new folder (0700). */
export function releaseArchives(db: Database.Database, folder: string): void {
  const hasTable = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(TABLE)
  if (hasTable === undefined) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const paths = db.prepare<[], string>(`SELECT DISTINCT path FROM ${TABLE}`).pluck().all()
  const part = db.prepare<[string, number], Buffer>(`SELECT data FROM ${TABLE} WHERE path = ? AND part = ?`).pluck()
  for (const path of paths) {
    // Uses our own file name, whatever the backup contains.
    if (!/^[\w.-]+\.jsonl\.zst$/.test(path)) continue
    const file = openSync(join(folder, path), 'w', 0o600)
    try {
      for (let at = 0, data = part.get(path, 0); data !== undefined; data = part.get(path, (at += 1)))
        writeSync(file, data)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
  db.exec(`DROP TABLE ${TABLE}`)
  db.exec('VACUUM')
}
