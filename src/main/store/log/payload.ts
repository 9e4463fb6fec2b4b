import type { Json, JsonObject } from '../../../shared/event.ts'

/**
 * The form of payloads in the log. Texts over 1 KB are stored once in `contents` and replaced by a reference. Foreign data
 * that looks like a reference is escaped with one more `$`, and unescaped on reading.
 *
 * - `{"$content": "<hash>"}` in a payload: a string; as the whole payload: the payload's JSON
 * - `{"$content": "<hash>", "json": true}`: a JSON value
 * - `"$archived": [<event id>]` beside the other fields of a payload: its heavy fields are in an archive; for a sighting,
 *   `[<event id>, <sighting id>]`
 */
export const CONTENT_THRESHOLD_BYTES = 1024

const LOOK_ALIKE = /^\$+(?:content|archived)$/
/** What JSON must not contain to be stored and read word for word. Migration 030 checks the same. */
const NOT_PLAIN = ['"$content"', '"$archived"', '"$$', String.raw`\u0000`, String.raw`\ud`] as const
const MARKED = /^\$\$+(?:content|archived)$/

/** A JSON value to store in `contents`, however short; `children` are the contents that its text refers to. */
export class KeptJson {
  readonly json: string
  readonly children: readonly string[]

  constructor(json: string, children: readonly string[]) {
    this.json = json
    this.children = children
  }
}

/** The contents that a packed payload refers to; each hash once. */
export interface Packed {
  /** JSON for the column `payload`. */
  readonly json: string
  readonly references: readonly string[]
}

/** Stores a text in `contents` and returns its hash; `children` are the contents that the text refers to. */
export type Keep = (text: string, children: readonly string[]) => string
/** Returns the text of a content; null if it was deleted. */
export type Fetch = (hash: string) => string | null
/** Refers to the archived fields of an event or of one of its sightings. */
export type ArchiveMark = readonly [eventId: number, sightingId?: number]
/** Returns the archived fields of a payload; if they cannot be read, a field that says why. */
export type FetchArchived = (mark: ArchiveMark) => JsonObject

/** Packs a payload; `named` are hashes that it holds as plain strings (the blocks of a request's messages). */
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

/**
 * True if the log stores a payload word for word in its row: it is short, and nothing in it looks like a reference. Text
 * that SQLite cannot take out of JSON unchanged (NUL, lone surrogates) counts as not inline.
 */
export function isInline(payload: object): boolean {
  const json = JSON.stringify(payload)
  return !exceeds(json) && isPlain(json)
}

/** True if JSON contains no reference, no escaped look-alike of one, no NUL and no lone surrogate. */
export const isPlain = (json: string): boolean => !NOT_PLAIN.some((part) => json.includes(part))

/** Returns JSON with long strings replaced by references; for columns of projections, which store no contents. */
export function packJson(value: Json, hash: (text: string) => string): string {
  return JSON.stringify(packValue(value, hash))
}

/** Reverses `packJson`. */
export function unpackJson(json: string, fetch: Fetch): Json {
  return unpackValue(JSON.parse(json) as Json, fetch)
}

/**
 * Reads the column `payload`. A deleted content becomes null. Without `archived`, archived fields are null too, so that
 * what is derived from the log does not depend on its archives.
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
 * Returns the short fields of a payload: texts in `contents` stay references, archived fields are left out. For lists,
 * which need not read the heavy fields of every item.
 */
export function payloadHead(json: string, fetch: Fetch): JsonObject {
  const value = JSON.parse(json) as Json
  if (!isReference(value)) return value as JsonObject
  const text = fetch(value.$content)
  return text === null ? {} : payloadHead(text, fetch)
}

/** A placeholder is removed when the field it replaces is back. */
function joined({ digest, ...kept }: JsonObject, fields: JsonObject): JsonObject {
  return 'archive_missing' in fields && digest !== undefined ? { ...kept, digest, ...fields } : { ...kept, ...fields }
}

/** Adds the mark of archived fields to a column `payload`. */
export function withArchiveMark(json: string, mark: ArchiveMark): string {
  return JSON.stringify({ ...(JSON.parse(json) as JsonObject), $archived: mark })
}

/** Returns the mark in a column `payload`; null if nothing is archived. */
export function archiveMarkOf(json: string): ArchiveMark | null {
  return json.includes('"$archived"') ? archivedMark(JSON.parse(json) as Json) : null
}

function archivedMark(value: Json): ArchiveMark | null {
  if (value === null || typeof value !== 'object' || !('$archived' in value)) return null
  const { $archived: mark } = value
  return Array.isArray(mark) && mark.every((part) => typeof part === 'number') ? (mark as unknown as ArchiveMark) : null
}

/** True if the UTF-8 form is longer than what is stored inline. */
export function exceeds(text: string, bytes = CONTENT_THRESHOLD_BYTES): boolean {
  return text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes)
}

function packValue(value: Json, keep: Keep): Json {
  if (typeof value === 'string')
    // A lone surrogate has no UTF-8 form; inline, JSON can escape it.
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

/** Sets a field as JSON.parse does: `__proto__` is only a name. */
function define(target: { [key: string]: Json }, key: string, value: Json): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else target[key] = value
}

function isReference(value: Json): value is { readonly $content: string; readonly json?: true } {
  return value !== null && typeof value === 'object' && '$content' in value && typeof value.$content === 'string'
}
