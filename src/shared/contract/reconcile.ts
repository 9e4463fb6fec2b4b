import { z } from 'zod'
import { REQUEST_KINDS } from '../event.ts'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'

const oneSided = z.object({
  calls: z.number(),
  cost_usd: z.number(),
  /** The newest 20. */
  items: z.array(
    z.object({
      uuid: z.string(),
      timestamp: z.string(),
      model: z.string(),
      request_kind: z.enum(REQUEST_KINDS).nullable(),
      cost_usd: z.number().nullable(),
    }),
  ),
})

export const sessionReconcile = operation({
  name: 'sessions.reconcile',
  summary: "Our total of a session beside the client's own, what only one side saw, and why they differ.",
  input: z.object({ session_id: sessionId }),
  output: z.object({
    session_id: z.string(),
    ours: z.object({
      cost_usd: z.number(),
      tokens: z.number(),
      calls: z.number(),
      unpriced_calls: z.number(),
      /** Calls that only the transcript tells of, whose output count may be a placeholder, and answers that were cut. */
      lower_bound_calls: z.number(),
    }),
    /** Null: no transcript with the client's account was read. */
    client: z.object({ cost_usd: z.number(), at: z.string(), unknown_models: z.boolean() }).nullable(),
    /** Calls of the session that this one was forked from: counted there, and in the client's account of both. */
    copied: z.object({ calls: z.number(), cost_usd: z.number() }),
    /** Ours and what was copied, less the client's, calls after its account left out; null where there is none. */
    difference_usd: z.number().nullable(),
    by_model: z.array(
      z.object({ model: z.string(), ours_usd: z.number().nullable(), client_usd: z.number().nullable() }),
    ),
    /** Calls that the wire saw and no line tells of: titles, summaries, answers that were cut. */
    only_wire: oneSided,
    /** Lines of calls that did not pass through the proxy. */
    only_transcript: oneSided,
    /** In words, each with its amount; empty where nothing differs. */
    explanation: z.array(z.string()),
    /** The session has more calls than were looked at. */
    partial: z.boolean(),
  }),
})
