import { closeLog, openLog } from '../database/metadata.ts'
import { join } from 'node:path'
import type { AnyEvent, JsonObject } from '../../../shared/event.ts'
import type { WritableDb } from '../database/connection.ts'
import { translated } from '../database/store-error.ts'
import type { Contents } from '../log/contents.ts'
import type { Sighting } from '../log/log.ts'
import { packPayload, shownField, withArchiveMark, type PackOptions } from '../log/payload.ts'
import type { Pricing } from '../pricing/pricing.ts'
import { createRowRedaction } from '../redact/redacted-rows.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { settled } from '../identity/settled.ts'
import { beginSync } from '../database/sync-file.ts'
import { appendFrame, assertFrame, encodeFrame, type ArchivedContent, type ArchiveLine } from './archive-file.ts'
import { createLineReader, namedBlocks, type ReadEvent } from './archive-line.ts'
import { archiveOfMonth } from './archive-tables.ts'
import { stayingFields, stayingPayload } from './archived-payload.ts'
import { createOldEvents } from './old-events.ts'

export interface MoveParts {
  readonly db: WritableDb
  readonly contents: Contents
  readonly pricing: Pricing
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
  /** The folder of the archives. */
  readonly folder: string
  readonly now: () => number
}

/** Progress so far. */
export interface Moved {
  readonly events: number
  /** Bytes of JSON, before compression. */
  readonly bytes: number
  /** If set, the run should resume once this has settled; other work need not wait for it. */
  readonly until?: Promise<void>
}

/** Bounds reading between two checks for other work: old data is seldom cached in memory. */
const SLICE_MS = 25
/** A frame is closed at either bound: one step writes a frame, and opening one event decompresses it. */
const FRAME_CHARACTERS = 256 * 1024
const FRAME_EVENTS = 60

/** The work of one step. */
interface Batch {
  readonly month: string
  readonly events: readonly ReadEvent[]
  readonly blocks: readonly string[]
  readonly lines: readonly ArchiveLine[]
  readonly characters: number
}

/**
 * Moves the large fields of old events to the archives of their months, one frame at a time. The frame is written, synced
 * to disk, read back and compared. Only then does one transaction remove the fields from the log and record their place.
 * An interruption leaves the log unchanged; the next frame overwrites bytes after the file's counted end.
 */
export function* moveToArchive(parts: MoveParts, before: string): Generator<Moved, Moved, void> {
  const { db, contents, folder } = parts
  const nextIds = createOldEvents(db, before)
  const reader = createLineReader(db, contents.get)
  const commit = createCommit(parts, reader.isSame)
  let moved: Moved = { events: 0, bytes: 0 }
  try {
    for (let ids = nextIds(); ids !== null; ids = nextIds()) {
      for (let at = 0; at < ids.length;) {
        const gathering = gather(parts, reader.read, ids.slice(at, at + FRAME_EVENTS))
        let step = gathering.next()
        for (; !step.done; step = gathering.next()) yield moved
        const { batch, taken } = step.value
        at += taken
        yield moved
        if (batch === null) continue
        const archive = translated(() => archiveOfMonth(db, batch.month, isoNow(parts)))
        const frame = encodeFrame(
          archive.bytes === 0 ? [{ aspy_archive: 1, month: batch.month }, ...batch.lines] : batch.lines,
        )
        const path = join(folder, archive.path)
        translated(() => appendFrame(path, archive.bytes, frame))
        const syncing = beginSync(path)
        yield { ...moved, until: syncing.over }
        translated(() => {
          syncing.finish()
          assertFrame(path, archive.bytes, frame)
        })
        const events = translated(() => commit(batch, archive.id, archive.bytes, frame.length))
        moved = { events: moved.events + events, bytes: moved.bytes + batch.characters }
        yield moved
      }
      yield moved
    }
  } finally {
    commit.close()
  }
  return moved
}

const isoNow = ({ now }: MoveParts): string => new Date(now()).toISOString()

