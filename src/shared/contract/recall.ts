import { z } from 'zod'
import { cursor, flag, limit, list, scope, sessionId, uuid } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'

export const MATCH_TYPES = [
  'thinking',
  'user_prompt',
  'assistant_response',
  'compaction',
  'tool',
  'memory',
  'episode',
] as const

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
  /** A person marked it to be remembered: it ranks first. */
  remembered: z.boolean().optional(),
})
export type Hit = z.infer<typeof hit>

const counts = z.object({
  total: z.number(),
  /** Those with most hits first, at most 50. */
  by_session: z.array(z.object({ session_id: z.string(), hits: z.number(), first: z.string(), last: z.string() })),
  /** `2026-11`, oldest first. */
  by_month: z.array(z.object({ month: z.string(), hits: z.number() })),
  /** Only the newest were counted: there are more. */
  partial: z.boolean(),
})

export const recallSearch = operation({
  name: 'recall.search',
  summary: 'Search what was asked, thought, answered and summarised, over all sessions.',
  http: { method: 'GET', path: '/api/lifestats/recover' },
  supersededBy: 'client',
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
    cursor: cursor.optional(),
    /** Names the searcher, for example a page: its newer search cancels its older one. */
    client: z.string().min(1).max(100).optional(),
    /** With the first page: how the texts that hold all words lie over sessions and months. */
    counts: flag(true),
  }),
  output: list(hit).extend({
    /** Texts that match in the loosest way in which the words were taken. */
    total: z.number(),
    /** Of the texts that hold all words; left out while typing, and where every word is too common to be counted. */
    counts: counts.optional(),
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
  input: kindInput.extend({
    /** Unasked: 10 hits of a search, all prompts of a session. */
    limit: z.coerce.number().int().min(1).max(500).optional(),
  }),
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

/** Text for a model: quoted past data in a fence, with what it holds and leaves out. */
export const textAnswer = z.object({ text: z.string(), tokens: z.number(), included: z.number(), omitted: z.number() })

const contextInput = z.object({
  query: z.string().max(2000),
  limit: limit(10, 50),
  offset: z.coerce.number().int().min(0).max(1000).default(0),
  thinking: flag(true),
  prompts: flag(true),
  responses: flag(true),
  tools: flag(false),
  ...scope,
  /** The session that asks: its turn under way is left out, since it sees that already. */
  asked_in: sessionId.optional(),
  /** Tokens, estimated at four characters each. */
  budget: z.coerce.number().int().min(100).max(20_000).default(1000),
})
export const recallContext = operation({
  name: 'recall.context',
  summary: 'Search, and the best hits as one fenced, dated text for a model.',
  input: contextInput,
  output: textAnswer,
  mcp: mcpTools.recallContext,
})

export const thinkingContext = operation({
  name: 'thinking.context',
  summary: 'Search thinking blocks, answered as one fenced text for a model.',
  input: contextInput,
  output: textAnswer,
  mcp: mcpTools.searchThinking,
})

export const promptsContext = operation({
  name: 'prompts.context',
  summary: 'Search user prompts, answered as one fenced text for a model.',
  input: contextInput.extend({ limit: limit(20, 50) }),
  output: textAnswer,
  mcp: mcpTools.searchUserPrompts,
})

export const recallGet = operation({
  name: 'recall.get',
  summary: 'One event in full with its neighbours, in pages of at most 8,000 tokens.',
  input: z.object({
    uuid,
    page: z.coerce.number().int().min(1).max(10_000).default(1),
    /** How many texts before and after it come with it. */
    neighbours: z.coerce.number().int().min(0).max(20).default(2),
  }),
  output: textAnswer.extend({ page: z.number(), pages: z.number() }),
  mcp: mcpTools.get,
})

export const recallCaller = operation({
  name: 'recall.caller',
  summary: 'Which session and project a tool call came from, by its tool-use id; null where it is not recorded (yet).',
  input: z.object({ call_id: z.string().min(1).max(200) }),
  output: z.object({ session_id: z.string().nullable(), project: z.string().nullable() }),
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
