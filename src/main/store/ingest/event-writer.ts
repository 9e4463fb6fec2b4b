import { isoTime } from '../../base/iso-time.ts'
import { createUuids } from '../../base/uuids.ts'
import { naturalKey, type AnyDraft } from '../../decode/draft.ts'
import type { AnyEvent, JsonObject } from '../../../shared/event.ts'
import type { Correction } from '../../../shared/live-feed.ts'
import { onArchivedEvent } from '../archive/archived-payload.ts'
import type { Keys } from '../identity/keys.ts'
import type { Places } from '../identity/place.ts'
import { placedEvent } from '../identity/placed-event.ts'
import { addedByFirst, awaitedLater, sightingFields } from '../identity/sighting.ts'
import type { AnswersInProgress } from '../log/answers-in-progress.ts'
import type { Contents } from '../log/contents.ts'
import { correctionOf } from '../identity/correction.ts'
import { changedByStep } from '../log/limits.ts'
import { eventOfRow, type EventRow, type Log, type Sighting } from '../log/log.ts'
import { archiveMarkOf, packPayload, shownField, type PackOptions } from '../log/payload.ts'
import type { Requests } from '../log/requests.ts'
import { payloadToStore } from '../log/event-payload.ts'
import type { PreparedPayloads } from '../projections/prepared-payloads.ts'
import type { ProjectionSet } from '../projections/projection-set.ts'
import type { RebuildFollower } from '../rebuild/rebuild-follower.ts'

/** Decides whether a placed event is stored, and in which form. */
export type Accept = (event: AnyEvent) => AnyEvent | 'drop'

export interface EventWriterParts {
  readonly answersInProgress: Pick<AnswersInProgress, 'ended'>
  readonly log: Log
  readonly contents: Contents
  readonly keys: Keys
  readonly places: Places
  readonly requests: Requests
  readonly projections: ProjectionSet
  readonly follower: RebuildFollower
  readonly prepared: PreparedPayloads | undefined
  readonly now: () => number
}

/** Writes drafts to log and projections, as new events or as sightings of known ones. Runs within a transaction. */
export class EventWriter {
  readonly #parts: EventWriterParts
  readonly #newUuid = createUuids()
  #lastId: number
  /** The last id before the current transaction. */
  #committedId: number

  constructor(parts: EventWriterParts) {
    this.#parts = parts
    this.#lastId = parts.log.arrivals.lastId()
    this.#committedId = this.#lastId
  }

  begin(): void {
    this.#committedId = this.#lastId
  }

  rollBack(): void {
    this.#lastId = this.#committedId
  }

  nextId(): number {
    this.#lastId += 1
    return this.#lastId
  }

  /** Returns the turn in which the draft would be. */
  turnOf(draft: AnyDraft): number {
    return this.#parts.places.find(draft).turn_id
  }

  /** True if a turn has not ended. */
  isOpen(sessionId: string, turn: number): boolean {
    return this.#parts.places.isOpen(sessionId, turn)
  }

  /** Adds a new event; returns null if a pipeline step dropped it. */
  add(draft: AnyDraft, accept?: Accept): AnyEvent | null {
    const { log, keys, places, requests, projections, now } = this.#parts
    const place = places.find(draft)
    const { user_id, project } = places.inherited(draft.session_id)
    const uuid = draft.uuid === undefined || log.findKnown(draft.uuid) ? this.#newUuid() : draft.uuid
    const seen = isoTime(draft.ts_wall, now)
    const ts_wall = place.before !== undefined && place.before < seen ? place.before : seen
    const placed = placedEvent(this.#withToolName(draft), place, {
      id: this.#lastId + 1,
      uuid,
      ts_wall,
      user_id,
      project,
    })
    const answer = accept ? accept(placed) : placed
    if (answer === 'drop') return null
    // Only now: a step that filters by folder sees the client's own spelling.
    const event = withSpelling(changedByStep(placed, answer), this.#parts.places)
    const { payload, named } = payloadToStore(event)
    const isLine = keys.isLine(draft, uuid)
    log.addEvent(event, this.#pack(payload, { named, shown: shownField(event.kind) }), isLine)
    this.#lastId = event.id
    const given = keys.register(draft, event, isLine ? 'new line' : 'new')
    for (const [position, key] of place.awaited.entries()) log.addParentKey(key, event.uuid, position)
    places.take(draft, event.uuid, place)
    requests.note(event)
    projections.apply(event, { keys: given, awaited: place.awaited })
    // Compared with the draft's content, so that text removed by a step is not stored next to the event.
    this.#addSighting(draft, event, addedByFirst(draft, placed), 'first')
    if (event.kind === 'model_response' && event.source === 'wire') this.#endAnswer(event.payload.exchange_id)
    return event
  }

  #endAnswer(exchangeId: string | null): void {
    if (exchangeId !== null) this.#parts.answersInProgress.ended(exchangeId)
  }