/** Collects events that fit into one frame, all of one month, with the blocks they name. Runs in steps. */
function* gather({ db, contents }: MoveParts, read: (id: number) => ReadEvent | null, ids: readonly number[]) {
  const isThere = db
    .prepare<[Buffer, string], number>(
      `SELECT 1 FROM archived_contents c JOIN archives a ON a.id = c.archive
       WHERE c.hash = ? AND a.month = ? AND a.removed_at IS NULL`,
    )
    .pluck()
  const events: ReadEvent[] = []
  const blocks = new Set<string>()
  const lines: ArchiveLine[] = []
  let month: string | null = null
  let characters = 0
  let taken = 0
  let since = performance.now()
  for (const id of ids) {
    if (performance.now() - since > SLICE_MS) {
      yield
      since = performance.now()
    }
    const found = read(id)
    const ofMonth = found?.row.ts_wall.slice(0, 7)
    if (month !== null && ofMonth !== undefined && ofMonth !== month) break
    taken += 1
    if (found === null || ofMonth === undefined) continue
    month = ofMonth
    for (const block of namedBlocks(found.line)) {
      if (blocks.has(block) || isThere.get(Buffer.from(block, 'hex'), month) === 1) continue
      const text = contents.get(block)
      if (text === null) continue
      blocks.add(block)
      const line: ArchivedContent = { contents: { [block]: text } }
      lines.push(line)
      characters += text.length
    }
    events.push(found)
    lines.push(found.line)
    characters += JSON.stringify(found.line).length
    if (characters > FRAME_CHARACTERS) break
  }
  return { batch: month === null ? null : { month, events, blocks: [...blocks], lines, characters }, taken }
}

/** Prepares the transaction that removes a frame's fields from the log; it returns the number of events. */
function createCommit(parts: MoveParts, isSame: (event: ReadEvent) => boolean) {
  const { db, contents, pricing, hash } = parts
  const rows = createRowRedaction(db, pricing, hash)
  const release = createRelease(db)
  const updateEvent = db.prepare<[string, number]>('UPDATE events SET payload = ? WHERE id = ?')
  const updateSighting = db.prepare<[string, number]>('UPDATE sighting_rows SET payload = ? WHERE id = ?')
  const sightingPayload = db.prepare<[number], string>('SELECT payload FROM sighting_rows WHERE id = ?').pluck()
  const addEvent = db.prepare<[number, number, number]>(
    'INSERT INTO archived_events (id, archive, frame) VALUES (?, ?, ?)',
  )
  const addContent = db.prepare<[Buffer, number, number]>(
    'INSERT INTO archived_contents (hash, archive, frame) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  )
  const addFrame = db.prepare<[number, number, number, number]>(
    'INSERT INTO archive_frames (archive, frame, start, bytes) VALUES (?, ?, ?, ?)',
  )
  const lastFrame = db
    .prepare<[number], number>('SELECT coalesce(max(frame), -1) FROM archive_frames WHERE archive = ?')
    .pluck()
  const grow = db.prepare<[number, string, number, number]>(
    'UPDATE archives SET bytes = ?, archived_at = ?, rewrite_due = max(rewrite_due, ?) WHERE id = ?',
  )

  /** Replaces a payload with a smaller one. */
  function replace(old: string, payload: JsonObject, mark: readonly [number, number?], options?: PackOptions): string {
    const packed = packPayload(payload, contents.keep, options)
    contents.refer(packed.references)
    release(namedContents(old))
    return withArchiveMark(packed.json, mark)
  }

  function letGo({ row, event, sightings }: ReadEvent): { event: AnyEvent; sightings: readonly Sighting[] } {
    const payload = stayingPayload(event, settled(event, sightings))
    updateEvent.run(replace(row.payload, payload, [row.id], { shown: shownField(event.kind) }), row.id)
    const left = sightings.map((sighting) => {
      if (sighting.payload === null) return sighting
      const fields = stayingFields(event.kind, sighting.payload)
      if (Object.keys(fields).length === Object.keys(sighting.payload).length) return sighting
      const old = sightingPayload.get(sighting.id) ?? '{}'
      updateSighting.run(replace(old, fields, [row.id, sighting.id]), sighting.id)
      return { ...sighting, payload: fields }
    })
    return { event: { ...event, payload } as AnyEvent, sightings: left }
  }

  const run = db.transaction((batch: Batch, archive: number, start: number, bytes: number): number => {
    openLog(db, 'payloads are archived')
    const frame = (lastFrame.get(archive) ?? -1) + 1
    // If an event gained something in between, the frame lacks it: the event waits for the next run.
    const same = batch.events.filter(isSame)
    for (const event of same) addEvent.run(event.row.id, archive, frame)
    rows.rewrite(same.map(letGo))
    for (const hash of batch.blocks) addContent.run(Buffer.from(hash, 'hex'), archive, frame)
    addFrame.run(archive, frame, start, bytes)
    grow.run(start + bytes, isoNow(parts), same.length < batch.events.length ? 1 : 0, archive)
    closeLog(db)
    return same.length
  })
  return Object.assign(
    (batch: Batch, archive: number, start: number, bytes: number): number => {
      try {
        const events = run.immediate(batch, archive, start, bytes)
        contents.committed()
        return events
      } catch (error) {
        contents.rolledBack()
        throw error
      }
    },
    { close: () => rows.close() },
  )
}
