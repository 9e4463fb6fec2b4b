import { z } from 'zod'
import { flag, limit, moment, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'
import { textAnswer } from './recall.ts'

export const sessionUsage = operation({
  name: 'sessions.usage',
  summary: 'What each turn of a session cost, and how its context grew, call by call.',
  input: z.object({ session_id: sessionId }),
  output: z.object({
    turns: z.array(
      z.object({
        turn_id: z.number(),
        started_at: z.string(),
        calls: z.number(),
        tokens: z.number(),
        output_tokens: z.number(),
        /** null: nothing in it is priced. */
        cost_usd: z.number().nullable(),
        unpriced_calls: z.number(),
      }),
    ),
    /** Calls of the main agent in order, at most 500 points: each the largest context of its stretch. */
    context: z.array(
      z.object({ timestamp: z.string(), turn_id: z.number(), uuid: z.string(), context_tokens: z.number() }),
    ),
    compactions: z.array(z.object({ uuid: z.string(), timestamp: z.string(), turn_id: z.number() })),
  }),
})

export const compactionDropped = operation({
  name: 'compactions.dropped',
  summary:
    'What was said before a compaction that its summary does not cover: texts by words missing from the summary. With a query those that hold all its words; on request as one fenced text.',
  input: z.object({
    /** The compaction; or a session, whose last one is meant. */
    uuid: uuid.optional(),
    session_id: sessionId.optional(),
    query: z.string().max(500).optional(),
    limit: limit(20, 200),
    /** Tokens: then the texts come as a pack, too, oldest first. */
    budget: z.coerce.number().int().min(100).max(100_000).optional(),
  }),
  output: z.object({
    items: z.array(
      z.object({
        uuid: z.string(),
        kind: z.enum(['user_prompt', 'assistant_text', 'thinking']),
        turn_id: z.number(),
        timestamp: z.string(),
        /** The first 600 characters. */
        content: z.string(),
        /** Distinct words, and how many of them the summary lacks. */
        words: z.number(),
        missing: z.number(),
        /** Some of the missing ones, in order of appearance. */
        missing_words: z.array(z.string()),
      }),
    ),
    /** Texts that were looked at. */
    texts: z.number(),
    /** Texts of which the summary has every word. */
    covered: z.number(),
    /** There are more texts: the newest were looked at. */
    partial: z.boolean(),
    pack: textAnswer.optional(),
  }),
})

const span = { since: moment.optional(), until: moment.optional() }

export const costBreakdown = operation({
  name: 'costs.breakdown',
  summary: 'Cost by project and by session, the dearest first, and what the prompt cache saved.',
  input: z.object({ ...span, project: z.string().max(4096).optional(), limit: limit(20, 200) }),
  output: z.object({
    by_project: z.array(
      z.object({
        project: z.string(),
        cost_usd: z.number(),
        tokens: z.number(),
        calls: z.number(),
        unpriced_calls: z.number(),
      }),
    ),
    by_session: z.array(
      z.object({
        session_id: z.string(),
        title: z.string().nullable(),
        project: z.string().nullable(),
        started_at: z.string(),
        cost_usd: z.number(),
        tokens: z.number(),
        calls: z.number(),
      }),
    ),
    cache: z.object({
      /** What the cached tokens would have cost as plain input, by today's prices, less what they did cost. */
      saved_usd: z.number(),
      read_tokens: z.number(),
      written_tokens: z.number(),
      /** Models without a price: what they saved is not known. */
      unpriced_models: z.array(z.string()),
    }),
  }),
})

export const limitsLatest = operation({
  name: 'limits.latest',
  summary: 'The limits of the account as the API last told them: 5 hours, 7 days.',
  input: z.object({}),
  output: z.object({
    at: z.string().nullable(),
    windows: z.array(
      z.object({
        name: z.enum(['5h', '7d']),
        /** Share of the limit that is used, 0 to 1. */
        utilization: z.number(),
        resets_at: z.string().nullable(),
      }),
    ),
  }),
})

export const toolPace = operation({
  name: 'tools.pace',
  summary: 'How long each tool takes: half of its calls, and 95 of 100, are done by then; failures and rejections.',
  input: z.object({ since: moment.optional(), project: z.string().max(4096).optional() }),
  output: z.object({
    items: z.array(
      z.object({
        tool: z.string(),
        /** Results looked at: of the newest 2,000 calls a tool. */
        timed: z.number(),
        p50_ms: z.number().nullable(),
        p95_ms: z.number().nullable(),
        failed: z.number(),
        rejected: z.number(),
      }),
    ),
  }),
})

export const recallMonths = operation({
  name: 'recall.months',
  summary: 'In which months the texts lie that hold all words of a search.',
  input: z.object({
    query: z.string().max(2000),
    project: z.string().max(4096).optional(),
    prompts: flag(true),
    responses: flag(true),
    thinking: flag(true),
  }),
  output: z.object({
    items: z.array(z.object({ month: z.string(), hits: z.number() })),
    partial: z.boolean(),
  }),
})
