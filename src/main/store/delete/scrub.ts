import { note, noted, removeNote } from '../database/metadata.ts'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Checkpointer } from '../database/checkpointer.ts'
import type { WritableDb } from '../database/connection.ts'
import { clearArchives } from '../archive/archive-upkeep.ts'
import { createIndexMerge } from '../rebuild/merged-indexes.ts'
import { FULL_TEXT } from '../tables.ts'
import { keptCopies } from '../transfer/kept-copies.ts'
import { dropShadowTables, hasShadowTables } from '../rebuild/shadow-tables.ts'
import { emptyWal } from './empty-wal.ts'
import { markRewrite } from './rewrite.ts'

/** Bounds one slice: pages that an index merges, pages that the file releases. */
const MERGE_PAGES = 64
const VACUUM_PAGES = 256
const REMOVE_POLL_MS = 5

/**
 * Records, in the transaction that deletes or redacts, that text of it may remain in the file. The copies that Aspy
 * keeps are removed if they contain deleted text; if they contain redacted text, people are asked.
 */
export function markScrub(db: WritableDb, cause: 'deleted' | 'redacted'): void {
  if (cause === 'deleted' || !isNoted(db)) note(db, DUE, cause === 'deleted' ? '1' : REDACTED)
  markRewrite(db)
}

const DUE = 'scrub_due'
const REDACTED = 'redacted'

interface ScrubParts {
  readonly db: WritableDb
  readonly path: string
  /** The folder of the archives. */
  readonly archives: string
  readonly checkpointer: Checkpointer | null
}

/**
 * Returns the work that is left after a deletion; null if there is none. If the caller waits between two steps
 * (`canWait`), other threads wait for the disk.
 */
export function createScrub(parts: ScrubParts): (canWait?: boolean) => Generator<number, void, void> | null {
  return (canWait = false) =>
    hasShadowTables(parts.db) || isNoted(parts.db)
      ? scrub(canWait ? parts : { ...parts, checkpointer: null }, canWait)
      : null
}

const isNoted = (db: WritableDb): boolean => causeOf(db) !== undefined

const causeOf = (db: WritableDb): string | undefined => noted(db, DUE)

/**
 * Removes deleted data from everything that SQLite and Aspy read: drops the tables of an interrupted rebuild, rewrites
 * archives, merges the full-text indexes (whose segments keep words until then), releases free pages, removes older
 * copies of the database after a deletion, and empties the WAL. Copies of moved rows may remain in unused bytes of
 * pages: see `rewrite.ts`. Each step takes a few milliseconds; yields how many milliseconds to wait before the next.
 * After an interruption between two steps, the work is still due.
 */
function* scrub({ db, path, archives, checkpointer }: ScrubParts, canWait: boolean): Generator<number, void, void> {
  db.pragma('secure_delete = ON')
  try {
    for (const _ of dropShadowTables(db)) yield 0
    if (!isNoted(db)) return
    for (const _ of clearArchives(db, archives)) yield 0
    for (const index of FULL_TEXT.keys()) yield* mergeIndex(db, index)
    yield* giveBackPages(db)
    if (causeOf(db) !== REDACTED)
      for (const { files } of keptCopies(path)) for (const file of files) yield* removeCopy(file, canWait)
    // Somebody reads the WAL all the time: the next call tries again.
    if (!(yield* emptyWal(db, checkpointer))) return
    removeNote(db, DUE)
  } finally {
    db.pragma('secure_delete = FAST')
  }
}

/** Removes a file or folder of an older copy. Two gigabytes take most of a second, on another thread if the caller can wait. */
export function* removeCopy(path: string, canWait: boolean): Generator<number, void, void> {
  const options = { recursive: true, force: true }
  if (!canWait) return rmSync(path, options)
  const outcomes: { readonly error: unknown }[] = []
  rm(path, options).then(
    () => outcomes.push({ error: null }),
    (error: unknown) => outcomes.push({ error }),
  )
  while (outcomes.length === 0) yield REMOVE_POLL_MS
  for (const { error } of outcomes) if (error !== null) throw error
}

/** Does the work of `optimize` in steps: a negative count starts such a merge, positive counts continue it. */
function* mergeIndex(db: WritableDb, index: string): Generator<number, void, void> {
  const merge = createIndexMerge(db, index)
  for (let pages = -MERGE_PAGES; merge(pages); pages = MERGE_PAGES) yield 0
}

/** Releases the file's free pages to the disk, in steps. */
export function* giveBackPages(db: WritableDb): Generator<number, void, void> {
  for (let left = freePages(db), before = Infinity; left > 0 && left < before; left = freePages(db)) {
    before = left
    db.pragma(`incremental_vacuum(${VACUUM_PAGES})`)
    yield 0
  }
}

function freePages(db: WritableDb): number {
  return Number(db.pragma('freelist_count', { simple: true }))
}
