import { join } from 'node:path'
import type { EventKind, JsonObject } from '../../../shared/event.ts'
import type { ReadableDb } from '../database/connection.ts'
import type { ArchiveMark } from '../log/payload.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { frameTexts, readBytes, type ArchivedContent, type ArchivedEvent } from './archive-file.ts'
import { returningFields } from './archived-payload.ts'
import { errorMessage } from '../../../shared/error-text.ts'

interface Place {
  readonly archive: number
  readonly frame: number
}
interface Frame {
  readonly path: string
  readonly start: number
  readonly bytes: number
}

/** Bounds the frames kept decompressed: consecutive reads mostly need the same ones. */
const FRAMES_KEPT = 6
const LINE_KEY = /^\{(?:"id":(\d+)|"contents":\{"([0-9a-f]+)")/

/** Reads the archives of a connection's database. */
export function createArchiveReader(db: ReadableDb, folder: string) {
  const placeOfEvent = db.prepare<[number], Place & { month: string; removed_at: string | null }>(
    `SELECT e.archive, e.frame, a.month, a.removed_at FROM archived_events e JOIN archives a ON a.id = e.archive
     WHERE e.id = ?`,
  )
  const placesOfContent = db.prepare<[Buffer], Place>(
    `SELECT c.archive, c.frame FROM archived_contents c JOIN archives a ON a.id = c.archive
     WHERE c.hash = ? AND a.removed_at IS NULL`,
  )
  const frameAt = db.prepare<[number, number], Frame>(
    `SELECT a.path, f.start, f.bytes FROM archive_frames f JOIN archives a ON a.id = f.archive
     WHERE f.archive = ? AND f.frame = ?`,
  )
  const unpacked = new RecentlyUsed<string, ReadonlyMap<string, string>>(FRAMES_KEPT)

  function linesOf({ archive, frame }: Place): ReadonlyMap<string, string> {
    const at = frameAt.get(archive, frame)
    if (at === undefined) return new Map()
    const name = `${at.path}:${at.start}`
    const known = unpacked.get(name)
    if (known) return known
    const lines = new Map<string, string>()
    for (const text of frameTexts(readBytes(join(folder, at.path), at.start, at.bytes))) {
      const [, id, hash] = LINE_KEY.exec(text) ?? []
      const key = id ?? hash
      if (key !== undefined) lines.set(key, text)
    }
    unpacked.set(name, lines)
    return lines
  }

  /** Finds a line, or returns why there is none. Looks twice: the file may have been rewritten in between. */
  function lineAt(find: () => Place | undefined, key: string): { readonly text: string | null; readonly why: string } {
    let why = 'no archive contains it'
    for (let tries = 0; tries < 2; tries += 1) {
      const place = find()
      if (place === undefined) break
      try {
        const text = linesOf(place).get(key)
        if (text !== undefined) return { text, why: '' }
      } catch (error) {
        why = errorMessage(error)
      }
    }
    return { text: null, why }
  }

  /** Returns the fields of a payload that were moved, or `archive_missing`, which tells people why they are missing. */
  function fields([id, sightingId]: ArchiveMark): JsonObject {
    const place = placeOfEvent.get(id)
    if (place?.removed_at)
      return missing(
        `It was in the archive of ${place.month}, which expired on ${place.removed_at.slice(0, 10)} (archive_days).`,
      )
    const { text, why } = lineAt(() => placeOfEvent.get(id), String(id))
    if (text === null) return missing(`It is in the archive of ${place?.month ?? '?'}, which cannot be read: ${why}.`)
    const { event, sightings } = JSON.parse(text) as ArchivedEvent
    const payload =
      sightingId === undefined ? event.payload : (sightings.find((one) => one.id === sightingId)?.payload ?? {})
    return returningFields(event.kind as EventKind, payload)
  }

  return {
    fields,
    /** Returns a block that an archived request names; null if no archive has it. */
    content(hash: string): string | null {
      for (const place of placesOfContent.all(Buffer.from(hash, 'hex'))) {
        const { text } = lineAt(() => place, hash)
        if (text !== null) return (JSON.parse(text) as ArchivedContent).contents[hash] ?? null
      }
      return null
    },
  }
}

const missing = (message: string): JsonObject => ({ archive_missing: message })
