import { z } from 'zod'
import { moment, tz } from './fields.ts'
import { operation } from './operation.ts'

/** The caps of `[guard]`. */
export const GUARD_CAPS = [
  'request_usd',
  'session_usd',
  'agent_tree_usd',
  'hour_usd',
  'day_usd',
  'request_tokens',
  'session_tokens',
  'agent_tree_tokens',
  'hour_tokens',
  'day_tokens',
  'agents_per_turn',
  'repeat_calls',
  'growing_fan_out',
] as const
export type GuardCap = (typeof GUARD_CAPS)[number]

/** The cap that a request would exceed. Numbers are USD, tokens or a count, by cap. */
export const overCap = z.object({
  /** unpriced: the request could not be priced, and `fail_open` is off. */
  cap: z.enum([...GUARD_CAPS, 'unpriced']),
  /** Session, agent, hour or day that the cap applies to; unpriced: the reason. */
  scope: z.string(),
  limit: z.number(),
  /** Amount spent, and amount reserved by requests in flight. */
  used: z.number(),
  /** The request's own estimate. */
  guess: z.number(),
  /** The project whose own cap it is; absent: the cap holds for all. Its hour and day sum up that project alone. */
  project: z.string().optional(),
})
export type OverCap = z.infer<typeof overCap>

const heldRequest = z.object({
  id: z.string(),
  session_id: z.string().nullable(),
  agent_id: z.string().nullable(),
  project: z.string().nullable(),
  /** Cost of its session so far, at API list prices; null if the request names no session. */
  spent_usd: z.number().nullable(),
  over: overCap,
  held_since: z.string(),
  /** The request is refused at this time unless someone decides. */
  refused_at: z.string(),
})
/** A request that waits for a decision. */
export type HeldRequest = z.infer<typeof heldRequest>

/** Requests since the start, by outcome. */
const guardCounts = z.object({
  checked: z.number(),
  /** Forwarded without a price; `passed` says why. */
  unpriced: z.number(),
  notified: z.number(),
  held: z.number(),
  allowed: z.number(),
  refused: z.number(),
  /** Ended by the client while they waited. */
  gave_up: z.number(),
})
export type GuardCounts = z.infer<typeof guardCounts>

export const UNPRICED_REASONS = ['late', 'down', 'failed', 'too_large', 'unreadable', 'no_price'] as const
/**
 * Why a request has no price. late: it was not priced within `decide_ms`; down: the guard's thread did not run; failed:
 * the thread could not read the database; too_large, unreadable: its body; no_price: the model has none.
 */
export type UnpricedReason = (typeof UNPRICED_REASONS)[number]

const guardKept = z.object({ requests: z.number(), usd: z.number(), tokens: z.number() })
/** Estimates that count on. */
export type GuardKept = z.infer<typeof guardKept>

const guardPassed = z.object({
  reason: z.enum(UNPRICED_REASONS),
  requests: z.number(),
  last_at: z.string(),
  /** null if the last one names no session, or was not read. */
  last_session_id: z.string().nullable(),
})
export type GuardPassed = z.infer<typeof guardPassed>

const setCap = z.object({
  cap: z.enum(GUARD_CAPS),
  /** The one in force: a person may have raised it. */
  limit: z.number(),
  /**
   * What counts in this hour or day: spent, reserved by requests in flight, and kept for answers that ended early. null:
   * a cap of one session, agent, turn or request, or not known now.
   */
  used: z.number().nullable(),
})

export const guardStatus = operation({
  name: 'guard.get',
  summary: 'The guard: its caps, the requests that wait for a decision, and counts since the start.',
  place: 'main',
  output: z.object({
    enabled: z.boolean(),
    action: z.enum(['notify', 'hold', 'refuse']),
    /** Caps that are set, for all projects. */
    caps: z.array(setCap),
    /** Caps that projects have of their own. */
    project_caps: z.array(setCap.extend({ project: z.string() })),
    held: z.array(heldRequest),
    counts: guardCounts,
    /** When the counts began. */
    since: z.string().optional(),
    /** Requests refused since midnight here, also before this start; null if recording is off. */
    refused_today: z.number().nullable().optional(),
    /** What becomes of requests while the app is down. */
    when_away: z.enum(['pass', 'refuse']).optional(),
    /** Requests that were sent and whose cost is not stored yet: a cap may be exceeded by their answers. */
    in_flight: z.number(),
    /** The most of them at a time since the start. */
    most_in_flight: z.number(),
    /** With it, a cap may be exceeded by one answer only. */
    strict: z.boolean(),
    /** Answers that ended before they said what they cost. The estimates count, less what was seen: a lower bound. */
    lower_bound: guardKept,
    /** Requests that `fail_open` let pass without a price, by reason. */
    passed: z.array(guardPassed),
  }),
  http: { method: 'GET', path: '/api/guard' },
})

export const guardRefused = operation({
  name: 'guard.refused',
  summary: 'How many requests the guard refused since a moment.',
  input: z.object({ since: moment, tz }),
  output: z.object({ requests: z.number() }),
})

export const GUARD_DECISIONS = ['once', 'raise', 'stop'] as const

export const guardRelease = operation({
  name: 'guard.release',
  summary: 'Decide on a waiting request: forward it once, forward it and raise its cap, or refuse it.',
  place: 'main',
  writes: true,
  input: z.object({
    id: z.string().min(1).max(200),
    decision: z.enum(GUARD_DECISIONS),
    /** In the unit of the cap. */
    to: z
      .number()
      .positive()
      .max(1_000_000_000_000)
      .optional()
      .describe('With raise: the new limit (default: twice the present one)'),
  }),
  output: z.object({
    /** Requests that left the wait with this decision: `raise` also releases others below the raised cap. */
    released: z.number(),
  }),
  http: { method: 'POST', path: '/api/guard/release' },
})
