import type { Json, JsonObject, MediaReference } from '../../shared/event.ts'
import { isObject, stringOf } from '../../shared/json-fields.ts'

/** Keyed hash of a text, in hex; for an image or document, of its base64 text. */
export type HashText = (text: string) => string

/** Fields that hold the bytes of an image or a document as base64, by the type of their object. */
const BYTES_FIELDS: { readonly [type: string]: string } = { base64: 'data', image_generation_call: 'result' }
/** An address that contains the bytes themselves. */
const DATA_ADDRESS = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/

/** Returns the field of an object that holds bytes as base64; null if none does. */
export function bytesField(object: JsonObject): string | null {
  const type = stringOf(object['type'])
  const field = type !== null && Object.hasOwn(BYTES_FIELDS, type) ? BYTES_FIELDS[type] : undefined
  return field !== undefined && typeof object[field] === 'string' ? field : null
}

/** Splits an address that holds bytes (`data:image/png;base64,…`); null for any other text. */
export function dataAddress(text: string): { readonly mediaType: string | null; readonly data: string } | null {
  const found = text.startsWith('data:') ? DATA_ADDRESS.exec(text) : null
  return found === null ? null : { mediaType: found[1] ?? null, data: text.slice(found[0].length) }
}

const MEDIA_TYPES: ReadonlySet<unknown> = new Set(['image', 'document'])

/**
 * Returns the record of an image or document block (Messages API, `source` base64, text, url or file); null for other
 * blocks.
 */
export function mediaReference(block: Json, hash: HashText): MediaReference | null {
  if (!isObject(block) || !MEDIA_TYPES.has(block['type'])) return null
  const { source } = block
  if (!isObject(source)) return null
  const data =
    stringOf(source['data']) ?? stringOf(source['url']) ?? stringOf(source['file_id']) ?? JSON.stringify(source)
  return {
    type: block['type'] === 'image' ? 'image' : 'document',
    media_type: stringOf(source['media_type']),
    bytes: source['type'] === 'base64' ? Buffer.byteLength(data, 'base64') : Buffer.byteLength(data),
    hash: hash(data),
  }
}

/** Replaces every image and document, at any depth, by its reference; `found` collects them. */
export function withReferences(value: Json, hash: HashText, found: MediaReference[]): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withReferences(item, hash, found))
  if (!isObject(value)) return value
  const reference = mediaReference(value, hash)
  if (reference) {
    found.push(reference)
    return { ...reference }
  }
  const spilled = base64File(value, hash)
  if (spilled) return spilled
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withReferences(item, hash, found)]))
}

/** The client's own form of a file (`toolUseResult.file.base64`), and any other base64 source. */
function base64File(value: JsonObject, hash: HashText): JsonObject | null {
  const inFile = stringOf(value['base64'])
  if (inFile !== null) {
    const { base64: _, ...rest } = value
    return { ...rest, bytes: Buffer.byteLength(inFile, 'base64'), hash: hash(inFile) }
  }
  const data = stringOf(value['data'])
  if (value['type'] !== 'base64' || data === null) return null
  return { ...value, data: { bytes: Buffer.byteLength(data, 'base64'), hash: hash(data) } }
}
