import type { AnyEvent, Json, JsonObject, StoredMessage, StoredRequest } from '../../../shared/event.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import type { Redactor } from '../../redaction/redactor.ts'
import type { WritableDb } from '../database/connection.ts'
import type { Contents } from '../log/contents.ts'
import { occurrence, textKeyPrefix } from '../identity/text-keys.ts'
import { eventOfRow, type EventRow, type Log, type Sighting } from '../log/log.ts'
import {
  archiveMarkOf,
  packPayload,
  shownField,
  unpackPayload,
  withArchiveMark,
  type PackOptions,
} from '../log/payload.ts'
import { firstLine } from '../projections/session-row.ts'
import { createRelease, namedContents } from '../log/release-contents.ts'
import { payloadToStore } from '../log/event-payload.ts'

export interface RedactEventsParts {
  readonly db: WritableDb
  readonly log: Log
  readonly contents: Contents
  /** The store's keyed hash. */
  readonly hash: (text: string) => string
  readonly redactor: Redactor
}

/** An event of the log as redacted by the current rules, and its sightings. */
export interface RedactedEvent {
  readonly event: AnyEvent
  readonly sightings: readonly Sighting[]
}

/**
 * Redacts rows of the log: payload, error, project, sightings, the contents they refer to and the keys made from their
 * text. Runs within a transaction in which the log is open.
 */
export class EventRedaction {
  readonly #parts: RedactEventsParts
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(parts: RedactEventsParts) {
    this.#parts = parts
    this.#statements = prepareStatements(parts.db)
  }

  /** Redacts rows in the order of the log and returns the events that changed. A message's blocks must come together. */
  redact(rows: readonly EventRow[]): readonly RedactedEvent[] {
    const { contents, redactor } = this.#parts
    const events = rows.map((row) => eventOfRow(row, contents.get))
    // The blocks of an answer are redacted together, as they were when they were recorded.
    const joined = redactor.neighbours(events as unknown as readonly AnyDraft[]) as unknown as readonly AnyEvent[]
    return rows.flatMap((row, at) => {
      const event = events[at]
      return event === undefined ? [] : (this.#redactOne(row, event, joined[at] ?? event) ?? [])
    })
  }

  /** Packs a payload again: its contents first, so that unchanged ones are never released in between. */
  #repack(old: string, payload: object, options: PackOptions = {}): string {
    const packed = packPayload(payload, this.#parts.contents.keep, options)
    this.#parts.contents.refer(packed.references)
    this.#statements.release(namedContents(old))
    const mark = archiveMarkOf(old)
    return mark === null ? packed.json : withArchiveMark(packed.json, mark)
  }

  /** Redacts the blocks of a message together; changed blocks get new hashes. */
  #keptBlocks(hashes: readonly string[]): readonly string[] {
    const texts = hashes.map((id) => this.#parts.contents.get(id))
    if (texts.some((text) => text === null)) return hashes
    const parts = texts.map((text) => JSON.parse(text ?? 'null') as Json)
    const redacted = this.#parts.redactor.json(parts)
    return redacted === parts
      ? hashes
      : hashes.map((id, at) =>
          redacted[at] === parts[at] ? id : this.#parts.contents.keep(JSON.stringify(redacted[at])),
        )
  }

  #redactRequest(request: StoredRequest): StoredRequest {
    const system = this.#keptBlocks(request.system)
    const tools = request.tools.flatMap((tool) => this.#keptBlocks([tool]))
    let changed = !same(system, request.system) || !same(tools, request.tools)
    const add = request.add.map((message): StoredMessage => {
      const blocks = this.#keptBlocks(message.blocks)
      if (same(blocks, message.blocks)) return message
      changed = true
      return { ...message, blocks }
    })
    return changed ? { ...request, add, system, tools } : request
  }

  #redactPayload(event: AnyEvent): JsonObject {
    // The request first: hashes are not secrets, and their blocks are redacted as they were when the request was
    // stored.
    let payload = event.payload as JsonObject
    if (event.kind === 'model_request' && event.payload.request !== null) {
      const request = this.#redactRequest(event.payload.request)
      if (request !== event.payload.request) payload = { ...payload, request: request as unknown as Json }
    }
    payload = this.#parts.redactor.json(payload)
    if (event.kind !== 'model_request' && event.kind !== 'model_response') return payload
    const headers = this.#parts.redactor.headers(event.payload.headers)
    return headers.length === event.payload.headers.length ? payload : { ...payload, headers }
  }

