import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import { noteLeftover, removeLeftovers, existingArchives } from './archive-tables.ts'
import { rewriteArchive } from './rewrite-archive.ts'

const CONTENTS_AT_ONCE = 2000

/** Removes deleted data from every byte of the archives: deletes unfinished files and rewrites the others. */
export function* clearArchives(db: WritableDb, folder: string): Generator<void, void, void> {
  removeLeftovers(db, folder)
  for (const archive of existingArchives(db)) cutTail(join(folder, archive.path), archive.bytes)
  for (const archive of existingArchives(db, 'rewrite_due')) yield* rewriteArchive({ db, folder }, archive)
}

/** Cuts bytes after the counted end, which an interrupted run left. */
function cutTail(path: string, bytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > bytes) truncateSync(path, bytes)
}

/** Removes archives without additions since a moment and returns their number. The tables still know which events they held. */
export function* removeOldArchives(
  db: WritableDb,
  folder: string,
  before: string,
  now: string,
): Generator<void, number, void> {
  const over = existingArchives(db).filter(({ archived_at: at }) => at < before)
  const run = db.transaction((id: number, path: string) => {
    db.prepare('UPDATE archives SET removed_at = ?, bytes = 0 WHERE id = ?').run(now, id)
    db.prepare('DELETE FROM archive_frames WHERE archive = ?').run(id)
    noteLeftover(db, path)
  })
  for (const { id, path } of over) {
    translated(() => run.immediate(id, path))
    yield
  }
  removeLeftovers(db, folder)
  yield
  // Includes archives that an earlier run removed before it was interrupted.
  const some = db.prepare(
    `DELETE FROM archived_contents WHERE (hash, archive) IN (
       SELECT c.hash, c.archive FROM archives a CROSS JOIN archived_contents c ON c.archive = a.id
       WHERE a.removed_at IS NOT NULL LIMIT ${CONTENTS_AT_ONCE})`,
  )
  while (translated(() => some.run()).changes === CONTENTS_AT_ONCE) yield
  return over.length
}
