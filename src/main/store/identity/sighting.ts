import type { AnyEvent, Json, JsonObject } from '../../../shared/event.ts'
import type { AnyDraft } from '../../decode/draft.ts'
import type { Keys } from './keys.ts'
import type { EventRow, Log, Sighting } from '../log/log.ts'
import { fieldsToSettle } from './settled.ts'

/**
 * Returns a draft's additions to a known event: the source's additions, fields that the event lacks, and a usage, since
 * sums use the best one. `nothing new` if the same source reported the same for the same session.
 */
export function sightingFields(
  draft: AnyDraft,
  event: AnyEvent,
  before: readonly Sighting[],
): JsonObject | null | 'nothing new' {
  const fields: { [key: string]: unknown } = {}
  const isOfOtherKind = draft.kind !== event.kind
  if (draft.kind === 'api_usage') {
    const { model, usage, basis, request_kind, ttft_ms } = draft.payload
    Object.assign(fields, { model, usage, basis, request_kind, ttft_ms })
  }
  Object.assign(fields, draft.sighting)
  if (isOfOtherKind) return isReported(before, draft, fields) ? 'nothing new' : asJson(fields)
  otherwise(draft.payload as JsonObject, event, fields)
  if (event.duration_ms === null || draft.source === 'hook') fill(fields, 'duration_ms', draft.duration_ms)
  if (event.success === null) fill(fields, 'success', draft.success)
  if (event.error_message === null) fill(fields, 'error_message', draft.error_message)
  if (event.request_id === null) fill(fields, 'request_id', draft.request_id)
  if (event.user_id === null) fill(fields, 'user_id', draft.account)
  if (event.project === null) fill(fields, 'project', draft.project)

  if (isReported(before, draft, fields)) return 'nothing new'
  const json = asJson(fields)
  const isFirstAgain = event.source === draft.source && event.session_id === draft.session_id
  if (isFirstAgain && (json === null || hasAll(event.payload as JsonObject, fields))) return 'nothing new'
  return json
}

/** True if the same source reported it for the same session. */
function isReported(before: readonly Sighting[], draft: AnyDraft, fields: { readonly [key: string]: unknown }) {
  return before.some(
    (sighting) =>
      sighting.source === draft.source && sighting.session_id === draft.session_id && hasAll(sighting.payload, fields),
  )
}

/** Returns the value as JSON would store it: without undefined fields; null if nothing is left. */
function asJson(fields: { readonly [key: string]: unknown }): JsonObject | null {
  const json = JSON.stringify(fields)
  return json === '{}' ? null : (JSON.parse(json) as JsonObject)
}

/**
 * Returns the keys of parents that a further source names, up to the first known one. They matter if the first source
 * knew no parent but the turn's prompt, or if the wire has an answer and the client's copy has only a part of it.
 */
export function awaitedLater(draft: AnyDraft, known: EventRow, keys: Keys, log: Log): readonly string[] {
  // Nothing causes a prompt, unless it turns out to be the client's own words.
  if (draft.parents.length === 0 || (known.kind === 'user_prompt' && !draft.only_as_sighting)) return []
  const knowsBest = draft.source === 'wire' && known.source !== 'wire' && !('seen_in_history' in draft.payload)
  if (!knowsBest && known.parent_uuid !== null && log.find(known.parent_uuid)?.kind !== 'user_prompt') return []
  const awaited: string[] = []
  for (const key of draft.parents) {
    const parent = keys.findByKey(key)
    if (parent?.uuid === known.parent_uuid) return awaited
    awaited.push(key)
    if (parent) return awaited
  }
  return awaited
}

/**
 * Returns the draft without the texts of its sighting that its payload repeats and from which they are taken anyway: sending
 * it to another thread copies each text.
 */
export function withoutRepeats(draft: AnyDraft): AnyDraft {
  const { sighting, payload } = draft
  if (sighting === undefined || draft.sighting_of !== undefined) return draft
  const repeated = fieldsToSettle(draft.kind).filter(
    (name) => typeof sighting[name] === 'string' && sighting[name] === (payload as JsonObject)[name],
  )
  if (repeated.length === 0) return draft
  // Not removed: the order of the fields is that in which a sighting is stored.
  return { ...draft, sighting: { ...sighting, ...Object.fromEntries(repeated.map((name) => [name, undefined])) } }
}

/** Returns the fields that only the sighting of an event's first source has; null for none. */
export function addedByFirst(draft: AnyDraft, event: AnyEvent): JsonObject | null {
  if (draft.sighting === undefined) return null
  const own = event.payload as JsonObject
  const more = Object.entries(draft.sighting).filter(
    ([name, value]) =>
      value !== null &&
      value !== undefined &&
      !isEqual(own[name], value) &&
      !(name === 'duration_ms' && value === event.duration_ms) &&
      !(name === 'error_message' && value === event.error_message),
  )
  return more.length === 0 ? null : asJson(Object.fromEntries(more))
}

/** Sets the fields that differ from the event, and removes those that repeat it. */
function otherwise(draft: JsonObject, event: AnyEvent, fields: { [key: string]: unknown }): void {
  const known = event.payload as JsonObject
  for (const name of fieldsToSettle(event.kind)) {
    const value = draft[name] ?? (fields[name] as Json | undefined)
    if (value === undefined || value === null || isEqual(value, known[name])) delete fields[name]
    else fields[name] = value
  }
}

function fill(fields: { [key: string]: unknown }, name: string, value: unknown): void {
  if (value !== null && value !== undefined && !(name in fields)) fields[name] = value
}

/** True if `known` already has all of `fields`. */
const hasAll = (known: JsonObject | null, fields: { readonly [key: string]: unknown }): boolean =>
  Object.entries(fields).every(([name, value]) => isEqual(known?.[name], value))

/** Compares as JSON, with shortcuts for strings and identical objects, which are most of the compared values. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  return typeof one !== 'string' && typeof other !== 'string' && JSON.stringify(one) === JSON.stringify(other)
}
