import type { AnyEvent, Json, JsonObject, StoredMessage, StoredRequest } from '../../../shared/event.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Contents } from '../log/contents.ts'
import { occurrence, textKeyPrefix } from '../identity/keys.ts'
import { eventOfRow, type EventRow, type Log, type Sighting } from '../log/log.ts'
import { archiveMarkOf, packPayload, unpackPayload, withArchiveMark } from '../log/payload.ts'
import { firstLine } from '../projections/session-row.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { storedPayload } from '../log/stored-request.ts'

export interface RedactEventsParts {
  readonly db: WritableDb
  readonly log: Log
  readonly contents: Contents
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
  readonly redactor: Redactor
}

/** An event of the log as it reads by the rules now in force, and its sightings. */
export interface RedactedEvent {
  readonly event: AnyEvent
  readonly sightings: readonly Sighting[]
}

/**
 * Redacts rows of the log: payload, error, project, sightings, the contents they name and the keys drawn from their text.
 * Gives the events that changed. Runs within a transaction in which the log is open.
 */
export function createEventRedaction({ db, log, contents, hash, redactor }: RedactEventsParts) {
  const updateEvent = db.prepare<[string, string | null, string | null, number]>(
    'UPDATE events SET payload = ?, error_message = ?, project = ? WHERE id = ?',
  )
  const updateSighting = db.prepare<[string, number]>('UPDATE sighting_rows SET payload = ? WHERE id = ?')
  const sightingPayload = db.prepare<[number], string | null>('SELECT payload FROM sighting_rows WHERE id = ?').pluck()
  const keysOf = db.prepare<[string], string>('SELECT key FROM event_keys WHERE uuid = ?').pluck()
  const lastKey = db
    .prepare<[string, string], string>('SELECT key FROM key_rows WHERE key >= ? AND key < ? ORDER BY key DESC LIMIT 1')
    .pluck()
  const removeKey = db.prepare<[string]>('DELETE FROM key_rows WHERE key = ?')
  const retitle = db.prepare<[string, string, string]>('UPDATE sessions SET title = ? WHERE id = ? AND title = ?')
  const callPayload = db
    .prepare<[string], string>(
      "SELECT e.payload FROM key_rows k JOIN events e ON e.id = k.event_id WHERE k.key = ? AND e.kind = 'tool_call'",
    )
    .pluck()
  const release = createRelease(db)

  /** Writes a payload anew: its contents first, so that what stays the same is never gone in between. */
  function repack(old: string, payload: object, named: readonly string[] = []): string {
    const packed = packPayload(payload, contents.keep, named)
    contents.refer(packed.references)
    release(namedContents(old))
    const mark = archiveMarkOf(old)
    return mark === null ? packed.json : withArchiveMark(packed.json, mark)
  }

  /** The blocks of a message redacted as one; those that changed under new hashes. */
  function keptBlocks(hashes: readonly string[]): readonly string[] {
    const texts = hashes.map((id) => contents.get(id))
    if (texts.some((text) => text === null)) return hashes
    const parts = texts.map((text) => JSON.parse(text ?? 'null') as Json)
    const redacted = redactor.json(parts)
    return redacted === parts
      ? hashes
      : hashes.map((id, at) => (redacted[at] === parts[at] ? id : contents.keep(JSON.stringify(redacted[at]))))
  }

  function redactRequest(request: StoredRequest): StoredRequest {
    const system = keptBlocks(request.system)
    const tools = request.tools.flatMap((tool) => keptBlocks([tool]))
    let changed = !same(system, request.system) || !same(tools, request.tools)
    const add = request.add.map((message): StoredMessage => {
      const blocks = keptBlocks(message.blocks)
      if (same(blocks, message.blocks)) return message
      changed = true
      return { ...message, blocks }
    })
    return changed ? { ...request, add, system, tools } : request
  }

  function redactPayload(event: AnyEvent): JsonObject {
    // First the request: hashes are no secrets, and the blocks behind them are redacted as they were when it was stored.
    let payload = event.payload as JsonObject
    if (event.kind === 'model_request' && event.payload.request !== null) {
      const request = redactRequest(event.payload.request)
      if (request !== event.payload.request) payload = { ...payload, request: request as unknown as Json }
    }
    payload = redactor.json(payload)
    if (event.kind !== 'model_request' && event.kind !== 'model_response') return payload
    const headers = redactor.headers(event.payload.headers)
    return headers.length === event.payload.headers.length ? payload : { ...payload, headers }
  }

  /** What identifies the event by its text is drawn from the new text: the same text, redacted alike, is known again. */
  function renewKeys(event: AnyEvent, sightings: readonly Sighting[], before: string, after: string): void {
    const sessions = new Set([event.session_id, ...sightings.map(({ session_id }) => session_id)])
    const known = keysOf.all(event.uuid)
    for (const session_id of sessions) {
      const old = textKeyPrefix({ session_id, kind: event.kind }, before, hash)
      const next = textKeyPrefix({ session_id, kind: event.kind }, after, hash)
      for (const key of known.filter((entry) => entry.startsWith(old))) {
        removeKey.run(key)
        const last = lastKey.get(next, `${next.slice(0, -1)};`)
        log.addKey(next + occurrence(Number(last?.slice(next.length) ?? 0) + 1), event.id)
      }
    }
  }

  /** What a result shows depends on what was called: a .env file is read as one, whenever its call was seen. */
  function noteCall(callId: string): void {
    const json = callPayload.get(naturalKey.call(callId))
    const payload = json === undefined ? {} : unpackPayload(json, contents.get)
    if (payload['input'] !== undefined) redactor.json({ id: callId, input: payload['input'] })
  }

  function redactSightings(event: AnyEvent): { readonly all: readonly Sighting[]; readonly changed: boolean } {
    let changed = false
    const all = log.sightingsOf(event).map((sighting) => {
      if (sighting.payload === null) return sighting
      const payload =
        event.kind === 'tool_result'
          ? asContent(event.payload.call_id, sighting.payload)
          : redactor.json(sighting.payload)
      if (payload === sighting.payload) return sighting
      changed = true
      updateSighting.run(repack(sightingPayload.get(sighting.id) ?? '{}', payload), sighting.id)
      return { ...sighting, payload }
    })
    return { all, changed }
  }

  /** What a source knew more of a result, read as that result's content. */
  function asContent(callId: string, content: JsonObject): JsonObject {
    return redactor.json({ tool_use_id: callId, content }).content
  }

  function redactOne(row: EventRow, event: AnyEvent, joined: AnyEvent): RedactedEvent | null {
    if (event.kind === 'tool_result') noteCall(event.payload.call_id)
    const payload = redactPayload(joined)
    const sightings = redactSightings(event)
    const error = row.error_message === null ? null : redactor.text(row.error_message)
    const project = row.project === null ? null : redactor.text(row.project)
    const sameColumns = error === row.error_message && project === row.project
    if (payload === event.payload && sameColumns && !sightings.changed) return null
    const redacted = { ...event, payload, error_message: error, project } as AnyEvent
    const stored = storedPayload(redacted)
    const json = payload === event.payload ? row.payload : repack(row.payload, stored.payload, stored.named)
    updateEvent.run(json, error, project, row.id)
    const [before, after] = [textOf(event), textOf(redacted)]
    if (before !== after) {
      renewKeys(redacted, sightings.all, before, after)
      retitle.run(firstLine(after), row.session_id, firstLine(before))
    }
    return { event: redacted, sightings: sightings.all }
  }

  /** Takes rows in the order of the log; a message's blocks must come together. */
  return (rows: readonly EventRow[]): readonly RedactedEvent[] => {
    const events = rows.map((row) => eventOfRow(row, contents.get))
    // The blocks of an answer are redacted as one, as they were when they were recorded; what they need they have here.
    const joined = redactor.neighbours(events as unknown as readonly AnyDraft[]) as unknown as readonly AnyEvent[]
    return rows.flatMap((row, at) => {
      const event = events[at]
      return event === undefined ? [] : (redactOne(row, event, joined[at] ?? event) ?? [])
    })
  }
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((entry, at) => entry === other[at])
}

/** The text that an event may be known by, or that a session's title was drawn from. */
function textOf(event: AnyEvent): string {
  const payload = event.payload as JsonObject
  const text = event.kind === 'state_change' ? payload['to'] : (payload['text'] ?? payload['last_text'])
  return typeof text === 'string' ? text : ''
}
