import { z } from 'zod'
import { flag, limit, list, scope, sessionId, uuid } from './fields.ts'
import { operation } from './operation.ts'

export const MATCH_TYPES = ['thinking', 'user_prompt', 'assistant_response', 'compaction', 'tool', 'memory'] as const

export const hit = z.object({
  match_type: z.enum(MATCH_TYPES),
  session_id: z.string(),
  turn_id: z.number(),
  timestamp: z.string(),
  /** A snippet; matched words stand in `<mark>`, the text itself is not HTML and must be shown as text. */
  content: z.string(),
  /** Lower is better; comparable within one answer only. */
  rank: z.number(),
  uuid: z.string(),
  project: z.string().nullable(),
  /** The words of the query that this hit holds. */
  matched: z.array(z.string()),
})
export type Hit = z.infer<typeof hit>

export const recallSearch = operation({
  name: 'recall.search',
  summary: 'Search what was asked, thought, answered and summarised, over all sessions.',
  http: { method: 'GET', path: '/api/lifestats/recover' },
  input: z.object({
    query: z.string().max(2000),
    limit: limit(10, 100),
    thinking: flag(true),
    prompts: flag(true),
    responses: flag(true),
    tools: flag(false),
    ...scope,
    order: z.enum(['relevance', 'time']).default('relevance'),
    syntax: z.enum(['plain', 'fts5']).default('plain'),
    /** The last word is still being typed: match it as a prefix. */
    prefix: flag(false),
  }),
  output: list(hit).extend({
    total: z.number(),
    /** How the words were taken: as a phrase, all, or any of them. */
    matched_by: z.array(z.enum(['phrase', 'all', 'any', 'raw'])),
  }),
})

/** What the searches of one kind give: hits, best first. */
const kindHit = hit.extend({ tokens: z.number().nullable().optional(), prompt_number: z.number().optional() })
const kindInput = z.object({
  query: z.string().max(2000).default(''),
  limit: limit(10, 500),
  ...scope,
  cursor: z.string().optional(),
})

export const searchThinking = operation({
  name: 'thinking.search',
  summary: 'Search thinking blocks; without a query, the newest.',
  http: { method: 'GET', path: '/api/lifestats/thinking' },
  input: kindInput,
  output: list(kindHit),
})

export const searchPrompts = operation({
  name: 'prompts.search',
  summary: 'Search user prompts; without a query and with a session, all of them by prompt_number.',
  http: { method: 'GET', path: '/api/lifestats/prompts' },
  input: kindInput,
  output: list(kindHit),
})

export const searchResponses = operation({
  name: 'responses.search',
  summary: 'Search assistant answers; without a query, the newest.',
  http: { method: 'GET', path: '/api/lifestats/responses' },
  input: kindInput,
  output: list(kindHit),
})

export const recallPack = operation({
  name: 'recall.pack',
  summary: 'Chosen hits or whole turns as one text: dated, fenced, marked as quoted past data, within a token budget.',
  input: z.object({
    uuids: z.array(uuid).max(200).default([]),
    turns: z
      .array(z.object({ session_id: sessionId, turn_id: z.number().int().min(0) }))
      .max(50)
      .default([]),
    /** Tokens, estimated at four characters each. */
    budget: z.coerce.number().int().min(100).max(100_000).default(4000),
  }),
  output: z.object({ text: z.string(), tokens: z.number(), included: z.number(), omitted: z.number() }),
})
