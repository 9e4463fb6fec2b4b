import type { ImportCheckpoint } from './import-checkpoint.ts'
import type { WritableDb } from '../database/connection.ts'

/** The positions up to which transcript files were read. */
export type TranscriptFiles = ReturnType<typeof createTranscriptFiles>

export function createTranscriptFiles(db: WritableDb, now: () => number) {
  const upsert = db.prepare<[string, string, number, number, number, string]>(
    `INSERT INTO transcript_files (path, identity, offset, size, mtime_ms, imported_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (path) DO UPDATE SET identity = excluded.identity, offset = excluded.offset, size = excluded.size,
       mtime_ms = excluded.mtime_ms, imported_at = excluded.imported_at`,
  )
  const select = db.prepare<[string], ImportCheckpoint>(
    'SELECT path, identity, offset, size, mtime_ms FROM transcript_files WHERE path = ?',
  )
  const any = db.prepare<[], object>('SELECT 1 FROM transcript_files LIMIT 1')
  return {
    note({ path, identity, offset, size, mtime_ms }: ImportCheckpoint) {
      upsert.run(path, identity, offset, size, mtime_ms, new Date(now()).toISOString())
    },
    find: (path: string) => select.get(path) ?? null,
    /** Returns whether any was read, and so may be followed. */
    hasAny: () => any.get() !== undefined,
  }
}
