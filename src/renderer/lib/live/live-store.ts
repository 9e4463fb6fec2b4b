import type { HeldRequest } from '../../../shared/contract/guard.ts'
import type { LiveBatch } from '../../../shared/contract/live.ts'
import type { Correction, EventSummary } from '../../../shared/live-feed.ts'
import { createTurnState, type LiveSession, type TurnState } from '../../../shared/turn-state.ts'
import { type LiveBlock, withDelta, withoutWritten } from './live-block.ts'
import { createRingBuffer } from './ring-buffer.ts'

/** State of the live feed. Each batch replaces the object, so that one batch causes one React commit. */
export interface LiveSnapshot {
  readonly status: 'connecting' | 'open' | 'lost'
  readonly error: Error | null
  /** Increases by one with each batch. */
  readonly batch: number
  /** Events received since the window opened. */
  readonly received: number
  readonly missed: number
  readonly blocks: readonly LiveBlock[]
  readonly sessions: readonly LiveSession[]
  readonly costUsd: number
  /** Requests that wait for a decision; empty while the feed is lost. */
  readonly held: readonly HeldRequest[]
  /** Time of the newest event received; null before the first. */
  readonly lastEventAt: string | null
}

interface FollowedSession {
  readonly turn: TurnState
  /** Last log id that the server's initial turn state already includes. */
  readonly through: number
}

const MAX_EVENTS = 4000
const MAX_SESSIONS = 50
const MAX_CLOSED = 200
const BLOCK_SILENCE_MS = 300_000
const RATE_WINDOW_MS = 10_000

/** The newest events of the live feed, and the figures of them. Opens no connection; live-connection.ts feeds it. */
export class LiveStore {
  readonly #events = createRingBuffer<EventSummary>(MAX_EVENTS)
  readonly #listeners = new Set<() => void>()
  readonly #sessions = new Map<string, FollowedSession>()
  /** Blocks whose event has arrived and exchanges that have ended. Late text for them is ignored. */
  readonly #closed = createRingBuffer<string>(MAX_CLOSED)
  readonly #corrected = new Map<string, Correction>()
  #arrivals: { readonly at: number; readonly count: number }[] = []
  #blocks: readonly LiveBlock[] = []
  #lastId: number | null = null
  #snapshot: LiveSnapshot = {
    status: 'connecting',
    error: null,
    batch: 0,
    received: 0,
    missed: 0,
    blocks: this.#blocks,
    sessions: [],
    costUsd: 0,
    held: [],
    lastEventAt: null,
  }

  // React calls these two without a receiver.
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
  readonly getSnapshot = (): LiveSnapshot => this.#snapshot

  /** Returns the buffered events that `keep` accepts, oldest first, in whichever order they were recorded. */
  events(keep: (event: EventSummary) => boolean): EventSummary[] {
    return this.#events
      .filter((event) => this.#isShown(event) && keep(event))
      .map((event) => this.#settled(event))
      .toSorted((one, other) => (one.ts_wall < other.ts_wall ? -1 : one.ts_wall > other.ts_wall ? 1 : 0))
  }

  /** Returns events per second over the last ten seconds. */
  rate(now: number): number {
    const recent = this.#arrivals.filter((arrival) => now - arrival.at < RATE_WINDOW_MS)
    return recent.reduce((sum, arrival) => sum + arrival.count, 0) / (RATE_WINDOW_MS / 1000)
  }

  /** Applies one batch of the stream. */
  accept(batch: LiveBatch, now: number): void {
    let fresh = 0
    let cost = this.#snapshot.costUsd
    let { lastEventAt } = this.#snapshot
    // The last piece of a block arrives before its event.
    for (const delta of batch.deltas) {
      const key = `${delta.exchange_id}:${delta.index}`
      if (this.#closed.filter((known) => known === key || known === delta.exchange_id).length === 0)
        this.#blocks = withDelta(this.#blocks, key, delta, now)
    }
    for (const known of batch.turns?.sessions ?? [])
      this.#follow(known.session_id, { turn: createTurnState(known), through: batch.turns?.through ?? 0 })
    for (const event of batch.events) {
      if (!this.#acceptEvent(event)) continue
      if (lastEventAt === null || event.ts_wall > lastEventAt) lastEventAt = event.ts_wall
      if (now - Date.parse(event.ts_wall) < RATE_WINDOW_MS) fresh += 1
      cost += event.kind === 'api_usage' ? (event.cost_usd ?? 0) : 0
    }
    for (const correction of batch.corrected ?? []) {
      this.#corrected.set(correction.uuid, correction)
      this.#sessions.get(correction.session_id)?.turn.correct(correction)
    }
    this.#blocks = this.#blocks.filter((block) => now - block.touched_at < BLOCK_SILENCE_MS)
    this.#arrivals = [
      ...this.#arrivals.filter((arrival) => now - arrival.at < RATE_WINDOW_MS),
      { at: now, count: fresh },
    ]
    for (const id of this.#sessions.keys()) {
      if (this.#sessions.size <= MAX_SESSIONS) break
      this.#sessions.delete(id)
    }
    this.#publish({
      status: 'open',
      error: null,
      batch: this.#snapshot.batch + 1,
      received: this.#events.total,
      missed: this.#snapshot.missed + (batch.missed ?? 0),
      blocks: this.#blocks,
      sessions: [...this.#sessions.values()].flatMap(({ turn }) => turn.state ?? []),
      costUsd: cost,
      held: batch.held ?? this.#snapshot.held,
      lastEventAt,
    })
  }

  setStatus(status: LiveSnapshot['status'], error: Error | null = null): void {
    if (status === this.#snapshot.status && error === this.#snapshot.error) return
    // The first batch of the next feed reports the waiting requests.
    this.#publish({ status, error, ...(status === 'lost' ? { held: [] } : {}) })
  }

  /** Returns the log id of the newest event, to resume from, or null before the first event. */
  lastEventId(): number | null {
    return this.#lastId
  }

  /** Returns false for text that the client wrote itself and another source took for a prompt. */
  #isShown({ uuid }: EventSummary): boolean {
    return this.#corrected.get(uuid)?.is_prompt !== false
  }

  #settled(event: EventSummary): EventSummary {
    const correction = this.#corrected.get(event.uuid)
    return correction === undefined ? event : { ...event, text: correction.text }
  }

  /** Returns false for an event that is already known. */
  #acceptEvent(event: EventSummary): boolean {
    // After a reconnect, the server may repeat known events.
    if (this.#lastId !== null && event.id <= this.#lastId) return false
    this.#lastId = event.id
    this.#events.push(event)
    const session = this.#sessions.get(event.session_id) ?? { turn: createTurnState(), through: 0 }
    if (event.id > session.through) session.turn.apply(event)
    this.#follow(event.session_id, session)
    const left = withoutWritten(this.#blocks, event)
    for (const block of this.#blocks) if (!left.includes(block)) this.#closed.push(block.key)
    if (event.kind === 'model_response' && event.exchange_id !== undefined) this.#closed.push(event.exchange_id)
    this.#blocks = left
    return true
  }

  /** Puts a session last in the map, whose first entries are evicted. */
  #follow(id: string, session: FollowedSession): void {
    this.#sessions.delete(id)
    this.#sessions.set(id, session)
  }

  #publish(change: Partial<LiveSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...change }
    for (const listener of this.#listeners) listener()
  }
}
