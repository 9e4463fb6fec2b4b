import { firstCharacters } from '../../../shared/cut-text.ts'
import { clientHeaders } from '../../decode/client/client-of-event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { AnyEvent, EventKind, Json, JsonObject } from '../../../shared/event.ts'

/** The large fields of requests and tool traffic, which move to an archive. The rest of an event stays. */
const MOVED: { readonly [kind in EventKind]?: readonly string[] } = {
  tool_call: ['input'],
  tool_result: ['output', 'detail'],
  file_seen: ['text'],
  model_request: ['request', 'headers'],
  model_response: ['headers'],
}

/** Kinds of events with fields that move. */
export const ARCHIVED_KINDS = Object.keys(MOVED) as readonly EventKind[]

/** Placeholders for fields that are in an archive, if null would not be valid. */
const EMPTY: { readonly [field: string]: Json } = { headers: [] }

/** Bounds the characters that stay of a call's input and of an error's text. */
const INPUT_CHARACTERS = 200
const ERROR_CHARACTERS = 2000

export const movedFields = (kind: EventKind): readonly string[] => MOVED[kind] ?? []

/** Returns a payload without the fields that move; for tool traffic, `digest` summarizes them. `settled` merges all sightings. */
export function stayingPayload(event: AnyEvent, settled: AnyEvent): JsonObject {
  const rest: { [name: string]: Json } = { ...(event.payload as JsonObject) }
  for (const field of movedFields(event.kind)) if (field in rest) rest[field] = EMPTY[field] ?? null
  // The session's client is derived from them.
  if (event.kind === 'model_request') rest['headers'] = clientHeaders(event.payload.headers)
  // The cache ledger measures pauses by it.
  if (event.kind === 'model_response') rest['headers'] = event.payload.headers.filter(([name]) => name === 'date')
  if (settled.kind === 'tool_call') rest['digest'] = shortened(settled.payload.input)
  if (settled.kind === 'tool_result') {
    const { is_error: isError, rejected, output } = settled.payload
    const failed = isError || rejected || settled.success === false
    const text = failed ? firstText(output) : null
    rest['digest'] = text === null ? null : firstCharacters(text, ERROR_CHARACTERS)
  }
  return rest
}

/** Returns the fields that a sighting adds, without those that move. */
export function stayingFields(kind: EventKind, payload: JsonObject): JsonObject {
  const moved = movedFields(kind)
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !moved.includes(name)))
}

/** Returns the fields that an archive adds back to a payload. */
export function returningFields(kind: EventKind, payload: JsonObject): JsonObject {
  const moved = movedFields(kind)
  return Object.fromEntries(Object.entries(payload).filter(([name]) => moved.includes(name)))
}

/** Reduces a draft for an event that is already archived to the fields that stay: nobody compares it with the archive. */
export function onArchivedEvent(draft: AnyDraft): AnyDraft {
  const payload = stayingFields(draft.kind, draft.payload as JsonObject)
  const more = draft.sighting === undefined ? {} : { sighting: stayingFields(draft.kind, draft.sighting as JsonObject) }
  return { ...draft, ...more, payload } as AnyDraft
}

/** Shortens a value to about 200 characters of JSON: its first fields, with long strings cut. */
function shortened(value: Json): Json {
  if (JSON.stringify(value ?? null).length <= INPUT_CHARACTERS) return value ?? null
  if (typeof value === 'string') return cut(value, INPUT_CHARACTERS)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return null
  const short: { [name: string]: Json } = {}
  let left = INPUT_CHARACTERS
  for (const [name, field] of Object.entries(value as JsonObject)) {
    left -= name.length + 6
    if (left <= 0) break
    const kept = typeof field === 'string' ? cut(field, left) : field
    const { length } = JSON.stringify(kept)
    if (length > left && typeof field !== 'string') continue
    short[name] = kept
    left -= length
  }
  return short
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${firstCharacters(text, length - 1)}…`

function firstText(value: Json): string | null {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return null
  for (const [name, item] of Object.entries(value)) {
    const found = name === 'type' ? null : firstText(item as Json)
    if (found !== null) return found
  }
  return null
}
