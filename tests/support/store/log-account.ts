import { createHash, type Hash } from 'node:crypto'

/**
 * Summarizes a log independently of its storage: digests over its events with all texts filled in. The summary of an older
 * store comes from plain SQL, that of a newer one from its operations; both must be equal.
 */

/** Everything that a log knows about an event, with all texts filled in. */
export interface LoggedEvent {
  readonly event: {
    readonly uuid: string
    readonly session_id: string
    readonly turn_id: number
    readonly seq: number
    readonly kind: string
    readonly payload: unknown
    readonly [column: string]: unknown
  }
  readonly keys: readonly string[]
  readonly parent_keys: readonly (readonly [string, number])[]
  readonly sightings: readonly {
    readonly source: string
    readonly session_id: string
    readonly seen_at: string
    readonly payload: unknown
  }[]
}

export interface SessionAccount {
  readonly events: number
  readonly kinds: { readonly [kind: string]: number }
  /** Covers (uuid, kind, session, turn, seq, time, payload) in the order of its turns. */
  readonly events_sha256: string
  /** Covers all other columns, the keys and the sightings of the same events. */
  readonly facts_sha256: string
}

export interface LogAccount {
  readonly events: number
  readonly kinds: { readonly [kind: string]: number }
  readonly sightings: number
  readonly keys: number
  /** Texts from which secrets were removed. */
  readonly redacted_events: number
  /** Covers the events in the order of the log. */
  readonly events_sha256: string
  readonly sessions: { readonly [session: string]: SessionAccount }
}

/** The columns of an event that do not identify it; an upgrade may change `schema_version`. */
const FACTS = [
  'agent_id',
  'parent_uuid',
  'source',
  'ts_monotonic',
  'duration_ms',
  'success',
  'error_message',
  'request_id',
  'user_id',
  'project',
] as const

/**
 * Summarizes events in the order of the log. Events of sessions in `unnamed` got new uuids when they were restored from the
 * spool, so their uuids and data derived from them are left out.
 */
export function accountOfLog(log: Iterable<LoggedEvent>, unnamed: ReadonlySet<string> = new Set()): LogAccount {
  const whole = createHash('sha256')
  const bySession = new Map<string, LoggedEvent[]>()
  const total = { events: 0, kinds: {} as Record<string, number>, sightings: 0, keys: 0, redacted_events: 0 }
  for (const one of log) {
    const { session_id, kind, payload } = one.event
    total.events += 1
    total.kinds[kind] = (total.kinds[kind] ?? 0) + 1
    total.sightings += one.sightings.length
    total.keys += one.keys.length
    if (JSON.stringify(payload).includes('[redacted:')) total.redacted_events += 1
    if (!unnamed.has(session_id)) addEvent(whole, one, false)
    const known = bySession.get(session_id)
    if (known) known.push(one)
    else bySession.set(session_id, [one])
  }
  const sessions = [...bySession]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([session, events]) => [session, accountOfSession(events, unnamed.has(session))] as const)
  return {
    ...total,
    kinds: sortedFields(total.kinds),
    events_sha256: whole.digest('hex'),
    sessions: Object.fromEntries(sessions),
  }
}

function accountOfSession(events: readonly LoggedEvent[], isUnnamed: boolean): SessionAccount {
  const kinds: Record<string, number> = {}
  const [named, facts] = [createHash('sha256'), createHash('sha256')]
  for (const one of events.toSorted((a, b) => a.event.turn_id - b.event.turn_id || a.event.seq - b.event.seq)) {
    kinds[one.event.kind] = (kinds[one.event.kind] ?? 0) + 1
    addEvent(named, one, isUnnamed)
    addFacts(facts, one, isUnnamed)
  }
  return {
    events: events.length,
    kinds: sortedFields(kinds),
    events_sha256: named.digest('hex'),
    facts_sha256: facts.digest('hex'),
  }
}

function addEvent(hash: Hash, { event }: LoggedEvent, isUnnamed: boolean): void {
  const { uuid, kind, session_id, turn_id, seq, ts_wall, payload } = event
  hash.update(`${canonical([isUnnamed ? null : uuid, kind, session_id, turn_id, seq, ts_wall, payload])}\n`)
}

function addFacts(hash: Hash, { event, keys, parent_keys, sightings }: LoggedEvent, isUnnamed: boolean): void {
  const columns = FACTS.map((name) => (isUnnamed && name === 'parent_uuid' ? null : event[name]))
  const commonFields = sightings.map((one) => [one.source, one.session_id, one.seen_at, one.payload])
  hash.update(`${canonical([columns, isUnnamed ? [] : keys.toSorted(), parent_keys, commonFields])}\n`)
}

/** Serializes a value as JSON with a fixed order of fields. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) =>
    field !== null && typeof field === 'object' && !Array.isArray(field)
      ? sortedFields(field as { readonly [name: string]: unknown })
      : field,
  )
}

function sortedFields<T>(fields: { readonly [name: string]: T }): { [name: string]: T } {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Replaces the hashes of blocks in a request's payload with their texts, since another key gives other hashes; null for a
 * missing text.
 */
export function withBlockTexts(payload: unknown, textOf: (hash: string) => string | null): unknown {
  const { request } = payload as { readonly request?: StoredBlocks | null }
  if (request === undefined || request === null) return payload
  const texts = (hashes: readonly string[]) => hashes.map(textOf)
  return {
    ...(payload as object),
    request: {
      ...request,
      add: request.add.map((message) => ({ ...message, blocks: texts(message.blocks) })),
      system: texts(request.system),
      tools: texts(request.tools),
    },
  }
}

interface StoredBlocks {
  readonly add: readonly { readonly blocks: readonly string[] }[]
  readonly system: readonly string[]
  readonly tools: readonly string[]
}
