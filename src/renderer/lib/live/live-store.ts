import type { LiveBatch } from '../../../shared/contract/live.ts'
import type { Delta, EventSummary } from '../../../shared/live-feed.ts'
import { createTurnState, type LiveSession, type TurnState } from '../../../shared/turn-state.ts'
import { createRingBuffer } from './ring-buffer.ts'

/** A block that is being written. */
export interface LiveBlock {
  readonly key: string
  readonly exchange_id: string
  /** The block's name in its event: message and index; null where the message is not known. */
  readonly written_as: string | null
  readonly session_id: string
  readonly agent_id: string | null
  readonly block: Delta['block']
  readonly tool_name: string | null
  /** The newest part of the text, at most 8,000 characters. */
  readonly text: string
  /** Whole: it goes when its event comes. */
  readonly done: boolean
  readonly touched_at: number
}

/** What the window sees of the feed; a new object for each batch, so that one batch is one commit. */
export interface LiveSnapshot {
  readonly status: 'connecting' | 'open' | 'lost'
  readonly error: Error | null
  /** Grows by one with each batch. */
  readonly batch: number
  /** Events received since the window opened. */
  readonly received: number
  readonly missed: number
  readonly blocks: readonly LiveBlock[]
  readonly sessions: readonly LiveSession[]
  readonly costUsd: number
}

export interface LiveFeed {
  subscribe(listener: () => void): () => void
  getSnapshot(): LiveSnapshot
  /** Kept events that `keep` accepts, oldest first. */
  events(keep: (event: EventSummary) => boolean): EventSummary[]
  /** Events a second over the last ten seconds. */
  rate(now: number): number
  /** Takes one batch of the stream. */
  accept(batch: LiveBatch, now: number): void
  setStatus(status: LiveSnapshot['status'], error?: Error | null): void
  /** Log id of the newest event, to resume from; null before the first. */
  lastEventId(): number | null
}

const MAX_EVENTS = 4000
const MAX_SESSIONS = 50
const MAX_BLOCK_CHARACTERS = 8000
const MAX_OVER = 200
const BLOCK_SILENCE_MS = 300_000
const RATE_WINDOW_MS = 10_000

/** Makes the feed's store. It holds no connection: live-connection.ts fills it. */
export function createLiveFeed(): LiveFeed {
  const ring = createRingBuffer<EventSummary>(MAX_EVENTS)
  const listeners = new Set<() => void>()
  /** Their turns, and up to which log id those were read from the log. */
  const sessions = new Map<string, { readonly turn: TurnState; readonly through: number }>()
  let arrivals: { readonly at: number; readonly count: number }[] = []
  let blocks: readonly LiveBlock[] = []
  /** Blocks whose event has come, and exchanges that are over: pieces of their text that come late are not shown again. */
  const over = createRingBuffer<string>(MAX_OVER)
  let lastId: number | null = null
  let snapshot: LiveSnapshot = {
    status: 'connecting',
    error: null,
    batch: 0,
    received: 0,
    missed: 0,
    blocks,
    sessions: [],
    costUsd: 0,
  }

  const publish = (change: Partial<LiveSnapshot>) => {
    snapshot = { ...snapshot, ...change }
    for (const listener of listeners) listener()
  }

  function acceptEvent(event: EventSummary): number {
    // After a reconnection the server may begin with what is known already.
    if (lastId !== null && event.id <= lastId) return 0
    lastId = event.id
    ring.push(event)
    const session = sessions.get(event.session_id) ?? { turn: createTurnState(), through: 0 }
    if (event.id > session.through) session.turn.apply(event)
    sessions.delete(event.session_id)
    sessions.set(event.session_id, session)
    const left = withoutWritten(blocks, event)
    for (const block of blocks) if (!left.includes(block)) over.push(block.key)
    if (event.kind === 'model_response' && event.exchange_id !== undefined) over.push(event.exchange_id)
    blocks = left
    return 1
  }

  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    getSnapshot: () => snapshot,
    events: (keep) => ring.filter(keep),
    rate(now) {
      const recent = arrivals.filter((arrival) => now - arrival.at < RATE_WINDOW_MS)
      return recent.reduce((sum, arrival) => sum + arrival.count, 0) / (RATE_WINDOW_MS / 1000)
    },
    accept(batch, now) {
      let fresh = 0
      let cost = snapshot.costUsd
      // The last piece of a block stands before its event.
      for (const delta of batch.deltas) {
        const key = `${delta.exchange_id}:${delta.index}`
        if (over.filter((known) => known === key || known === delta.exchange_id).length === 0)
          blocks = withDelta(blocks, key, delta, now)
      }
      for (const known of batch.turns?.sessions ?? []) {
        sessions.delete(known.session_id)
        sessions.set(known.session_id, { turn: createTurnState(known), through: batch.turns?.through ?? 0 })
      }
      for (const event of batch.events) {
        if (acceptEvent(event) === 0) continue
        if (now - Date.parse(event.ts_wall) < RATE_WINDOW_MS) fresh += 1
        cost += event.kind === 'api_usage' ? (event.cost_usd ?? 0) : 0
      }
      blocks = blocks.filter((block) => now - block.touched_at < BLOCK_SILENCE_MS)
      arrivals = [...arrivals.filter((arrival) => now - arrival.at < RATE_WINDOW_MS), { at: now, count: fresh }]
      for (const id of sessions.keys()) {
        if (sessions.size <= MAX_SESSIONS) break
        sessions.delete(id)
      }
      publish({
        status: 'open',
        error: null,
        batch: snapshot.batch + 1,
        received: ring.total,
        missed: snapshot.missed + (batch.missed ?? 0),
        blocks,
        sessions: [...sessions.values()].flatMap(({ turn }) => turn.state ?? []),
        costUsd: cost,
      })
    },
    setStatus(status, error = null) {
      if (status !== snapshot.status || error !== snapshot.error) publish({ status, error })
    },
    lastEventId: () => lastId,
  }
}

/** The blocks after one more piece of text. */
function withDelta(blocks: readonly LiveBlock[], key: string, delta: Delta, now: number): readonly LiveBlock[] {
  const known = blocks.find((block) => block.key === key)
  const next: LiveBlock = {
    key,
    exchange_id: delta.exchange_id,
    written_as: delta.message_id === undefined ? null : `${delta.message_id}:${delta.index}`,
    session_id: delta.session_id,
    agent_id: delta.agent_id,
    block: delta.block,
    tool_name: delta.tool_name ?? known?.tool_name ?? null,
    text: ((known?.text ?? '') + delta.text).slice(-MAX_BLOCK_CHARACTERS),
    done: delta.done === true,
    touched_at: now,
  }
  return known ? blocks.map((block) => (block.key === key ? next : block)) : [...blocks, next]
}

/** The blocks that an event leaves: its own goes, and a response takes all that its exchange has written. */
function withoutWritten(blocks: readonly LiveBlock[], event: EventSummary): readonly LiveBlock[] {
  if (blocks.length === 0) return blocks
  if (event.kind === 'model_response') return blocks.filter((block) => block.exchange_id !== event.exchange_id)
  if (event.message_id === undefined || event.index === undefined) return blocks
  const written = `${event.message_id}:${event.index}`
  return blocks.some((block) => block.written_as === written)
    ? blocks.filter((block) => block.written_as !== written)
    : blocks
}
