import { type Batch, type BatchEvent, type BatchSession, MAX_BATCH_EVENTS } from '../../team/protocol/batch.ts'
import {
  changesAfter,
  isLeftOut,
  judgedAnswers,
  replicatedEvents,
  replicatedSessions,
  type Change,
  type ReplicatedEvent,
} from '../../store/read/changes.ts'
import type { Reader } from '../../store/read/reader.ts'
import type { BatchItems } from './batch-items.ts'

/** A batch ends at this many characters: a slow line must not lose much to a cut. */
const MAX_CHARACTERS = 4_000_000
/** Events read at a time: each may be large. */
const READ_AT_ONCE = 100

/** A batch without the fields that name its target, or null if the next change must wait. */
export interface NextBatch {
  readonly upTo: number
  readonly content: Pick<Batch, 'events' | 'sessions' | 'contents' | 'removed' | 'tombstones'>
  /** Events whose payload was too large to send. */
  readonly cut: number
  /** Events that no server would accept, such as one with a time in the year 10000. */
  readonly refused: number
}

export interface NextBatchOptions {
  readonly items: BatchItems
  /** Changes in one batch, at most. */
  readonly limit: number
}

/**
 * Reads the next changes and builds a batch of their results: an event that changed twice is sent once, in its current
 * state. Returns null if there is nothing, or if the deletion of the next event's session is pending.
 */
export function nextBatch(reader: Reader, after: number, { items, limit }: NextBatchOptions): NextBatch | null {
  const changes = changesAfter(reader, after, Math.min(limit, MAX_BATCH_EVENTS))
  const builder = new Builder(items)
  let upTo = after
  for (let at = 0; at < changes.length && !builder.isFull; at += READ_AT_ONCE) {
    const done = addAll(reader, builder, changes.slice(at, at + READ_AT_ONCE))
    if (done === null) break
    upTo = done.upTo
    if (done.isHeld) break
  }
  return upTo === after ? null : { upTo, content: builder.finish(reader), cut: builder.cut, refused: builder.refused }
}

function addAll(reader: Reader, builder: Builder, changes: readonly Change[]) {
  const ids = [
    ...new Set(changes.flatMap(({ kind, event_id }) => (kind === 'removal' || event_id === null ? [] : [event_id]))),
  ]
  const found = new Map([...replicatedEvents(reader, ids)].map((one) => [one.event.id, one]))
  let upTo: number | null = null
  let isHeld = false
  for (const { position, kind, event_id, name } of changes) {
    if (kind === 'tombstone') builder.tombstone(name ?? '')
    else if (kind === 'removal') builder.remove(name ?? '')
    else if (kind === 'session') builder.session(name ?? '')
    else if (event_id !== null) {
      const event = found.get(event_id)
      if (event !== undefined) builder.event(event, position)
      else if (isLeftOut(reader, event_id)) {
        isHeld = true
        break
      }
    }
    upTo = position
    if (builder.isHeavy) {
      isHeld = true
      break
    }
  }
  if (upTo === null) return null
  addJudged(reader, builder, [...found.values()], upTo)
  return { upTo, isHeld }
}

/** Adds the answers that the ledger judged with one of these responses: they may have been sent before. */
function addJudged(reader: Reader, builder: Builder, found: readonly ReplicatedEvent[], position: number): void {
  const exchanges = found.flatMap(({ event: { kind, payload } }) =>
    kind === 'model_response' && typeof payload['exchange_id'] === 'string' ? [payload['exchange_id']] : [],
  )
  const known = new Set(found.map(({ event }) => event.id))
  const ids = judgedAnswers(reader, exchanges).filter((id) => !known.has(id))
  for (const answer of replicatedEvents(reader, ids)) builder.event(answer, position)
}

class Builder {
  readonly #items: BatchItems
  readonly #events = new Map<string, BatchEvent>()
  readonly #contents = new Map<string, string>()
  readonly #sessions = new Set<string>()
  readonly #removed = new Set<string>()
  readonly #tombstones = new Set<string>()
  #characters = 0
  cut = 0
  refused = 0

  constructor(items: BatchItems) {
    this.#items = items
  }

  get isHeavy(): boolean {
    return this.#characters >= MAX_CHARACTERS
  }

  /** True if the next changes may not fit, with an answer that was judged for each. */
  get isFull(): boolean {
    return this.isHeavy || this.#events.size > MAX_BATCH_EVENTS - 2 * READ_AT_ONCE
  }

  event(replicated: Parameters<BatchItems['event']>[0], position: number): void {
    const { event } = replicated
    const item = this.#items.event(replicated, position)
    if (item === 'refused') this.refused += 1
    if (item === null || item === 'refused') return
    this.#events.set(event.uuid, item.event)
    for (const [hash, text] of item.contents) this.#contents.set(hash, text)
    this.#sessions.add(event.session_id)
    this.#characters += item.characters
    if (item.isCut) this.cut += 1
  }

  session(id: string): void {
    this.#sessions.add(id)
  }

  remove(uuid: string): void {
    this.#events.delete(uuid)
    this.#removed.add(this.#items.eventKey(uuid))
  }

  tombstone(sessionId: string): void {
    this.#tombstones.add(this.#items.sessionKey(sessionId))
  }

  finish(reader: Reader): NextBatch['content'] {
    const sessions = replicatedSessions(reader, [...this.#sessions]).flatMap((session): BatchSession[] => {
      const item = this.#items.session(session)
      return item === null ? [] : [item]
    })
    // An event that was removed and recorded again keeps its uuid, so its current state counts.
    const present = new Set([...this.#events.keys()].map((uuid) => this.#items.eventKey(uuid)))
    return {
      events: [...this.#events.values()],
      sessions,
      contents: [...this.#contents].map(([hash, content]) => ({ hash, content })),
      removed: [...this.#removed].filter((key) => !present.has(key)),
      tombstones: [...this.#tombstones],
    }
  }
}
