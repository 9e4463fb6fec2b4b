import type { EventKind, Json, JsonObject } from '../../../shared/event.ts'

/**
 * The form of payloads in the log. Texts over 1 KB are stored once in `contents` and replaced by a reference, but the text
 * that a documented view shows (`shownField`) stays in the event's row, where any SQLite shell can read it. Foreign data
 * that looks like a reference is escaped with one more `$`, and unescaped on reading.
 *
 * - `{"$content": "<hash>"}` in a payload: a string; as the whole payload: the payload's JSON
 * - `{"$content": "<hash>", "json": true}`: a JSON value
 * - `"$archived": [<event id>]` next to the other fields of a payload: its heavy fields are in an archive; for a
 * sighting, `[<event id>, <sighting id>]`
 */
export const CONTENT_THRESHOLD_BYTES = 1024
/** The JSON of a call's input or a result's output stays in the row up to this size; its long strings do not. */
export const SHOWN_JSON_BYTES = 16 * 1024

/** The field that a documented view shows, by kind of event. */
const SHOWN: { readonly [kind in EventKind]?: string } = {
  thinking: 'text',
  assistant_text: 'text',
  tool_call: 'input',
  tool_result: 'output',
}

/** Returns the field of a payload that stays in the event's row however long it is; null if there is none. */
export const shownField = (kind: EventKind): string | null => SHOWN[kind] ?? null

const LOOK_ALIKE = /^\$+(?:content|archived)$/
/** Patterns that JSON must not contain to be stored and read word for word. Migration 030 checks the same. */
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

  /** Shows `isPlain` that the payload around it is not stored word for word. */
  toJSON(): JsonObject {
    return { $content: null }
  }
}

/** The contents that a packed payload refers to; each hash once. */
export interface Packed {
  /** JSON for the column `payload`. */
  readonly json: string
  readonly references: readonly string[]
  /** JSON of the field that a view shows, as the row holds it; null if it holds none. */
  readonly shown: string | null
}

/** Stores a text in `contents` and returns its hash; `children` are the contents that the text refers to. */
export type Keep = (text: string, children: readonly string[]) => string
/** Returns the text of a content; null if it was deleted. */
export type Fetch = (hash: string) => string | null
/** Refers to the archived fields of an event or of one of its sightings. */
export type ArchiveMark = readonly [eventId: number, sightingId?: number]
/** Returns the archived fields of a payload; if they cannot be read, a field with the reason. */
export type FetchArchived = (mark: ArchiveMark) => JsonObject

export interface PackOptions {
  /** Hashes that the payload holds as plain strings (the blocks of a request's messages). */
  readonly named?: readonly string[]
  /** The field that a view shows; not for the payload of a sighting. */
  readonly shown?: string | null
}

/** Packs a payload. */
export function packPayload(payload: object, keep: Keep, { named = [], shown = null }: PackOptions = {}): Packed {
  const asIs = named.length === 0 ? jsonAsIs(payload as JsonObject) : null
  if (asIs !== null && !exceeds(asIs))
    return { json: asIs, references: [], shown: fieldJson(payload as JsonObject, shown) }
  const references = new Set(named)
  const refer: Keep = (text, children) => {
    const hash = keep(text, children)
    references.add(hash)
    return hash
  }
  const fields = packFields(payload as JsonObject, shown, refer)
  const json = objectOf(fields)
  const shownJson = fields.find(({ isShown }) => isShown)?.json ?? null
  // Without the field that a view shows it must be short.
  const fits = () => !exceeds(objectOf(fields.filter(({ isShown }) => !isShown))) && isRowSized(shown, shownJson ?? '')
  if (!exceeds(json) || (shown !== null && fits())) return { json, references: [...references], shown: shownJson }
  const root = keep(objectOf(fields.map((field) => withoutTexts(field, refer))), [...references])
  return { json: JSON.stringify({ $content: root }), references: [root], shown: null }
}

/**
 * True if the log surely stores a payload word for word in its row: it is short, and nothing in it looks like a reference.
 * Text that SQLite cannot take out of JSON unchanged (NUL, lone surrogates) counts as not inline.
 */
export function isInline(payload: object): boolean {
  const json = JSON.stringify(payload)
  return !exceeds(json) && isPlain(json)
}

/** True if a column `payload` holds the field that a view shows word for word. Its other fields may be references. */
export function isShownIn(json: string, shown: string): boolean {
  const value = JSON.parse(json) as JsonObject
  // For an archived call, its digest is shown.
  return !isReference(value) && isPlain(JSON.stringify(value[shown] ?? value['digest'] ?? null))
}

