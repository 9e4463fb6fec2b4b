import { statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { translated, type WritableDb } from '../database/connection.ts'
import { noteLeftover, removeLeftovers, standingArchives } from './archive-tables.ts'
import { rewriteArchive } from './rewrite-archive.ts'

const CONTENTS_AT_ONCE = 2000

/** What is done so that no byte of an archive holds what was deleted: unfinished files go, the others are written anew. */
export function* clearArchives(db: WritableDb, folder: string): Generator<void, void, void> {
  removeLeftovers(db, folder)
  for (const archive of standingArchives(db)) cutTail(join(folder, archive.path), archive.bytes)
  for (const archive of standingArchives(db, 'rewrite_due')) yield* rewriteArchive({ db, folder }, archive)
}

/** Bytes behind the counted end are of a run that was cut short. */
function cutTail(path: string, bytes: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > bytes) truncateSync(path, bytes)
}

/** Removes archives to which nothing was added since a moment; that their events were in them is remembered. How many. */
export function* removeOldArchives(
  db: WritableDb,
  folder: string,
  before: string,
  now: string,
): Generator<void, number, void> {
  const over = standingArchives(db).filter(({ archived_at: at }) => at < before)
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
  // Also of those that an earlier run removed and left at this.
  const some = db.prepare(
    `DELETE FROM archived_contents WHERE (hash, archive) IN (
       SELECT c.hash, c.archive FROM archives a JOIN archived_contents c ON c.archive = a.id
       WHERE a.removed_at IS NOT NULL LIMIT ${CONTENTS_AT_ONCE})`,
  )
  while (translated(() => some.run()).changes === CONTENTS_AT_ONCE) yield
  return over.length
}