  /** Makes the event's text keys from the new text, so that the same text, redacted the same way, is recognized. */
  #renewKeys(event: AnyEvent, sightings: readonly Sighting[], before: string, after: string): void {
    const sessions = new Set([event.session_id, ...sightings.map(({ session_id }) => session_id)])
    const known = this.#statements.keysOf.all(event.uuid)
    for (const session_id of sessions) {
      const old = textKeyPrefix({ session_id, kind: event.kind }, before, this.#parts.hash)
      const next = textKeyPrefix({ session_id, kind: event.kind }, after, this.#parts.hash)
      for (const key of known.filter((entry) => entry.startsWith(old))) {
        this.#statements.removeKey.run(key)
        const last = this.#statements.lastKey.get(next, `${next.slice(0, -1)};`)
        this.#parts.log.addKey(next + occurrence(Number(last?.slice(next.length) ?? 0) + 1), event.id)
      }
    }
  }

  /** Shows the redactor a result's call: the output of reading a .env file is redacted as such. */
  #noteCall(callId: string): void {
    const json = this.#statements.callPayload.get(naturalKey.call(callId))
    const payload = json === undefined ? {} : unpackPayload(json, this.#parts.contents.get)
    if (payload['input'] !== undefined) this.#parts.redactor.json({ id: callId, input: payload['input'] })
  }

  #redactSightings(event: AnyEvent): { readonly all: readonly Sighting[]; readonly changed: boolean } {
    let changed = false
    const all = this.#parts.log.sightingsOf(event).map((sighting) => {
      if (sighting.payload === null) return sighting
      const payload =
        event.kind === 'tool_result'
          ? this.#asContent(event.payload.call_id, sighting.payload)
          : this.#parts.redactor.json(sighting.payload)
      if (payload === sighting.payload) return sighting
      changed = true
      this.#statements.updateSighting.run(
        this.#repack(this.#statements.sightingPayload.get(sighting.id) ?? '{}', payload),
        sighting.id,
      )
      return { ...sighting, payload }
    })
    return { all, changed }
  }

  /** Redacts a sighting of a result as that result's content. */
  #asContent(callId: string, content: JsonObject): JsonObject {
    return this.#parts.redactor.json({ tool_use_id: callId, content }).content
  }

  #redactOne(row: EventRow, event: AnyEvent, joined: AnyEvent): RedactedEvent | null {
    if (event.kind === 'tool_result') this.#noteCall(event.payload.call_id)
    const payload = this.#redactPayload(joined)
    const sightings = this.#redactSightings(event)
    const error = row.error_message === null ? null : this.#parts.redactor.text(row.error_message)
    const project = row.project === null ? null : this.#parts.redactor.text(row.project)
    const sameColumns = error === row.error_message && project === row.project
    if (payload === event.payload && sameColumns && !sightings.changed) return null
    const redacted = { ...event, payload, error_message: error, project } as AnyEvent
    const stored = payloadToStore(redacted)
    const { named } = stored
    const options = { named, shown: shownField(event.kind) }
    const json = payload === event.payload ? row.payload : this.#repack(row.payload, stored.payload, options)
    this.#statements.updateEvent.run(json, error, project, row.id)
    const [before, after] = [textOf(event), textOf(redacted)]
    if (before !== after) {
      this.#renewKeys(redacted, sightings.all, before, after)
      this.#statements.retitle.run(firstLine(after), row.session_id, firstLine(before))
    }
    return { event: redacted, sightings: sightings.all }
  }
}

function prepareStatements(db: WritableDb) {
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
  return { updateEvent, updateSighting, sightingPayload, keysOf, lastKey, removeKey, retitle, callPayload, release }
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((entry, at) => entry === other[at])

/** Returns the text that identifies an event or gave a session its title. */
function textOf(event: AnyEvent): string {
  const payload = event.payload as JsonObject
  const text = event.kind === 'state_change' ? payload['to'] : (payload['text'] ?? payload['last_text'])
  return typeof text === 'string' ? text : ''
}
