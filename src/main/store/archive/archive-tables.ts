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

/** Returns archives whose files exist; all of them, or only those that contain deleted data. */
export function existingArchives(db: ReadableDb, which: 'all' | 'rewrite_due' = 'all'): readonly ArchiveRow[] {
  const due = which === 'all' ? '' : 'AND rewrite_due = 1'
  return db
    .prepare<[], ArchiveRow>(`SELECT ${COLUMNS} FROM archives WHERE removed_at IS NULL ${due} ORDER BY month, id`)
    .all()
}

/** Returns the archive for events of a month; creates it if there is none. */
export function archiveOfMonth(db: WritableDb, month: string, now: string): ArchiveRow {
  const find = db.prepare<[string], ArchiveRow>(
    `SELECT ${COLUMNS} FROM archives WHERE month = ? AND removed_at IS NULL ORDER BY id DESC LIMIT 1`,
  )
  const known = find.get(month)
  if (known !== undefined) return known
  db.prepare('INSERT INTO archives (month, path, archived_at) VALUES (?, ?, ?)').run(month, newFileName(month), now)
  return find.get(month) as ArchiveRow
}

/** Returns a name that no other archive has, whether of this database or of an earlier one in the same folder. */
export const newFileName = (month: string): string => `${month}-${randomBytes(4).toString('hex')}.jsonl.zst`

export function framesOf(db: ReadableDb, archive: number): readonly FrameRow[] {
  return db
    .prepare<[number], FrameRow>(
      'SELECT archive, frame, start, bytes FROM archive_frames WHERE archive = ? ORDER BY frame',
    )
    .all(archive)
}

/** Marks a file as unneeded, within a transaction; `removeLeftovers` deletes it after the commit. */
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

/** Does for single events what `forgetArchivedSession` does for a session. Runs within the transaction that deletes them. */
export function forgetArchivedEvents(db: WritableDb) {
  const mark = db.prepare<[number]>(
    'UPDATE archives SET rewrite_due = 1 WHERE id = (SELECT archive FROM archived_events WHERE id = ?)',
  )
  const remove = db.prepare<[number]>('DELETE FROM archived_events WHERE id = ?')
  return {
    /** An event that is deleted. */
    event(id: number): void {
      mark.run(id)
      remove.run(id)
    },
    /** An event that loses a sighting. */
    sightingOf(id: number): void {
      mark.run(id)
    },
  }
}

/**
 * Drops what archives hold of a session from the tables, and marks their files to be rewritten. Runs within the
 * transaction that deletes the session.
 */
export function forgetArchivedSession(db: WritableDb, sessionId: string): void {
  db.prepare(
    `UPDATE archives SET rewrite_due = 1 WHERE id IN (
       SELECT a.archive FROM events e JOIN archived_events a ON a.id = e.id WHERE e.session_id = ?
       UNION SELECT a.archive FROM sighting_rows s JOIN archived_events a ON a.id = s.event_id
       WHERE s.other_session_id = ?)`,
  ).run(sessionId, sessionId)
  db.prepare('DELETE FROM archived_events WHERE id IN (SELECT id FROM events WHERE session_id = ?)').run(sessionId)
}
