import { z } from 'zod'
import { moment } from './fields.ts'
import { operation } from './operation.ts'

export const limitsLatest = operation({
  name: 'limits.latest',
  summary: 'The limits of the account as last reported by the API: 5 hours, 7 days.',
  input: z.object({}),
  output: z.object({
    at: z.string().nullable(),
    windows: z.array(
      z.object({
        name: z.enum(['5h', '7d']),
        /** Used share of the limit, 0 to 1. */
        utilization: z.number(),
        resets_at: z.string().nullable(),
      }),
    ),
  }),
})

const figure = z.number().nullable()

export const limitsSeries = operation({
  name: 'limits.series',
  summary: "The account's limits over time, as last reported by the API's headers in each bucket.",
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
        /** The window that limits. */
        claim: z.string().nullable(),
        /** Shares of the limit, 0 to 1. */
        five_hour_used: figure,
        five_hour_resets_at: z.string().nullable(),
        seven_day_used: figure,
        seven_day_resets_at: z.string().nullable(),
      }),
    ),
    /** There are more than 2,000 buckets: only the newest are listed. */
    partial: z.boolean(),
  }),
})
