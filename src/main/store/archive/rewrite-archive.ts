import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import { encodeFrame, frameTexts, readBytes, type ArchivedEvent, type ArchiveLine } from './archive-file.ts'
import { namedBlocks } from './archive-line.ts'
import {
  framesOf,
  newFileName,
  noteLeftover,
  removeLeftovers,
  type ArchiveRow,
  type FrameRow,
} from './archive-tables.ts'

/** Blocks whose places one step looks at. */
const CONTENTS_AT_ONCE = 2000

export interface RewriteParts {
  readonly db: WritableDb
  readonly folder: string
  /** Returns the new form of a line, or the same object to leave it unchanged. A line keeps its id, a block its hash. */
  readonly change?: (line: ArchiveLine) => ArchiveLine
}

interface Written {
  readonly frames: readonly Omit<FrameRow, 'archive'>[]
  readonly bytes: number
  /** The number of lines that `change` changed. */
  readonly changed: number
}

/**
 * Rewrites an archive without data that the log no longer knows: deleted events and sightings, and blocks that no event
 * names. Each step writes a frame; until the end, readers use the old file. One transaction switches to the new file and
 * marks the other for removal, so that an interruption at any point leaves one complete file. Returns the number of
 * changed lines.
 */
export function* rewriteArchive(parts: RewriteParts, archive: ArchiveRow): Generator<void, number, void> {
  const { db, folder } = parts
  const frames = framesOf(db, archive.id)
  const needed = yield* neededBlocks(parts, archive, frames)
  yield* dropUnneeded(db, archive, needed ?? new Set())
  if (needed === null) {
    translated(() => db.transaction(() => drop(db, archive)).immediate())
    removeLeftovers(db, folder)
    return 0
  }
  const path = newFileName(archive.month)
  // Marked before it exists: if this run is interrupted, the next one removes it.
  translated(() => noteLeftover(db, path))
  const written = yield* writeAnew(parts, archive, frames, path, needed)
  const swap = db.transaction(() => {
    const at = db.prepare<[number, number, number, number]>(
      'UPDATE archive_frames SET start = ?, bytes = ? WHERE archive = ? AND frame = ?',
    )
    for (const { frame, start, bytes } of written.frames) at.run(start, bytes, archive.id, frame)
    db.prepare('UPDATE archives SET path = ?, bytes = ?, rewrite_due = 0 WHERE id = ?').run(
      path,
      written.bytes,
      archive.id,
    )
    noteLeftover(db, archive.path)
    db.prepare('DELETE FROM archive_leftovers WHERE path = ?').run(path)
  })
  translated(() => swap.immediate())
  removeLeftovers(db, folder)
  return written.changed
}

/** Drops the places of blocks that no event names. Done before the switch, since there may be as many as events. */
function* dropUnneeded(db: WritableDb, archive: ArchiveRow, needed: ReadonlySet<string>): Generator<void, void, void> {
  const page = db
    .prepare<[number, Buffer], Buffer>(
      `SELECT hash FROM archived_contents WHERE archive = ? AND hash > ? ORDER BY hash LIMIT ${CONTENTS_AT_ONCE}`,
    )
    .pluck()
  const remove = db.prepare<[Buffer, number]>('DELETE FROM archived_contents WHERE hash = ? AND archive = ?')
  const step = db.transaction((after: Buffer) => {
    const hashes = page.all(archive.id, after)
    for (const hash of hashes) if (!needed.has(hash.toString('hex'))) remove.run(hash, archive.id)
    return hashes.at(-1)
  })
  const run = (after: Buffer) => translated(() => step.immediate(after))
  for (let after = run(Buffer.alloc(0)); after !== undefined; after = run(after)) yield
}

/** Drops an archive without any known content. Runs within a transaction. */
function drop(db: WritableDb, archive: ArchiveRow): void {
  db.prepare('DELETE FROM archive_frames WHERE archive = ?').run(archive.id)
  db.prepare('DELETE FROM archives WHERE id = ?').run(archive.id)
  noteLeftover(db, archive.path)
}

/** Finds the blocks that an archive's known events name; null if the log knows none of its events. */
function* neededBlocks({ db, folder }: RewriteParts, archive: ArchiveRow, frames: readonly FrameRow[]) {
  const isKnown = knownEvents(db, archive)
  const needed = new Set<string>()
  let events = 0
  for (const { start, bytes } of frames) {
    for (const text of frameTexts(readBytes(join(folder, archive.path), start, bytes))) {
      if (!text.startsWith('{"id"')) continue
      const line = JSON.parse(text) as ArchivedEvent
      if (!isKnown(line.id)) continue
      events += 1
      for (const hash of namedBlocks(line)) needed.add(hash)
    }
    yield
  }
  return events === 0 ? null : needed
}

function* writeAnew(
  parts: RewriteParts,
  archive: ArchiveRow,
  frames: readonly FrameRow[],
  path: string,
  needed: ReadonlySet<string>,
): Generator<void, Written, void> {
  const keep = lineKeeper(parts, archive, needed)
  mkdirSync(parts.folder, { recursive: true, mode: 0o700 })
  const file = openSync(join(parts.folder, path), 'wx', 0o600)
  const places: Omit<FrameRow, 'archive'>[] = []
  let end = 0
  let changed = 0
  try {
    for (const { frame, start, bytes } of frames) {
      const old = readBytes(join(parts.folder, archive.path), start, bytes)
      const texts = frameTexts(old)
      const kept = texts.map(keep)
      const isSame = kept.every(({ state }) => state === 'same')
      const lines = kept.flatMap(({ line, state }) => (state === 'gone' ? [] : [line]))
      changed += kept.filter(({ state }) => state === 'changed').length
      const next = isSame ? old : lines.length === 0 ? Buffer.alloc(0) : encodeFrame(lines)
      writeSync(file, next, 0, next.length, end)
      if (!readBytes(join(parts.folder, path), end, next.length).equals(next))
        throw new Error(`${path} does not contain what was written to it`)
      places.push({ frame, start: end, bytes: next.length })
      end += next.length
      yield
    }
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return { frames: places, bytes: end, changed }
}

interface Kept {
  readonly line: ArchiveLine
  readonly state: 'same' | 'changed' | 'gone'
}

function lineKeeper({ db, change }: RewriteParts, archive: ArchiveRow, needed: ReadonlySet<string>) {
  const isKnown = knownEvents(db, archive)
  const sightingsOf = db.prepare<[string], number>('SELECT id FROM sightings WHERE uuid = ?').pluck()
  return (text: string): Kept => {
    const line = JSON.parse(text) as ArchiveLine
    if ('contents' in line && !Object.keys(line.contents).some((hash) => needed.has(hash)))
      return { line, state: 'gone' }
    if (!('event' in line)) return changedOrSame(line, change?.(line) ?? line)
    if (!isKnown(line.id)) return { line, state: 'gone' }
    const known = new Set(sightingsOf.all(line.event.uuid))
    const sightings = line.sightings.filter(({ id }) => known.has(id))
    const left = sightings.length === line.sightings.length ? line : { ...line, sightings }
    return changedOrSame(line, change?.(left) ?? left)
  }
}

const changedOrSame = (before: ArchiveLine, line: ArchiveLine): Kept => ({
  line,
  state: line === before ? 'same' : 'changed',
})

function knownEvents(db: WritableDb, archive: ArchiveRow): (id: number) => boolean {
  const known = db
    .prepare<[number, number], number>('SELECT 1 FROM archived_events WHERE id = ? AND archive = ?')
    .pluck()
  return (id) => known.get(id, archive.id) === 1
}
