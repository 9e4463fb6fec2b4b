import type { Json, JsonObject } from '../../../shared/event.ts'
import { jsonOrNull } from '../../../shared/json-fields.ts'

/** Replaces a text that could not be read. */
export const LOST_TEXT = '[This text was lost when the database was damaged.]'

/**
 * Returns a column `payload` whose references can all be read: a lost text is replaced by a note, a lost list by an
 * empty one. null: nothing of the payload can be read.
 */
export function mendPayload(json: string, read: (hash: string) => string | null): string | null {
  const value = jsonOrNull(json) as Json
  const root = hashOf(value)
  const text = root === null ? json : read(root)
  const payload = text === null ? null : (jsonOrNull(text) as Json)
  if (payload === null || typeof payload !== 'object') return null
  const mended = mend(payload, read, false)
  return mended === payload ? json : JSON.stringify(mended)
}

/** Returns the same value if nothing in it is lost. */
function mend(value: Json, read: (hash: string) => string | null, isRequest: boolean): Json {
  if (value === null || typeof value !== 'object') return value
  const hash = hashOf(value)
  if (hash !== null) {
    if (read(hash) !== null) return value
    return isRequest && (value as JsonObject)['json'] === true ? [] : LOST_TEXT
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => mend(item as Json, read, isRequest))
    return items.some((item, at) => item !== value[at]) ? items : value
  }
  const fields = Object.entries(value as JsonObject).map(
    ([name, item]) => [name, mend(item as Json, read, isRequest || name === 'request')] as const,
  )
  return fields.some(([name, item]) => item !== (value as JsonObject)[name]) ? Object.fromEntries(fields) : value
}

function hashOf(value: Json): string | null {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const hash = (value as JsonObject)['$content']
  return typeof hash === 'string' ? hash : null
}