  /**
   * Joins a draft to an event that is already stored. Returns the correction that it makes to a prompt; null for none.
   */
  sight(given: AnyDraft, known: EventRow): Correction | null {
    const draft = withSpelling(given, this.#parts.places)
    const { log, contents, keys, places, projections, follower } = this.#parts
    const linked = keys.register(draft, known, 'known').length > 0
    const awaited = awaitedLater(draft, known, keys, log)
    for (const [position, key] of awaited.entries()) log.addParentKey(key, known.uuid, 1000 + position)
    if (linked || awaited.length > 0) {
      projections.applyLinks(known.uuid)
      follower.applyLinks(known.uuid)
    }
    places.follow(draft, known)
    const event = eventOfRow(known, contents.get)
    const before = log.sightingsOf(known)
    const isArchived = archiveMarkOf(known.payload) !== null
    const fields = sightingFields(isArchived ? onArchivedEvent(draft) : draft, event, before)
    if (fields === 'nothing new') return null
    this.#addSighting(draft, event, fields, before)
    return correctionOf(event, { source: draft.source, session_id: draft.session_id, payload: fields }, before)
  }

  /** A source may show a result without its call: a later message of a thread, an MCP server's result. */
  #withToolName(draft: AnyDraft): AnyDraft {
    if (draft.kind !== 'tool_result' || draft.payload.tool_name !== null) return draft
    const { log, keys, contents } = this.#parts
    const known = keys.findByKey(naturalKey.call(draft.payload.call_id))
    const row = known === undefined ? undefined : log.byId(known.id)
    const call = row === undefined ? undefined : eventOfRow(row, contents.get)
    if (call?.kind !== 'tool_call') return draft
    return { ...draft, payload: { ...draft.payload, tool_name: call.payload.tool_name } }
  }

  #addSighting(
    draft: AnyDraft,
    event: AnyEvent,
    fields: JsonObject | null,
    before: readonly Sighting[] | 'first',
  ): void {
    const { log, projections, follower, now } = this.#parts
    const { source, session_id } = draft
    const sighting = { uuid: event.uuid, source, session_id, seen_at: isoTime(draft.ts_wall, now) }
    const payload = fields && this.#keepJson(fields)
    const id =
      before === 'first' ? log.addFirstSighting(event, sighting, payload) : log.addSighting(event, sighting, payload)
    // Such a sighting adds nothing to the event.
    if (before === 'first' && fields === null) return
    const added = { ...sighting, id, payload: fields }
    const earlier = before === 'first' ? [] : before
    projections.applySighting(event, added, earlier)
    follower.applySighting(event, added, earlier)
  }

  /** Stores the contents that a payload refers to, and returns its JSON: in UTF-8 if it was prepared. */
  #pack(payload: object, options: PackOptions): string | Uint8Array {
    const { contents, prepared } = this.#parts
    const known = prepared?.of(payload)
    if (known === undefined) return this.#keepJson(payload, options)
    contents.refer(known.references, known.contents)
    return known.json
  }

  #keepJson(payload: object, options: PackOptions = {}): string {
    const { contents } = this.#parts
    const { json, references } = packPayload(payload, contents.keep, options)
    contents.refer(references)
    return json
  }
}

/** Gives a draft or an event the stored spelling of its folder. */
function withSpelling<Fact extends { readonly project?: string | null }>(fact: Fact, places: Places): Fact {
  const project = places.spelled(fact.project ?? null)
  return project === null || project === fact.project ? fact : { ...fact, project }
}
