import { z } from 'zod'
import { limit, ofSession, since, tz, until } from './fields.ts'
import { operation } from './operation.ts'

export const SERVED_DIMENSIONS = ['model', 'speed', 'service_tier', 'inference_geo', 'cache_ttl'] as const

export const servedList = operation({
  name: 'served.list',
  summary:
    'Answers served differently than requested, or differently than before: model, speed, tier, region, cache life.',
  http: { method: 'GET', path: '/api/lifestats/served' },
  input: z.object({
    session_id: ofSession,
    /** 30 days ago by default. */
    since,
    until,
    tz,
    limit: limit(100),
  }),
  output: z.object({
    /** The first answer of each change, newest first. */
    changes: z.array(
      z.object({
        /** The answer's event. */
        uuid: z.string(),
        session_id: z.string(),
        agent_id: z.string().nullable(),
        timestamp: z.string(),
        dimension: z.enum(SERVED_DIMENSIONS),
        /**
         * `differs`: not as requested. `changed`: nothing specific was requested, and earlier answers were served
         * differently. `fallback`: reported by the answer.
         */
        kind: z.enum(['differs', 'changed', 'fallback']),
        asked: z.string().nullable(),
        before: z.string().nullable(),
        served: z.string(),
        /** Number of answers since then, for the same requested model, that were served this way. */
        answers: z.number(),
      }),
    ),
    /** Each combination of requested and served values, most answers first. */
    combinations: z.array(
      z.object({
        asked_model: z.string().nullable(),
        served_model: z.string(),
        effort: z.string().nullable(),
        betas: z.array(z.string()),
        speed: z.string().nullable(),
        service_tier: z.string().nullable(),
        inference_geo: z.string().nullable(),
        asked_cache_ttl: z.string().nullable(),
        cache_ttl: z.string().nullable(),
        answers: z.number(),
        first_at: z.string(),
        last_at: z.string(),
      }),
    ),
    answers: z.number(),
    /** Those of them that were recorded before requests were stored with them: the requested values are not known. */
    unknown: z.number(),
    partial: z.boolean(),
  }),
})
