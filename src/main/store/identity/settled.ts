import type { AnyEvent, EventSource, Json, JsonObject } from '../../../shared/event.ts'
import type { Sighting } from '../log/log.ts'

/**
 * Settles the content of an event if its sources differ. The log keeps the first source's version, and sightings keep
 * the differences of other sources. This is the only place that decides which source wins.
 */

/** The wire carried it, the transcript is the client's copy, and a hook receives some form of it. */
const AS_SENT: readonly EventSource[] = ['wire', 'transcript', 'hook', 'api']
/** The client knows it first-hand. */
const AS_DONE: readonly EventSource[] = ['transcript', 'hook', 'wire', 'api']

interface Field {
  readonly order: readonly EventSource[]
  /** A source without the field agrees with the event, since it always knows it. */
  readonly isAlwaysReported?: true
  /** Values that yield to any other one. */
  readonly assumed?: ReadonlySet<Json>
}
const sent: Field = { order: AS_SENT, isAlwaysReported: true }
const anyone: Field = { order: AS_SENT }

/** Prefix of the client's preview of a tool result that it wrote to a file: a source with the result itself wins. */
export const SPILLED_MARK = '<persisted-output>'

/** Reasons of ends that we know from what followed: any source's own word is better. */
const ASSUMED_ENDS: ReadonlySet<Json> = new Set(['next_prompt', 'cut', 'failed'])

/** True for the end of a turn that is known from what followed. */
export const isAssumedEnd = (event: AnyEvent): boolean =>
  event.kind === 'turn_ended' && ASSUMED_ENDS.has(event.payload.reason)

/** Only first-hand accounts need settling. */
const ONLY_SEEN = {}

const FIELDS: { readonly [kind: string]: { readonly [name: string]: Field } } = {
  // In wire texts, the client's own tags may hide the user's; the transcript has the words as typed.
  user_prompt: {
    text: { order: AS_DONE },
    prompt_id: anyone,
    git_branch: anyone,
    media: anyone,
    entered_as: anyone,
    left_behind: anyone,
  },
  tool_call: { input: sent, tool_name: sent, message_id: anyone, index: anyone },
  tool_result: {
    output: sent,
    is_error: sent,
    rejected: sent,
    tool_name: anyone,
    media: anyone,
    detail: { order: AS_DONE },
  },
  turn_ended: { reason: { ...sent, assumed: ASSUMED_ENDS }, last_text: anyone, ends_session: anyone },
  compaction: { trigger: { order: AS_DONE }, summary: anyone, tokens_before: { order: AS_DONE }, tokens_after: anyone },
  agent_started: { agent_type: anyone, parent_agent_id: anyone, call_id: anyone },
  thinking: ONLY_SEEN,
  assistant_text: { citations: anyone },
  error: { origin: anyone, type: anyone, message: anyone, status: anyone, body: anyone, retry_after_s: anyone },
  agent_ended: { agent_type: anyone, last_text: anyone },
}

/** The payload fields of a kind in which sources may differ, or which one of them may lack. */
export const fieldsToSettle = (kind: string): readonly string[] => Object.keys(FIELDS[kind] ?? {})

/** True if sightings can change the content of an event of this kind. */
export const isSettled = (kind: string): boolean => kind in FIELDS

type KnownSighting = Pick<Sighting, 'source' | 'session_id' | 'payload'>

/** The fields of an event that can be settled. */
type Settling = Pick<AnyEvent, 'kind' | 'source' | 'session_id' | 'duration_ms' | 'success' | 'error_message'> & {
  readonly payload: object
}

/** Returns the event with the best values of its sightings; the same object if they add nothing. */
export function settled<E extends Settling>(event: E, sightings: readonly KnownSighting[]): E {
  const fields = FIELDS[event.kind]
  // A sighting in a fork's copy describes the fork.
  const ownSightings = sightings.filter(({ session_id }) => session_id === event.session_id)
  if (!fields || ownSightings.length === 0) return event
  const own = event.payload as JsonObject
  const payload: { [name: string]: Json } = { ...own }
  for (const [name, field] of Object.entries(fields)) {
    const value = best(field, event.source, own[name], ownSightings, name)
    if (value !== undefined) payload[name] = value
  }
  const durationMs = bestDuration(event, ownSightings)
  // A request's history showed it first, and a source that saw it happen reported it later.
  if (payload['seen_in_history'] === true && ownSightings.some(({ source }) => source !== 'wire'))
    delete payload['seen_in_history']
  if (event.kind === 'user_prompt' && isTakenBack(ownSightings)) payload['not_a_prompt'] = true
  if (event.kind !== 'tool_result') return { ...event, payload, duration_ms: durationMs }
  const isError = payload['is_error'] === true
  return {
    ...event,
    payload,
    duration_ms: durationMs,
    success: isError ? false : event.success === null ? null : true,
    error_message: isError ? (event.error_message ?? messageOf(ownSightings)) : null,
  }
}

/** True if a source knows that the client itself wrote the text that another one took for a prompt. */
export function isTakenBack(sightings: readonly Pick<Sighting, 'payload'>[]): boolean {
  return sightings.some(({ payload }) => payload?.['not_a_prompt'] === true)
}

/** Returns the hook's measurement, or else the first of any source. */
function bestDuration(event: Settling, ownSightings: readonly KnownSighting[]): number | null {
  const known = [
    { source: event.source, duration: event.duration_ms },
    ...ownSightings.map(({ source, payload }) => ({ source, duration: numberOrNull(payload?.['duration_ms']) })),
  ].filter(({ duration }) => duration !== null)
  return (known.find(({ source }) => source === 'hook') ?? known[0])?.duration ?? null
}

function best(
  field: Field,
  source: EventSource,
  own: Json | undefined,
  ownSightings: readonly KnownSighting[],
  name: string,
): Json | undefined {
  const known = [
    { source, value: own },
    ...ownSightings.map((sighting) => ({
      source: sighting.source,
      value: sighting.payload?.[name] ?? (field.isAlwaysReported ? own : undefined),
    })),
  ].filter(({ value }) => isInformative(value))
  const sure = known.filter(({ value }) => value === undefined || field.assumed?.has(value) !== true)
  for (const trusted of field.order) {
    const found = (sure.length === 0 ? known : sure).find((candidate) => candidate.source === trusted)
    if (found) return found.value
  }
  return own
}

const isInformative = (value: Json | undefined): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== 'unknown' &&
  !(typeof value === 'string' && value.startsWith(SPILLED_MARK))

const numberOrNull = (value: Json | undefined): number | null => (typeof value === 'number' ? value : null)

function messageOf(ownSightings: readonly KnownSighting[]): string | null {
  for (const { payload } of ownSightings)
    if (typeof payload?.['error_message'] === 'string') return payload['error_message']
  return null
}
