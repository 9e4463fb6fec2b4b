import { z } from 'zod'
import type { BudgetStanding } from './budgets.ts'
import { kinds } from './events.ts'
import { flag, limit, sessionId } from './fields.ts'
import { operation } from './operation.ts'
import type { Delta, EventSummary } from '../live-feed.ts'
import type { LiveSession, RunningTurns } from '../turn-state.ts'

/** One batch of the live feed: at most ten a second to one reader. */
export interface LiveBatch {
  readonly events: readonly EventSummary[]
  readonly deltas: readonly Delta[]
  /** Events that this reader was too slow for; it can fetch them by id. */
  readonly missed?: number
  /** Budgets that have just reached a mark: each is told once a period. */
  readonly budgets?: readonly BudgetStanding[]
  /** How the running turns stand: comes first, and only to who asked for it. */
  readonly turns?: RunningTurns
}

export const liveSubscribe = operation({
  name: 'live.subscribe',
  summary: 'Events as they are committed, and text as it is written.',
  place: 'main',
  answer: 'stream',
  http: { method: 'GET', path: '/api/live' },
  input: z.object({
    session_id: sessionId.optional(),
    kinds,
    /** Log id of the last event that the reader has: what came since is sent first. Absent: from now on. */
    last_event_id: z.coerce.number().int().min(0).optional(),
    /** Begin with how the running turns stand: events that are sent already count in them, up to `turns.through`. */
    turns: flag(false),
  }),
  output: z.custom<LiveBatch>(),
})

export const liveSince = operation({
  name: 'live.since',
  summary: 'Events after a place in the log, as the live feed shows them, oldest first: for a reader that was away.',
  input: z.object({
    /** Log ids: after the first, up to and with the second. */
    after: z.coerce.number().int().min(0),
    up_to: z.coerce.number().int().min(0).optional(),
    session_id: sessionId.optional(),
    kinds,
    limit: limit(500, 1000),
  }),
  output: z.object({
    events: z.array(z.custom<EventSummary>()),
    /** Entries of the log before these that were not looked at, or found no room. */
    more: z.number(),
  }),
})

export const liveTurns = operation({
  name: 'live.turns',
  summary:
    'The newest turns of the sessions of the last half hour, as they stand: prompt, usage, tools, agents, context.',
  input: z.object({
    session_id: sessionId.optional(),
    limit: limit(50, 50),
  }),
  output: z.object({
    /** Events up to and with this log id are counted in. */
    through: z.number(),
    /** Longest silent first. Turns that time did not suffice for are not among them. */
    sessions: z.array(z.custom<LiveSession>()),
  }),
})
