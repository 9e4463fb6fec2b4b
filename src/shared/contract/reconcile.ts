import { z } from 'zod'
import { REQUEST_KINDS } from '../event.ts'
import { sessionId } from './fields.ts'
import { operation } from './operation.ts'
import { spend } from './spend.ts'

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
  summary: "Compares Aspy's total of a session with the client's: calls that only one side saw, and why they differ.",
  input: z.object({ session_id: sessionId }),
  output: z.object({
    session_id: z.string(),
    ours: z.object({
      ...spend,
      tokens: z.number(),
      calls: z.number(),
      /**
       * Calls known only from the transcript, where the output count may be a placeholder, and answers that were cut
       * off.
       */
      lower_bound_calls: z.number(),
    }),
    /** Null if no transcript with the client's account was read. */
    client: z.object({ cost_usd: z.number(), at: z.string(), unknown_models: z.boolean() }).nullable(),
    /** Calls of the session that this one was forked from. The client counts them in both sessions. */
    copied: z.object({ calls: z.number(), cost_usd: z.number() }),
    /** Ours plus copied calls minus the client's, without calls after its account; null without an account. */
    difference_usd: z.number().nullable(),
    by_model: z.array(
      z.object({ model: z.string(), ours_usd: z.number().nullable(), client_usd: z.number().nullable() }),
    ),
    /** Calls on the wire without a transcript line: titles, summaries, answers that were cut off. */
    only_wire: oneSided,
    /** Transcript lines of calls that did not pass through the proxy. */
    only_transcript: oneSided,
    /** Sentences, each with its amount; empty if nothing differs. */
    explanation: z.array(z.string()),
    /** True if the session has more calls than were examined. */
    partial: z.boolean(),
  }),
})
