import { setTimeout as pause } from 'node:timers/promises'
import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import type { HeldRequest } from '../../shared/contract/guard.ts'
import type { LiveBatch, ServiceNews } from '../../shared/contract/live.ts'
import type { EventKind } from '../../shared/event.ts'
import type { Correction, Delta, EventSummary } from '../../shared/live-feed.ts'
import type { RunningTurns } from '../../shared/turn-state.ts'
import { createLiveBuffer, type LiveBuffer } from './live-buffer.ts'

export interface LiveInterest {
  readonly session_id?: string | undefined
  readonly kinds?: readonly EventKind[] | undefined
  /** Log id of the last event received. If absent, the feed starts now. */
  readonly last_event_id?: number | undefined
  /** Start with the state of the running turns. */
  readonly turns?: boolean
}

/** Reads events after a log id (up to and including `upTo`), oldest first, and how many more there are. */
export type Backfill = (
  interest: LiveInterest,
  after: number,
  upTo: number | null,
) => Promise<{ readonly events: readonly EventSummary[]; readonly more: number }>

export type LiveHub = ReturnType<typeof createLiveHub>

export interface LiveHubOptions {
  /** Reads events that are no longer in the ring. */
  readonly backfill: Backfill
  /** Reads the state of the running turns. null: it is not available, and the feed continues without it. */
  readonly runningTurns?: (sessionId: string | undefined) => Promise<RunningTurns | null>
  /** Number of recent events kept for readers that reconnect. */
  readonly ringSize?: number
  /** Bounds the events that wait for one reader. */
  readonly maxWaiting?: number
  /** Minimum time between two batches to one reader, in ms. */
  readonly intervalMs?: number
}

/** Bounds the events in one batch of the backfill. */
const BATCH_EVENTS = 250

interface Subscriber {
  readonly interest: LiveInterest
  readonly buffer: LiveBuffer
  wake: () => void
}

