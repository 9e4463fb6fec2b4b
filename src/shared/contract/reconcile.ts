import { z } from 'zod'
import { REQUEST_KINDS } from '../event.ts'
import { moment, sessionId } from './fields.ts'
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

const figure = z.number().nullable()

export const limitsSeries = operation({
  name: 'limits.series',
  summary: "The account's limits over time, the last word of each bucket, as the API's headers told them.",
  input: z.object({
    since: moment.optional(),
    until: moment.optional(),
    bucket_minutes: z.coerce.number().int().min(1).max(1440).default(15),
  }),
  output: z.object({
    items: z.array(
      z.object({
        timestamp: z.string(),
        requests_limit: figure,
        requests_remaining: figure,
        tokens_limit: figure,
        tokens_remaining: figure,
        input_tokens_limit: figure,
        input_tokens_remaining: figure,
        output_tokens_limit: figure,
        output_tokens_remaining: figure,
        unified_status: z.string().nullable(),
        /** Which window binds. */
        claim: z.string().nullable(),
        /** Shares of the limit, 0 to 1. */
        five_hour_used: figure,
        five_hour_resets_at: z.string().nullable(),
        seven_day_used: figure,
        seven_day_resets_at: z.string().nullable(),
      }),
    ),
    /** There are more than 2,000 buckets: these are the newest. */
    partial: z.boolean(),
  }),
})
