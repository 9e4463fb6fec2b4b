import { z } from 'zod'
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
  /** unpriced: the request could not be priced in time and `fail_open` is off. */
  cap: z.enum([...GUARD_CAPS, 'unpriced']),
  /** Session, agent, hour or day that the cap applies to. */
  scope: z.string(),
  limit: z.number(),
  /** Amount spent, and amount reserved by requests in flight. */
  used: z.number(),
  /** The request's own estimate. */
  guess: z.number(),
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
  /** Forwarded without an answer in time, because the guard's thread was busy, failed or could not read the body. */
  unpriced: z.number(),
  notified: z.number(),
  held: z.number(),
  allowed: z.number(),
  refused: z.number(),
})
export type GuardCounts = z.infer<typeof guardCounts>

export const guardStatus = operation({
  name: 'guard.get',
  summary: 'The guard: its caps, the requests that wait for a decision, and counts since the start.',
  place: 'main',
  input: z.object({}),
  output: z.object({
    enabled: z.boolean(),
    action: z.enum(['notify', 'hold', 'refuse']),
    /** Caps that are set, for all projects. */
    caps: z.array(z.object({ cap: z.enum(GUARD_CAPS), limit: z.number() })),
    held: z.array(heldRequest),
    counts: guardCounts,
  }),
  http: { method: 'GET', path: '/api/guard' },
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