/** Delivers the live feed to readers, each at its own pace. None can hold up another or the recorder. */
export function createLiveHub(options: LiveHubOptions) {
  const { backfill, runningTurns, ringSize = 2000, maxWaiting = 1000, intervalMs = 100 } = options
  const ring: EventSummary[] = []
  const subscribers = new Set<Subscriber>()
  let held: readonly HeldRequest[] = []
  const closing = new AbortController()

  /** Returns the log id after which the ring has every event; null while it is empty. */
  const beforeRing = (): number | null => (ring[0] === undefined ? null : ring[0].id - 1)

  async function resume(interest: LiveInterest, after: number) {
    const start = beforeRing()
    const kept = ring.filter((event) => event.id > after && isWanted(event, interest))
    if (start !== null && after >= start) return { events: kept, more: 0 }
    const older = await backfill(interest, after, start)
    return { events: [...older.events, ...kept], more: older.more }
  }

  async function* read(interest: LiveInterest, outer: AbortSignal): AsyncGenerator<LiveBatch> {
    const signal = AbortSignal.any([outer, closing.signal])
    const buffer = createLiveBuffer({ maxEvents: maxWaiting, maxDeltaLength: 256 * 1024 })
    const subscriber: Subscriber = { interest, buffer, wake: () => undefined }
    // Subscribes before the backfill, so that no event is lost between the two.
    subscribers.add(subscriber)
    const stop = () => subscriber.wake()
    signal.addEventListener('abort', stop)
    try {
      const turns = interest.turns === true ? await runningTurns?.(interest.session_id) : null
      let opening = openingOf(interest, turns ?? null, held)
      const withOpening = (batch: LiveBatch): LiveBatch => {
        const opened = { ...batch, ...opening }
        opening = null
        return opened
      }
      let last = 0
      if (interest.last_event_id !== undefined) {
        const { events, more } = await resume(interest, interest.last_event_id)
        last = events.at(-1)?.id ?? interest.last_event_id
        if (await isAhead(last, ring, backfill)) last = 0
        if (more > 0) yield withOpening({ events: [], deltas: [], missed: more })
        for (let from = 0; from < events.length; from += BATCH_EVENTS) {
          yield withOpening({ events: events.slice(from, from + BATCH_EVENTS), deltas: [] })
        }
      }
      if (opening !== null) yield withOpening({ events: [], deltas: [] })
      while (!signal.aborted) {
        if (buffer.isEmpty) {
          await new Promise<void>((resolve) => {
            subscriber.wake = resolve
          })
          continue
        }
        const { events, ...rest } = buffer.take()
        const fresh = events.filter((event) => event.id > last)
        last = Math.max(last, fresh.at(-1)?.id ?? 0)
        const isMore = rest.deltas.length > 0 || Object.keys(rest).length > 1
        if (fresh.length > 0 || isMore) yield { events: fresh, ...rest }
        await pause(intervalMs, undefined, { signal }).catch(ignoreAbort)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      subscribers.delete(subscriber)
    }
  }

  return {
    /** Publishes committed events, and text as it is written. */
    publish(events: readonly EventSummary[], deltas: readonly Delta[], corrected: readonly Correction[] = []) {
      for (const event of events) ring.push(event)
      if (ring.length > ringSize) ring.splice(0, ring.length - ringSize)
      for (const { interest, buffer, wake } of subscribers) {
        buffer.add(
          events.filter((event) => isWanted(event, interest)),
          deltas.filter((delta) => isOf(delta.session_id, interest)),
        )
        buffer.addCorrected(corrected.filter(({ session_id }) => isOf(session_id, interest)))
        if (!buffer.isEmpty) wake()
      }
    },
    /** Sends budgets that have just reached a mark to every reader. */
    reportBudgets: (reached: readonly BudgetStatus[]) => tellAll(subscribers, (buffer) => buffer.addBudgets(reached)),
    /** Sends news about limits and about how requests are served to every reader. */
    reportNews: (news: readonly ServiceNews[]) => tellAll(subscribers, (buffer) => buffer.addNews(news)),
    /** Sends the requests that wait for a decision to every reader, each limited to its session. */
    reportHeld(now: readonly HeldRequest[]) {
      held = now
      tellAll(subscribers, (buffer, interest) => buffer.setHeld(heldFor(interest, now)))
    },
    /** Streams matching events from now or from a log id on. Ends when the signal aborts or the hub closes. */
    subscribe: read,
    get readers() {
      return subscribers.size
    },
    close: () => closing.abort(),
  }
}

/**
 * Returns whether the log has no event with this id although the feed has not reached it: a backup was restored since
 * the reader left, or that event was deleted. New events then get lower ids than the one the reader knows.
 */
async function isAhead(id: number, ring: readonly EventSummary[], backfill: Backfill): Promise<boolean> {
  if (id === 0 || id <= (ring.at(-1)?.id ?? 0)) return false
  return (await backfill({}, id - 1, id)).events.length === 0
}

const isOf = (sessionId: string, { session_id }: LiveInterest): boolean =>
  session_id === undefined || session_id === sessionId

const isWanted = (event: EventSummary, interest: LiveInterest): boolean =>
  isOf(event.session_id, interest) && (interest.kinds?.includes(event.kind) ?? true)

function ignoreAbort(error: unknown): void {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
}

/**
 * Returns the content of a reader's first batch. null: it waits for none. A reader that asked for the running turns
 * does, also while nothing runs.
 */
function openingOf(interest: LiveInterest, turns: RunningTurns | null, held: readonly HeldRequest[]) {
  const own = heldFor(interest, held)
  if (interest.turns !== true && own.length === 0) return null
  const isRunning = turns !== null && turns.sessions.length > 0
  return { ...(isRunning ? { turns } : {}), ...(own.length > 0 ? { held: own } : {}) }
}

const heldFor = ({ session_id }: LiveInterest, held: readonly HeldRequest[]): readonly HeldRequest[] =>
  session_id === undefined ? held : held.filter((request) => request.session_id === session_id)

function tellAll(subscribers: ReadonlySet<Subscriber>, add: (buffer: LiveBuffer, interest: LiveInterest) => void) {
  for (const { buffer, wake, interest } of subscribers) {
    add(buffer, interest)
    wake()
  }
}
