import { readdirSync, rmSync, statfsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { WritableDb } from '../database/connection.ts'
import { clearArchives } from '../archive/archive-upkeep.ts'
import { archiveFolder } from '../archive/archive-file.ts'
import { FULL_TEXT } from '../tables.ts'
import { dropShadowTables, hasShadowTables } from '../rebuild/shadow-tables.ts'

/** Bounds one slice: pages that an index merges, pages that the file releases. */
const MERGE_PAGES = 64
const VACUUM_PAGES = 256
const GIGABYTE = 1024 * 1024 * 1024
/** A larger file is rewritten only if nothing was recorded for a while. */
const MOST_AT_ONCE_BYTES = 2 * GIGABYTE
/** Three times the measured duration. */
const AWAY_MS_A_GIGABYTE = 20_000
/** Free disk space needed, relative to the file's size: a rewrite holds a second copy until it is moved. */
const FREE_DISK = 2.2
const MOST_IN_MEMORY_BYTES = 128 * 1024 * 1024
/** Bounds the attempts to truncate the WAL, which fail while somebody reads it. */
const CHECKPOINT_TRIES = 200
const CHECKPOINT_PAUSE_MS = 10

/** Records, in the transaction that deletes, that text of what was deleted may remain in the file. */
export function markScrub(db: WritableDb): void {
  db.prepare("INSERT INTO metadata (key, value) VALUES ('scrub_due', '1') ON CONFLICT DO NOTHING").run()
}

interface ScrubParts {
  readonly db: WritableDb
  readonly path: string
  /** The folder of the archives. */
  readonly archives: string
  /** Called before long work with its maximum duration in milliseconds, and with 0 after it. */
  readonly onAway: (ms: number) => void
  /** Replaces MOST_AT_ONCE_BYTES in tests. */
  readonly mostAtOnceBytes?: number
}

/**
 * Returns the work that is left after a deletion; null if there is none. `isQuiet` means that nothing was recorded for a
 * while, so that a large file may be rewritten too. Until then that work stays pending.
 */
export function createScrub(parts: ScrubParts): (isQuiet?: boolean) => Generator<number, void, void> | null {
  // After one failure (no space on the disk) it would fail again every minute.
  const state = { hasFailed: false }
  return (isQuiet = true) =>
    hasShadowTables(parts.db) || isNoted(parts.db) ? scrub(parts, isQuiet && !state.hasFailed, state) : null
}

function isNoted(db: WritableDb): boolean {
  return db.prepare("SELECT 1 FROM metadata WHERE key = 'scrub_due'").get() !== undefined
}

/**
 * Removes deleted data from every byte: drops the tables of an interrupted rebuild, merges the full-text indexes (whose
 * segments keep words until then), releases free pages, rewrites archives, empties the WAL, and removes older copies of
 * the database. Each step takes a few milliseconds; yields how many milliseconds to wait before the next.
 */
function* scrub(
  { db, path, archives, onAway, mostAtOnceBytes = MOST_AT_ONCE_BYTES }: ScrubParts,
  isQuiet: boolean,
  state: { hasFailed: boolean },
): Generator<number, void, void> {
  db.pragma('secure_delete = ON')
  try {
    for (const _ of dropShadowTables(db)) yield 0
    if (!isNoted(db)) return
    for (const _ of clearArchives(db, archives)) yield 0
    for (const index of FULL_TEXT.keys()) yield* mergeIndex(db, index)
    yield* giveBackPages(db)
    const bytes = sizeOf(db)
    const isWhole = bytes <= mostAtOnceBytes || (isQuiet && hasRoom(path, bytes))
    const away = <T>(work: () => T): T => {
      onAway(Math.ceil((bytes / GIGABYTE) * AWAY_MS_A_GIGABYTE))
      try {
        return work()
      } finally {
        onAway(0)
      }
    }
    if (isWhole) away(() => rewrite(db, bytes, state))
    // Traffic waited during the rewrite; the rest can take its time.
    yield 0
    for (const copy of keptCopies(path)) rmSync(copy, { recursive: true, force: true })
    if (isWhole) db.prepare("DELETE FROM metadata WHERE key = 'scrub_due'").run()
    for (let tries = 0; tries < CHECKPOINT_TRIES; tries += 1) {
      const [moved] = away(() => db.pragma('wal_checkpoint(TRUNCATE)') as { busy: number }[])
      if (moved?.busy === 0) return
      yield CHECKPOINT_PAUSE_MS
    }
    markScrub(db)
  } finally {
    db.pragma('secure_delete = FAST')
  }
}

/** Does the work of `optimize` in steps: a negative count starts such a merge, positive counts continue it. */
function* mergeIndex(db: WritableDb, index: string): Generator<number, void, void> {
  const merge = db.prepare<[number]>(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', ?)`)
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck()
  let pages = -MERGE_PAGES
  for (;;) {
    const before = changes.get() ?? 0
    merge.run(pages)
    pages = MERGE_PAGES
    yield 0
    // The statement itself counts as one change; any more means that something was merged.
    if ((changes.get() ?? 0) - before < 2) return
  }
}

/** Releases the file's free pages to the disk, in steps. */
export function* giveBackPages(db: WritableDb): Generator<number, void, void> {
  for (let left = freePages(db), before = Infinity; left > 0 && left < before; left = freePages(db)) {
    before = left
    db.pragma(`incremental_vacuum(${VACUUM_PAGES})`)
    yield 0
  }
}

/**
 * Rewrites the file. A page that SQLite split or joined keeps copies of moved rows behind its own, because `secure_delete`
 * zeroes only deleted rows; only a rewrite removes them. It is one statement, about seven seconds per gigabyte, during
 * which traffic waits in memory.
 */
function rewrite(db: WritableDb, bytes: number, state: { hasFailed: boolean }): void {
  if (bytes > MOST_IN_MEMORY_BYTES) db.pragma('temp_store = FILE')
  try {
    db.exec('VACUUM')
  } catch (error) {
    state.hasFailed = true
    throw error
  } finally {
    db.pragma('temp_store = MEMORY')
  }
}

function sizeOf(db: WritableDb): number {
  return Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
}

function hasRoom(path: string, bytes: number): boolean {
  const { bavail, bsize } = statfsSync(dirname(path))
  return bavail * bsize >= FREE_DISK * bytes
}

function freePages(db: WritableDb): number {
  return Number(db.pragma('freelist_count', { simple: true }))
}

/** Matches copies kept before a migration and databases set aside as damaged, but not files that a person put there. */
const KEPT = /^\.(?:before|damaged|corrupt)-/

/** Lists copies of the database and its archives that Aspy itself keeps: they contain what was recorded at the time. */
export function keptCopies(path: string): string[] {
  const folder = dirname(path)
  const names = [basename(path), basename(archiveFolder(path))]
  return readdirSync(folder)
    .filter((entry) => names.some((name) => entry.startsWith(name) && KEPT.test(entry.slice(name.length))))
    .map((entry) => join(folder, entry))
}
