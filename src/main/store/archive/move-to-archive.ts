import { join } from 'node:path'
import type { AnyEvent, JsonObject } from '../../../shared/event.ts'
import { translated, type WritableDb } from '../database/connection.ts'
import type { Contents } from '../log/contents.ts'
import type { Sighting } from '../log/log.ts'
import { packPayload, withArchiveMark } from '../log/payload.ts'
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
  /** Where archives lie. */
  readonly folder: string
  readonly now: () => number
}

/** How much was moved so far. */
export interface Moved {
  readonly events: number
  /** Of JSON, before compression. */
  readonly bytes: number
  /** It had better go on when this has settled, which others need not wait for. */
  readonly until?: Promise<void>
}

/** Reading between two looks at what else there is to do: what is old seldom lies in memory. */
const SLICE_MS = 25
/** A frame is closed at either of these: it is what one step writes, and what has to be unpacked to open one event. */
const FRAME_CHARACTERS = 256 * 1024
const FRAME_EVENTS = 60

/** What one step writes. */
interface Batch {
  readonly month: string
  readonly events: readonly ReadEvent[]
  readonly blocks: readonly string[]
  readonly lines: readonly ArchiveLine[]
  readonly characters: number
}

/**
 * Moves the heavy fields of events from before a moment to the archives of their months, a frame at a time: it is written,
 * on the disk for good, read back and compared, and only then the log lets go of them, in the transaction that notes where they lie. Whatever is
 * cut short in between leaves the log as it was, and bytes behind the end of a file that the next frame overwrites.
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

/** As many of these events as go into one frame: of one month, with the blocks that they name. In steps. */
function* gather(
  { db, contents }: MoveParts,
  read: (id: number) => ReadEvent | null,
  ids: readonly number[],
): Generator<void, { readonly batch: Batch | null; readonly taken: number }, void> {
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

/** The transaction that lets the log go of a frame's events; gives how many there were. */
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
  const open = db.prepare("INSERT INTO metadata (key, value) VALUES ('log_open', 'payloads are archived')")
  const close = db.prepare("DELETE FROM metadata WHERE key = 'log_open'")

  /** Puts a smaller payload in the place of one. */
  function replace(old: string, payload: JsonObject, mark: readonly [number, number?]): string {
    const packed = packPayload(payload, contents.keep)
    contents.refer(packed.references)
    release(namedContents(old))
    return withArchiveMark(packed.json, mark)
  }

  function letGo({ row, event, sightings }: ReadEvent): { event: AnyEvent; sightings: readonly Sighting[] } {
    const payload = stayingPayload(event, settled(event, sightings))
    updateEvent.run(replace(row.payload, payload, [row.id]), row.id)
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
    open.run()
    const frame = (lastFrame.get(archive) ?? -1) + 1
    // What was told of an event in between is not in the frame: it is left for the next time.
    const same = batch.events.filter(isSame)
    for (const event of same) addEvent.run(event.row.id, archive, frame)
    rows.rewrite(same.map(letGo))
    for (const hash of batch.blocks) addContent.run(Buffer.from(hash, 'hex'), archive, frame)
    addFrame.run(archive, frame, start, bytes)
    grow.run(start + bytes, isoNow(parts), same.length < batch.events.length ? 1 : 0, archive)
    close.run()
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
