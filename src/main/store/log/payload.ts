import type { Json, JsonObject } from '../../../shared/event.ts'

/**
 * How payloads stand in the log. Texts over 1 KB are kept once in `contents`; in their place stands a reference. An
 * object of the outside that looks like a reference is marked with one more `$`, and unmarked on reading.
 *
 * - `{"$content": "<hash>"}` in a payload: a string; as the whole payload: the payload's JSON
 * - `{"$content": "<hash>", "json": true}`: a JSON value
 * - `"$archived": [<event id>]` beside the other fields of a payload: its heavy fields lie in an archive; of a sighting,
 *   `[<event id>, <sighting id>]`
 */
export const CONTENT_THRESHOLD_BYTES = 1024

const LOOK_ALIKE = /^\$+(?:content|archived)$/
const MARKED = /^\$\$+(?:content|archived)$/

/** A JSON value that is to stand in `contents`, however short; `children` are the contents that its text names. */
export class KeptJson {
  readonly json: string
  readonly children: readonly string[]

  constructor(json: string, children: readonly string[]) {
    this.json = json
    this.children = children
  }
}

/** What a packed payload refers to; each hash once. */
export interface Packed {
  /** JSON for the column `payload`. */
  readonly json: string
  readonly references: readonly string[]
}

/** Takes a text into `contents` and gives its hash; `children` are the contents that the text itself names. */
export type Keep = (text: string, children: readonly string[]) => string
/** The text of a content; null where it is gone. */
export type Fetch = (hash: string) => string | null
/** Names what an archive holds of an event, or of a sighting of it. */
export type ArchiveMark = readonly [eventId: number, sightingId?: number]
/** The fields of a payload that lie in an archive; where they cannot be had, a field that says why. */
export type FetchArchived = (mark: ArchiveMark) => JsonObject

/** Packs a payload; `named` are hashes that it holds as plain values (the blocks of a request's messages). */
export function packPayload(payload: object, keep: Keep, named: readonly string[] = []): Packed {
  const references = new Set(named)
  const packed = packValue(payload as Json, (text, children) => {
    const hash = keep(text, children)
    references.add(hash)
    return hash
  })
  const json = JSON.stringify(packed)
  if (!exceeds(json)) return { json, references: [...references] }
  const root = keep(json, [...references])
  return { json: JSON.stringify({ $content: root }), references: [root] }
}

/** JSON of a value in which long strings are references; for columns of projections, which store nothing themselves. */
export function packJson(value: Json, hash: (text: string) => string): string {
  return JSON.stringify(packValue(value, hash))
}

/** Reads back what `packJson` made, as JSON again. */
export function unpackJson(json: string, fetch: Fetch): Json {
  return unpackValue(JSON.parse(json) as Json, fetch)
}

/**
 * Reads the column `payload` back. A content that is gone becomes null. Without `archived`, the fields that lie in an
 * archive are null, too: so the log says the same of them as long as it lasts, and whatever becomes of the archive.
 */
export function unpackPayload(json: string, fetch: Fetch, archived?: FetchArchived): JsonObject {
  const value = JSON.parse(json) as Json
  const mark = json.includes('"$archived"') ? archivedMark(value) : null
  if (mark !== null) {
    const { $archived: _, ...rest } = value as JsonObject
    const kept = unpackPayload(JSON.stringify(rest), fetch)
    return archived === undefined ? kept : joined(kept, archived(mark))
  }
  if (!json.includes('content"') && !json.includes('archived"')) return value as JsonObject
  if (isReference(value)) {
    const text = fetch(value.$content)
    return text === null ? {} : unpackPayload(text, fetch)
  }
  return unpackValue(value, fetch) as JsonObject
}

/**
 * The short fields of a payload: texts that lie in `contents` stay references, what moved to an archive is left out. For
 * lists, which need not read what is heavy of each of their items.
 */
export function payloadHead(json: string, fetch: Fetch): JsonObject {
  const value = JSON.parse(json) as Json
  if (!isReference(value)) return value as JsonObject
  const text = fetch(value.$content)
  return text === null ? {} : payloadHead(text, fetch)
}

/** What stands for a field while it is away goes when the field is back. */
function joined({ digest, ...kept }: JsonObject, fields: JsonObject): JsonObject {
  return 'archive_missing' in fields && digest !== undefined ? { ...kept, digest, ...fields } : { ...kept, ...fields }
}

/** The column `payload` with a mark that its heavy fields lie in an archive. */
export function withArchiveMark(json: string, mark: ArchiveMark): string {
  return JSON.stringify({ ...(JSON.parse(json) as JsonObject), $archived: mark })
}

/** The mark in a column `payload`; null: all of it stands in the database. */
export function archiveMarkOf(json: string): ArchiveMark | null {
  return json.includes('"$archived"') ? archivedMark(JSON.parse(json) as Json) : null
}

function archivedMark(value: Json): ArchiveMark | null {
  if (value === null || typeof value !== 'object' || !('$archived' in value)) return null
  const { $archived: mark } = value
  return Array.isArray(mark) && mark.every((part) => typeof part === 'number') ? (mark as unknown as ArchiveMark) : null
}

/** True where the UTF-8 form is longer than what stays in place. */
export function exceeds(text: string, bytes = CONTENT_THRESHOLD_BYTES): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes)
}

function packValue(value: Json, keep: Keep): Json {
  if (typeof value === 'string')
    // A lone surrogate has no UTF-8 form: it stays where JSON can escape it.
    return exceeds(value) && value.isWellFormed() ? { $content: keep(value, []) } : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => packValue(item as Json, keep))
  if (value instanceof KeptJson) return { $content: keep(value.json, value.children), json: true }
  const packed: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value))
    if (item !== undefined) define(packed, LOOK_ALIKE.test(key) ? `$${key}` : key, packValue(item as Json, keep))
  return packed
}

function unpackValue(value: Json, fetch: Fetch): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => unpackValue(item as Json, fetch))
  if (isReference(value)) {
    const text = fetch(value.$content)
    if (text === null || value.json !== true) return text
    return unpackValue(JSON.parse(text) as Json, fetch)
  }
  const unpacked: { [key: string]: Json } = {}
  for (const [key, item] of Object.entries(value))
    define(unpacked, MARKED.test(key) ? key.slice(1) : key, unpackValue(item as Json, fetch))
  return unpacked
}

/** Sets a field as JSON.parse would: `__proto__` is a name like any other. */
function define(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

function isReference(value: Json): value is { readonly $content: string; readonly json?: true } {
  return value !== null && typeof value === 'object' && '$content' in value && typeof value.$content === 'string'
}
