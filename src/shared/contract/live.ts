import { z } from 'zod'
import type { BudgetStatus } from './budgets.ts'
import type { HeldRequest } from './guard.ts'
import { kinds } from './events.ts'
import { flag, limit, sessionId } from './fields.ts'
import { operation } from './operation.ts'
import type { Correction, Delta, EventSummary } from '../live-feed.ts'
import type { LiveSession, RunningTurns } from '../turn-state.ts'

/** News that deserves a notice: limits, served models, a resume, a client that waits. Each item is reported once. */
export interface ServiceNews {
  readonly kind: 'limit_mark' | 'limit_forecast' | 'limit_reset' | 'served' | 'resume' | 'waits'
  readonly title: string
  readonly text: string
  /** The session concerned; omitted if the news concerns the account. */
  readonly session_id?: string
}

/** One batch of the live feed. A reader gets at most ten a second. */
export interface LiveBatch {
  readonly events: readonly EventSummary[]
  readonly deltas: readonly Delta[]
  /** Number of events that this reader was too slow to receive. It can fetch them from the log. */
  readonly missed?: number
  /** Prompts that a later source corrected, including those in events that this reader received before. */
  readonly corrected?: readonly Correction[]
  /** Budgets that have just reached a mark. Each mark is reported once a period. */
  readonly budgets?: readonly BudgetStatus[]
  /**
   * Limits that reached a mark, will be exhausted or were reset, silent changes in how requests are served, lossy
   * resumes, clients that wait for a permission or an answer.
   */
  readonly news?: readonly ServiceNews[]
  /** All requests that wait for a decision, when that changes; in the first batch, if there are any. */
  readonly held?: readonly HeldRequest[]
  /** State of the running turns: in the first batch, if requested. */
  readonly turns?: RunningTurns
}

export const liveSubscribe = operation({
  name: 'live.subscribe',
  summary: 'Events as they are committed, and text as it is written.',
  place: 'main',
  answer: 'stream',
  http: { method: 'GET', path: '/api/live' },
  resumes: { field: 'last_event_id', idOf: (batch) => (batch as LiveBatch).events.at(-1)?.id ?? null },
  input: z.object({
    session_id: sessionId.optional(),
    kinds,
    /** Log id of the last event received: newer events are sent first. If absent, the feed starts now. */
    last_event_id: z.coerce.number().int().min(0).optional(),
    /** Start with the state of the running turns, which includes all events up to `turns.through`. */
    turns: flag(false),
  }),
  output: z.custom<LiveBatch>(),
})

export const liveSince = operation({
  name: 'live.since',
  summary: 'Events after a position in the log, as the live feed shows them, oldest first, for a reader that was away.',
  input: z.object({
    /** Log ids: after the first, up to and including the second. */
    after: z.coerce.number().int().min(0),
    up_to: z.coerce.number().int().min(0).optional(),
    session_id: sessionId.optional(),
    kinds,
    limit: limit(500, 1000),
  }),
  output: z.object({
    events: z.array(z.custom<EventSummary>()),
    /** Number of older entries of the log that were not examined or did not fit. */
    more: z.number(),
  }),
})

export const liveTurns = operation({
  name: 'live.turns',
  summary: 'The state of the newest turn of each session of the last half hour: prompt, usage, tools, agents, context.',
  input: z.object({ session_id: sessionId.optional(), limit: limit(50, 50) }),
  output: z.object({
    /** Events up to and including this log id are counted. */
    through: z.number(),
    /** The session silent for longest first. Turns that did not fit in the time budget are left out. */
    sessions: z.array(z.custom<LiveSession>()),
  }),
})
