import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { WritableDb } from './connection.ts'

/** Units of work in one slice: pages that an index merges, pages that the file gives up. */
const MERGE_PAGES = 64
const VACUUM_PAGES = 256
/** Somebody may be reading the WAL: it is cut as soon as nobody does. */
const CHECKPOINT_TRIES = 200
const CHECKPOINT_PAUSE_MS = 10

/** Notes, in the transaction that deletes, that words of what was deleted may still lie in the file. */
export function markScrub(db: WritableDb): void {
  db.prepare("INSERT INTO metadata (key, value) VALUES ('scrub_due', '1') ON CONFLICT DO NOTHING").run()
}

export function isScrubDue(db: WritableDb): boolean {
  return db.prepare("SELECT 1 FROM metadata WHERE key = 'scrub_due'").get() !== undefined
}

/**
 * Takes what was deleted out of every byte: merges the full-text indexes, whose segments keep words until then, gives
 * free pages back, empties the WAL, and removes older copies of the database. Each step takes a few milliseconds; yields
 * how many milliseconds it would like to wait before the next.
 */
export function* scrub(db: WritableDb, path: string): Generator<number, void, void> {
  db.pragma('secure_delete = ON')
  try {
    for (const index of fullTextIndexes(db)) yield* mergeIndex(db, index)
    yield* giveBackPages(db)
    removeCopies(path)
    db.prepare("DELETE FROM metadata WHERE key = 'scrub_due'").run()
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries += 1) {
      const [state] = db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[]
      if (state?.busy === 0) return
      yield CHECKPOINT_PAUSE_MS
    }
    markScrub(db)
  } finally {
    db.pragma('secure_delete = FAST')
  }
}

function fullTextIndexes(db: WritableDb): readonly string[] {
  return db
    .prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' ORDER BY name",
    )
    .pluck()
    .all()
}

/** As `optimize`, which would do it in one long statement: a negative count begins such a merge, positive ones go on. */
function* mergeIndex(db: WritableDb, index: string): Generator<number, void, void> {
  const merge = db.prepare<[number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`)
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let pages = -MERGE_PAGES
  for (;;) {
    const before = changes.get() ?? 0
    merge.run(pages)
    pages = MERGE_PAGES
    yield 0
    // The statement itself counts as one change; more than that, and something was merged.
    if ((changes.get() ?? 0) - before < 2) return
  }
}

function* giveBackPages(db: WritableDb): Generator<number, void, void> {
  for (let left = freePages(db), before = Infinity; left > 0 && left < before; left = freePages(db)) {
    before = left
    db.pragma(`incremental_vacuum(${VACUUM_PAGES})`)
    yield 0
  }
}

function freePages(db: WritableDb): number {
  return Number(db.pragma('freelist_count', { simple: true }))
}

/** Copies kept before a migration, and files set aside as damaged, hold the same words. */
function removeCopies(path: string): void {
  const folder = dirname(path)
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(path)}.`)) rmSync(join(folder, name), { force: true })
}
