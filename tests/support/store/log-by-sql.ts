import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import type Database from 'better-sqlite3'
import { withBlockTexts, type LoggedEvent } from './log-account.ts'

/**
 * Reads the log of a store of version 21 with plain SQL and none of the product's code. Fills in the texts from `contents`
 * and from archive files, as docs/store.md and the comments of the first migration describe.
 */
export function* logBySql(db: Database.Database, archiveFolder: string): Generator<LoggedEvent> {
  const { contentOf, archived } = openTexts(db, archiveFolder)
  const keys = db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ? ORDER BY key').pluck()
  const parents = db
    .prepare<[string], [string, number]>('SELECT key, position FROM parent_keys WHERE uuid = ? ORDER BY position, key')
    .raw()
  const sightings = db.prepare<[string], SightingRow>(
    'SELECT source, session_id, seen_at, payload FROM sightings WHERE uuid = ? ORDER BY id',
  )

  function whole(json: string, kind: string): unknown {
    const value = JSON.parse(json) as unknown
    if (!isObject(value) || !Array.isArray(value['$archived'])) return put(value)
    const { $archived: mark, ...rest } = value
    const [id, sighting] = mark as [number, number?]
    const line = archived(id)
    const source =
      sighting === undefined ? line.event.payload : line.sightings.find(({ id }) => id === sighting)?.payload
    const { digest: _, ...kept } = put(rest) as Fields
    return { ...kept, ...moved(kind, source ?? {}) }
  }

  /** Fills in the texts of a value, and unescapes names that look like references. */
  function put(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(put)
    if (!isObject(value)) return value
    if (typeof value['$content'] === 'string') {
      const text = contentOf(value['$content'])
      // A reference in place of the whole payload means the payload's JSON.
      return value['json'] === true && text !== null ? put(JSON.parse(text)) : text
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        /^\$\$+(?:content|archived)$/.test(name) ? name.slice(1) : name,
        put(field),
      ]),
    )
  }

  function payloadOf(json: string, kind: string): unknown {
    const value = whole(json, kind)
    return typeof value === 'string' ? whole(value, kind) : value
  }

  for (const row of db.prepare<[], EventRow>('SELECT * FROM events ORDER BY id').iterate()) {
    const { id: _, payload, success, is_line: __, schema_version: ___, ...columns } = row
    const { uuid, kind } = row
    yield {
      event: {
        ...columns,
        success: success === null ? null : success === 1,
        payload: withBlockTexts(payloadOf(payload, kind), contentOf),
      },
      keys: keys.all(uuid),
      parent_keys: parents.all(uuid),
      sightings: sightings.all(uuid).map((one) => ({
        ...one,
        payload: one.payload === null ? null : payloadOf(one.payload, kind),
      })),
    }
  }
}

type Fields = { readonly [name: string]: unknown }
interface EventRow extends Fields {
  readonly id: number
  readonly uuid: string
  readonly session_id: string
  readonly turn_id: number
  readonly seq: number
  readonly kind: string
  readonly success: number | null
  readonly payload: string
}
interface SightingRow {
  readonly source: string
  readonly session_id: string
  readonly seen_at: string
  readonly payload: string | null
}
interface ArchivedLine {
  readonly id: number
  readonly event: { readonly payload: Fields }
  readonly sightings: readonly { readonly id: number; readonly payload: Fields | null }[]
}

const isObject = (value: unknown): value is Fields => value !== null && typeof value === 'object'

const MOVED: { readonly [kind: string]: readonly string[] } = {
  tool_call: ['input'],
  tool_result: ['output', 'detail'],
  model_request: ['request', 'headers'],
  model_response: ['headers'],
}

const moved = (kind: string, payload: Fields): Fields =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => MOVED[kind]?.includes(name)))

/** Reads all texts of `contents` and of the archives, and the archived events. */
function openTexts(db: Database.Database, folder: string) {
  const texts = new Map<string, string>()
  const events = new Map<number, ArchivedLine>()
  const rows = db.prepare<[], { hash: string; encoding: string; data: Buffer }>(
    'SELECT lower(hex(hash)) AS hash, encoding, data FROM contents',
  )
  for (const { hash, encoding, data } of rows.iterate())
    texts.set(hash, (encoding === 'zstd' ? zstdDecompressSync(data) : data).toString())
  const frames = db.prepare<[], { path: string; start: number; bytes: number }>(
    `SELECT a.path, f.start, f.bytes FROM archive_frames f JOIN archives a ON a.id = f.archive
     WHERE a.removed_at IS NULL AND f.bytes > 0 ORDER BY f.archive, f.frame`,
  )
  for (const { path, start, bytes } of frames.all()) {
    for (const text of zstdDecompressSync(bytesOf(join(folder, path), start, bytes))
      .toString()
      .trimEnd()
      .split('\n')) {
      const line = JSON.parse(text) as Partial<ArchivedLine> & { readonly contents?: Record<string, string> }
      for (const [hash, content] of Object.entries(line.contents ?? {})) texts.set(hash, content)
      if (line.event !== undefined) events.set(line.id ?? 0, line as ArchivedLine)
    }
  }
  return {
    contentOf: (hash: string): string | null => texts.get(hash) ?? null,
    archived(id: number): ArchivedLine {
      const line = events.get(id)
      if (line === undefined) throw new Error(`no archive contains the event ${id}`)
      return line
    },
  }
}

function bytesOf(path: string, start: number, length: number): Buffer {
  const file = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(length)
    readSync(file, bytes, 0, length, start)
    return bytes
  } finally {
    closeSync(file)
  }
}
