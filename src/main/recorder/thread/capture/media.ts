import type { Json, JsonObject } from '../../../../shared/event.ts'
import { bytesField, dataAddress } from '../../../decode/media.ts'
import type { Redactor } from '../../../redaction/redactor.ts'

/**
 * Replaces the bytes of images and documents (`{type: 'base64', data}` or `data:` addresses, at any depth) with their size
 * and keyed hash: they
 * never reach the store. Returns the value itself if there are none.
 */
export function withoutMedia(value: Json, redactor: Pick<Redactor, 'hash'>): Json {
  if (Array.isArray(value)) return mapChanged(value, (item: Json) => withoutMedia(item, redactor))
  if (typeof value === 'string') {
    const found = dataAddress(value)
    if (found === null) return value
    return { media_type: found.mediaType, ...reference(found.data, redactor) }
  }
  if (typeof value !== 'object' || value === null) return value
  const object = value as JsonObject
  const field = bytesField(object)
  if (field !== null) return { ...object, [field]: reference(String(object[field]), redactor) }
  let changed = false
  const entries = Object.entries(object).map(([name, field]): [string, Json] => {
    const without = withoutMedia(field, redactor)
    changed ||= without !== field
    return [name, without]
  })
  return changed ? Object.fromEntries(entries) : value
}

const reference = (data: string, redactor: Pick<Redactor, 'hash'>): JsonObject => ({
  bytes: Buffer.byteLength(data, 'base64'),
  hash: redactor.hash(data),
})

function mapChanged(items: readonly Json[], map: (item: Json) => Json): readonly Json[] {
  const mapped = items.map(map)
  return mapped.some((item, at) => item !== items[at]) ? mapped : items
}
