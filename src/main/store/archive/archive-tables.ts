import { rmSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { ReadableDb, WritableDb } from '../database/connection.ts'

/** A row of `archives`. */
export interface ArchiveRow {
  readonly id: number
  readonly month: string
  readonly path: string
  readonly bytes: number
  readonly archived_at: string
  readonly removed_at: string | null
  readonly rewrite_due: number
}

/** A row of `archive_frames`. */
export interface FrameRow {
  readonly archive: number
  readonly frame: number
  readonly start: number
  readonly bytes: number
}

const COLUMNS = 'id, month, path, bytes, archived_at, removed_at, rewrite_due'

/** Archives whose files are there; all, or those that hold what is to go. */
export function standingArchives(db: ReadableDb, which: 'all' | 'rewrite_due' = 'all'): readonly ArchiveRow[] {
  const due = which === 'all' ? '' : 'AND rewrite_due = 1'
  return db
    .prepare<[], ArchiveRow>(`SELECT ${COLUMNS} FROM archives WHERE removed_at IS NULL ${due} ORDER BY month, id`)
    .all()
}

/** The archive that events of a month go to; begun where there is none. */
export function archiveOfMonth(db: WritableDb, month: string, now: string): ArchiveRow {
  const find = db.prepare<[string], ArchiveRow>(
    `SELECT ${COLUMNS} FROM archives WHERE month = ? AND removed_at IS NULL ORDER BY id DESC LIMIT 1`,
  )
  const known = find.get(month)
  if (known !== undefined) return known
  db.prepare('INSERT INTO archives (month, path, archived_at) VALUES (?, ?, ?)').run(month, newFileName(month), now)
  return find.get(month) as ArchiveRow
}

/** A name that no other archive has, of this database or of one that lay here before. */
export const newFileName = (month: string): string => `${month}-${randomBytes(4).toString('hex')}.jsonl.zst`

export function framesOf(db: ReadableDb, archive: number): readonly FrameRow[] {
  return db
    .prepare<[number], FrameRow>(
      'SELECT archive, frame, start, bytes FROM archive_frames WHERE archive = ? ORDER BY frame',
    )
    .all(archive)
}

/** Notes that a file is not needed, within a transaction; `removeLeftovers` takes it away once that is committed. */
export function noteLeftover(db: WritableDb, path: string): void {
  db.prepare('INSERT INTO archive_leftovers (path) VALUES (?) ON CONFLICT DO NOTHING').run(path)
}

export function removeLeftovers(db: WritableDb, folder: string): void {
  const paths = db.prepare<[], string>('SELECT path FROM archive_leftovers').pluck().all()
  for (const path of paths) {
    rmSync(join(folder, path), { force: true })
    db.prepare('DELETE FROM archive_leftovers WHERE path = ?').run(path)
  }
}

/**
 * Within the transaction that deletes a session: what archives hold of it is found no more, and the files that hold it are
 * to be written anew.
 */
export function forgetArchivedSession(db: WritableDb, sessionId: string): void {
  db.prepare(
    `UPDATE archives SET rewrite_due = 1 WHERE id IN (
       SELECT a.archive FROM events e JOIN archived_events a ON a.id = e.id WHERE e.session_id = ?
       UNION SELECT a.archive FROM sighting_rows s JOIN events e ON e.uuid = s.uuid JOIN archived_events a ON a.id = e.id
       WHERE s.session_id = ?)`,
  ).run(sessionId, sessionId)
  db.prepare('DELETE FROM archived_events WHERE id IN (SELECT id FROM events WHERE session_id = ?)').run(sessionId)
}
