import { z } from 'zod'
import { lastMoment, moment, since, tz } from './fields.ts'
import { operation } from './operation.ts'

/**
 * Its name (`limits.accounts`), or the beginning of its keyed hash. Only given if it has a name, or several accounts
 * reported limits.
 */
const account = z.string().optional()

export const limitsLatest = operation({
  name: 'limits.latest',
  summary: 'The limits of each account as last reported by the API: 5 hours, 7 days.',
  input: z.object({
    /** Only the account of this session. */
    session_id: z.string().min(1).max(200).optional(),
  }),
  output: z.object({
    at: z.string().nullable(),
    windows: z.array(
      z.object({
        name: z.enum(['5h', '7d']),
        account,
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
  summary: "Each account's limits over time, as last reported by the API's headers in each bucket.",
  input: z.object({
    since: moment.optional(),
    until: lastMoment.optional(),
    tz,
    bucket_minutes: z.coerce.number().int().min(1).max(1440).default(15),
  }),
  output: z.object({
    items: z.array(
      z.object({
        timestamp: z.string(),
        /** Only in a team's history: the member. */
        user: z.string().optional(),
        account,
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
    /** True if there are more than 2,000 buckets: only the newest are listed. */
    partial: z.boolean(),
  }),
})

const used = {
  /** Share of the limit, 0 to 1. */
  used: z.number(),
  calls: z.number(),
  cost_usd: z.number(),
}

export const limitsNow = operation({
  name: 'limits.now',
  summary: 'Used share of each limit, by session, agent and prompt, and the forecast at its reset.',
  http: { method: 'GET', path: '/api/lifestats/limits' },
  input: z.object({
    /** Start of the curve and of the attribution; by default the beginning of each window. */
    since,
    /** The time to use as now. */
    until: lastMoment.optional(),
    tz,
  }),
  output: z.object({
    /** Time of the newest report; null: the API reported no limits, as for an API key. */
    at: z.string().nullable(),
    windows: z.array(
      z.object({
        /** Only in a team's history: the member. */
        user: z.string().optional(),
        account,
        /** Its keyed hash, whatever it is called; absent: not known. */
        account_id: z.string().optional(),
        /** `5h`, `7d`, or one of a single model such as `7d_opus`. */
        window: z.string(),
        used: z.number(),
        read_at: z.string().nullable(),
        resets_at: z.string().nullable(),
        /** Share of the limit per hour, over a past as long as the window; null: not known yet. */
        burn_per_hour: z.number().nullable(),
        /** The used share at the reset. Past 1, the limit is exhausted before. null: too early to tell. */
        forecast: z
          .object({
            at_reset: z.number(),
            low: z.number(),
            high: z.number(),
            confidence: z.number(),
            exhausted_at: z.string().nullable(),
            /** When the limit is exhausted at the upper end of the band. */
            exhausted_earliest: z.string().nullable(),
          })
          .nullable(),
        /** Forecasts of past windows, made with the data available then, and how many bands held the actual value. */
        forecast_checks: z.object({ checks: z.number(), hits: z.number() }),
        curve: z.array(z.object({ timestamp: z.string(), used: z.number() })),
        /** Start of the curve and of the attribution. */
        since: z.string(),
        /** Shares of the limit that recorded calls used, and that no recorded call explains. */
        attributed: z.number(),
        elsewhere: z.number(),
        covered_share: z.number().nullable(),
        by_session: z.array(z.object({ session_id: z.string(), title: z.string().nullable(), ...used })),
        by_agent: z.array(z.object({ session_id: z.string(), agent_id: z.string().nullable(), ...used })),
        by_prompt: z.array(
          z.object({ session_id: z.string(), turn_id: z.number(), prompt: z.string().nullable(), ...used }),
        ),
        gaps: z.array(z.string()),
      }),
    ),
  }),
})