/** True if JSON contains no reference, no escaped look-alike of one, no NUL and no lone surrogate. */
export const isPlain = (json: string): boolean => !NOT_PLAIN.some((part) => json.includes(part))

/** Returns JSON with long strings replaced by references; for columns of projections, which store no contents. */
export const packJson = (value: Json, hash: (text: string) => string): string => JSON.stringify(packValue(value, hash))

/**
 * Reads the column `payload`. A deleted content becomes null. Without `archived`, archived fields are null too, so that
 * data derived from the log does not depend on its archives.
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
const joined = ({ digest, ...kept }: JsonObject, fields: JsonObject): JsonObject =>
  'archive_missing' in fields && digest !== undefined ? { ...kept, digest, ...fields } : { ...kept, ...fields }

/** Adds the mark of archived fields to a column `payload`. */
export const withArchiveMark = (json: string, mark: ArchiveMark): string =>
  JSON.stringify({ ...(JSON.parse(json) as JsonObject), $archived: mark })

/** Returns the mark in a column `payload`; null if nothing is archived. */
export const archiveMarkOf = (json: string): ArchiveMark | null =>
  json.includes('"$archived"') ? archivedMark(JSON.parse(json) as Json) : null

function archivedMark(value: Json): ArchiveMark | null {
  if (value === null || typeof value !== 'object' || !('$archived' in value)) return null
  const { $archived: mark } = value
  return Array.isArray(mark) && mark.every((part) => typeof part === 'number') ? (mark as unknown as ArchiveMark) : null
}

/** True if the UTF-8 form is too long to be stored inline. */
export const exceeds = (text: string, bytes = CONTENT_THRESHOLD_BYTES): boolean =>
  text.length > bytes || (text.length * 3 > bytes && Buffer.byteLength(text) > bytes)

/** A packed field of a payload, as JSON. */
interface PackedField {
  readonly name: string
  readonly json: string
  readonly isShown: boolean
  /** The field that a view shows, if its texts are still in it. */
  readonly whole: Json | undefined
}

function packFields(payload: JsonObject, shown: string | null, keep: Keep): readonly PackedField[] {
  return Object.entries(payload).flatMap(([key, item]): readonly PackedField[] => {
    if (item === undefined) return []
    const isShown = key === shown
    const name = LOOK_ALIKE.test(key) ? `$${key}` : key
    const whole = isShown ? JSON.stringify(packValue(item, null)) : null
    if (whole !== null && isRowSized(shown, whole)) return [{ name, json: whole, isShown, whole: item }]
    return [{ name, json: JSON.stringify(packValue(item, keep)), isShown, whole: undefined }]
  })
}

/** Replaces the texts of a field that a row cannot hold after all. */
const withoutTexts = (field: PackedField, keep: Keep): PackedField =>
  field.whole === undefined ? field : { ...field, json: JSON.stringify(packValue(field.whole, keep)) }

const objectOf = (fields: readonly PackedField[]): string =>
  `{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')}}`

/** True if a row may hold a shown field: a text, or JSON that is not too long. */
const isRowSized = (shown: string | null, json: string): boolean => shown === 'text' || !exceeds(json, SHOWN_JSON_BYTES)

/** Returns the JSON of a payload if packing changes nothing in it, as with most; else null. */
function jsonAsIs(payload: JsonObject): string | null {
  if (hasLongText(payload)) return null
  const json = JSON.stringify(payload)
  return isPlain(json) ? json : null
}

/** Returns the JSON of a field; null if the payload has none. */
const fieldJson = (payload: JsonObject, name: string | null): string | null =>
  name === null || payload[name] === undefined ? null : JSON.stringify(payload[name])

/** True if a value holds a text that is stored in `contents`. */
function hasLongText(value: Json): boolean {
  if (typeof value === 'string') return exceeds(value)
  return typeof value === 'object' && value !== null && Object.values(value).some((item) => hasLongText(item as Json))
}

/** Packs a value; without `keep`, its texts stay where they are. */
function packValue(value: Json, keep: Keep | null): Json {
  if (typeof value === 'string')
    // A lone surrogate has no UTF-8 form; inline, JSON can escape it.
    return keep !== null && exceeds(value) && value.isWellFormed() ? { $content: keep(value, []) } : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => packValue(item as Json, keep))
  if (keep !== null && value instanceof KeptJson) return { $content: keep(value.json, value.children), json: true }
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

const isReference = (value: Json): value is { readonly $content: string; readonly json?: true } =>
  value !== null && typeof value === 'object' && '$content' in value && typeof value.$content === 'string'
