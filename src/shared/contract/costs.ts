import { z } from 'zod'
import { lastMoment, limit, moment, tz } from './fields.ts'
import { operation } from './operation.ts'
import { spend } from './spend.ts'

export const costSeries = operation({
  name: 'costs.series',
  summary: 'Cost and tokens by time bucket and model, for charts.',
  input: z.object({
    since: moment.optional(),
    until: lastMoment.optional(),
    tz,
    project: z.string().optional(),
    bucket: z.enum(['hour', 'day', 'week', 'month']).default('day'),
    /** The viewer's minutes east of UTC, so that days are the viewer's days. */
    utc_offset_minutes: z.coerce.number().int().min(-900).max(900).default(0),
  }),
  output: z.object({
    items: z.array(
      z.object({
        bucket: z.string(),
        model: z.string(),
        ...spend,
        calls: z.number(),
        lower_bound_calls: z.number(),
        input_tokens: z.number(),
        output_tokens: z.number(),
        cache_read_tokens: z.number(),
        cache_creation_tokens: z.number(),
      }),
    ),
    /** True if the figures include transcripts that are being imported. */
    preview: z.literal(true).optional(),
  }),
})

export const costBreakdown = operation({
  name: 'costs.breakdown',
  summary: 'Cost by project, session and client, most expensive first, and the savings of the prompt cache.',
  input: z.object({
    since: moment.optional(),
    until: lastMoment.optional(),
    tz,
    project: z.string().max(4096).optional(),
    limit: limit(20, 200),
  }),
  output: z.object({
    /** True if the figures include transcripts that are being imported. */
    preview: z.literal(true).optional(),
    by_project: z.array(z.object({ project: z.string(), ...spend, tokens: z.number(), calls: z.number() })),
    by_session: z.array(
      z.object({
        session_id: z.string(),
        title: z.string().nullable(),
        project: z.string().nullable(),
        started_at: z.string(),
        ...spend,
        tokens: z.number(),
        calls: z.number(),
      }),
    ),
    /** Most expensive first. */
    by_client: z.array(
      z.object({
        client: z.string(),
        /** With calls in this range. */
        sessions: z.number(),
        ...spend,
        tokens: z.number(),
      }),
    ),
    /** Only in a team's history: by member, most expensive first. */
    by_user: z.array(z.object({ user: z.string(), ...spend, tokens: z.number(), calls: z.number() })).optional(),
    /** Only in a team's history: by git branch; empty if it is not known or not shared. */
    by_branch: z.array(z.object({ branch: z.string(), cost_usd: z.number(), calls: z.number() })).optional(),
    cache: z.object({
      /**
       * Cost of the cached tokens as plain input at today's prices, minus their actual cost. Null: not known, as in a
       * team's history, which has no prices.
       */
      saved_usd: z.number().nullable(),
      read_tokens: z.number(),
      written_tokens: z.number(),
      /** Models without a price, whose savings are unknown. */
      unpriced_models: z.array(z.string()),
    }),
  }),
})

export const costsSpent = operation({
  name: 'costs.spent',
  summary: 'Spending in each of these time spans, to the quarter hour.',
  input: z.object({
    spans: z.array(z.object({ since: moment, until: lastMoment, project: z.string().max(4096).optional() })).max(500),
  }),
  output: z.object({ items: z.array(z.object(spend)) }),
})
