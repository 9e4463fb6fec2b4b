import { z } from 'zod'
import { cursor, flag, limit, list, scope, sessionId, tz, userId, uuid } from './fields.ts'
import { mcpTools } from './mcp-tools.ts'
import { operation } from './operation.ts'
import { recallNotes } from './recall-notes.ts'

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
  /** Only in a team's history. */
  user_id: userId.optional(),
  turn_id: z.number(),
  timestamp: z.string(),
  /** A snippet with matches in `<mark>`. It is not HTML and must be shown as text. */
  content: z.string(),
  /** Lower is better. Comparable only within one answer. */
  rank: z.number(),
  uuid: z.string(),
  project: z.string().nullable(),
  /** Words of the query that this hit contains; if it has none, other names of them and related words. */
  matched: z.array(z.string()),
  /** True for a hit that has none of the words: `matched` has the other names of them and related words that it contains. */
  related: z.boolean().optional(),
  /** Number of further texts found that say the same, as copies in a fork do, or a prompt that this answer repeats. */
  copies: z.number().optional(),
  /** The first of them. */
  copies_in: z
    .array(z.object({ uuid: z.string(), match_type: z.enum(MATCH_TYPES), session_id: z.string(), turn_id: z.number() }))
    .optional(),
  /** True for a hit of a question that has none of its words and is next to a text that has. `total` does not count it. */
  beside: z.boolean().optional(),
  /** True if a person marked it to be remembered, so that it ranks first. */
  remembered: z.boolean().optional(),
  /** Omitted if its session has no title. */
  session_title: z.string().optional(),
})
export type Hit = z.infer<typeof hit>

const counts = z.object({
  total: z.number(),
  /** Most hits first, at most 50. */
  by_session: z.array(z.object({ session_id: z.string(), hits: z.number(), first: z.string(), last: z.string() })),
  /** `2026-11` in the zone `tz`, oldest first. */
  by_month: z.array(z.object({ month: z.string(), hits: z.number() })),
  /** True if there are more: only the newest were counted. */
  partial: z.boolean(),
})

/** The search text, typed or pasted: only its first 2,000 characters count. */
const searchText = z.string().max(100_000)

/** Only sessions of this client. In a search, `client` names the searcher. */
const of_client = z.string().min(1).max(100).optional()

export const recallSearch = operation({
  name: 'recall.search',
  summary: 'Search prompts, thinking, answers and summaries of all sessions.',
  http: { method: 'GET', path: '/api/lifestats/recover' },
  supersededBy: 'client',
  input: z.object({
    query: searchText,
    limit: limit(10, 100),
    thinking: flag(true),
    prompts: flag(true),
    responses: flag(true),
    tools: flag(false).describe('Also search tool calls and results'),
    ...scope,
    order: z.enum(['relevance', 'time']).default('relevance'),
    syntax: z.enum(['plain', 'fts5']).default('plain'),
    /** The last word is still being typed and matches as a prefix. */
    prefix: flag(false),
    cursor: cursor.optional(),
    /** Names the searcher, for example a page: its newer search cancels its older one. */
    client: z.string().min(1).max(100).optional(),
    of_client,
    /** Count the texts that have all words by session and month, with the first page. */
    counts: flag(true),
  }),
  output: list(hit).extend({
    /** Texts that match in the loosest of the ways in `matched_by`. */
    total: z.number(),
    /** True if there are more than `total`: some words were too common to count, or filters select thousands of texts. */
    total_about: z.boolean().optional(),
    /** Counts of the texts that have all words. Omitted while typing, or if every word is too common to count. */
    counts: counts.optional(),
    /** Way of matching the words: as a phrase, all, any of them, or related ones. */
    matched_by: z.array(z.enum(['phrase', 'all', 'any', 'related', 'raw'])),
    /** Omitted if there is nothing to report. */
    notes: recallNotes.optional(),
  }),
})

/** A hit of a search for one kind. */
const kindHit = hit.extend({
  tokens: z.number().nullable().optional(),
  prompt_number: z.number().optional(),
  /** For prompts: the number of stored prompts with exactly this text, including this one. */
  asked: z.number().optional(),
})
const kindInput = z.object({
  query: searchText.default(''),
  limit: limit(10, 500),
  ...scope,
  cursor: z.string().optional(),
})

export const searchThinking = operation({
  name: 'thinking.search',
  summary: 'Search thinking blocks. Without a query, returns the newest.',
  http: { method: 'GET', path: '/api/lifestats/thinking' },
  input: kindInput,
  output: list(kindHit),
})

export const searchPrompts = operation({
  name: 'prompts.search',
  summary: 'Search user prompts. Without a query and with a session, returns all of them by prompt_number.',
  http: { method: 'GET', path: '/api/lifestats/prompts' },
  input: kindInput.extend({
    /** Default: 10 hits of a search, all prompts of a session. */
    limit: z.coerce.number().int().min(1).max(500).optional(),
  }),
  output: list(kindHit),
})

export const searchResponses = operation({
  name: 'responses.search',
  summary: 'Search assistant answers. Without a query, returns the newest.',
  http: { method: 'GET', path: '/api/lifestats/responses' },
  input: kindInput,
  output: list(kindHit),
})

const matchType = z.enum(MATCH_TYPES)
const tokenBudget = (most: number) => z.coerce.number().int().min(100).max(most)

/** Text for a model or a person: quoted past data in a fence, and the amounts included and omitted. */
export const textAnswer = z.object({
  text: z.string(),
  /** Estimated at four characters each. */
  tokens: z.number(),
  included: z.number(),
  omitted: z.number(),
  /** Near-duplicates that are named, but not quoted again. */
  folded: z.number(),
})

const packFlags = {
  /** Also name the edits and commands of each turn: path, lines, command, outcome. */
  actions: flag(false).describe('With --pack: also what each turn edited and ran'),
  title: z.string().max(200).optional().describe('With --pack: first line of the text'),
}

export const recallPack = operation({
  name: 'recall.pack',
  summary: 'Selected hits or turns as one text within a token budget: dated, fenced, marked as quoted past data.',
  input: z.object({
    uuids: z.array(uuid).max(200).default([]),
    /** Like `uuids`, with the kind of each hit: an event that ends a session may have its digest, too. */
    hits: z
      .array(z.object({ uuid, match_type: matchType.optional() }))
      .max(200)
      .default([]),
    turns: z
      .array(z.object({ session_id: sessionId, turn_id: z.number().int().min(0) }))
      .max(50)
      .default([]),
    /** Quote the whole turn of each hit. */
    whole_turns: flag(false),
    ...packFlags,
    /** Tokens, estimated at four characters each. */
    budget: tokenBudget(100_000).default(4000),
  }),
  output: textAnswer.extend({
    /** The hits in the order given; the budget may leave out some. */
    entries: z.array(
      z.object({
        uuid: z.string(),
        match_type: matchType.optional(),
        /** Kind of text as the pack names it. */
        label: z.string(),
        session_id: z.string(),
        turn_id: z.number(),
        timestamp: z.string(),
        project: z.string().nullable(),
        /** Beginning of the text in one line. */
        preview: z.string(),
      }),
    ),
    /** uuids of hits that are no longer stored. */
    missing: z.array(z.string()),
  }),
})

const contextInput = z.object({
  query: searchText,
  /** Number of hits, which share the budget. */
  limit: limit(10, 50),
  offset: z.coerce.number().int().min(0).max(100_000).default(0),
  thinking: flag(true),
  prompts: flag(true),
  responses: flag(true),
  tools: flag(false),
  ...scope,
  of_client,
  syntax: z.enum(['plain', 'fts5']).default('plain'),
  /** Session of the caller: its current turn is left out, because the caller already sees it. */
  asked_in: sessionId.optional(),
  ...packFlags,
  /** For a person to paste: a short fence, no ids of texts, and the note for a model in `note` instead of the text. */
  to_paste: flag(false),
  /** Tokens, estimated at four characters each. Default: 1,000, or more if `limit` is over 10. */
  budget: tokenBudget(20_000).optional(),
})
const contextOutput = textAnswer.extend({
  /** Whether the best hit has at least half of the weight of the query's words; rare words weigh more. */
  quality: z.enum(['good', 'weak', 'none']),
  /** Words of the query that the hits shown contain, and those that none of them contains. */
  matched: z.array(z.string()),
  missing: z.array(z.string()),
  /** Offset of the next page; null: there are no more hits. */
  next_offset: z.number().nullable(),
  /** With `to_paste`: the quality of the hits, and how the search interpreted the query. */
  note: z.string().optional(),
})

export const recallContext = operation({
  name: 'recall.context',
  summary: 'Search, and return the best hits as one fenced, dated text for a model.',
  input: contextInput,
  output: contextOutput,
  mcp: mcpTools.recallContext,
})

export const thinkingContext = operation({
  name: 'thinking.context',
  summary: 'Search thinking blocks, and return one fenced text for a model.',
  input: contextInput,
  output: contextOutput,
  mcp: mcpTools.searchThinking,
})

export const promptsContext = operation({
  name: 'prompts.context',
  summary: 'Search user prompts, and return one fenced text for a model.',
  input: contextInput.extend({ limit: limit(20, 50) }),
  output: contextOutput,
  mcp: mcpTools.searchUserPrompts,
})

export const recallGet = operation({
  name: 'recall.get',
  summary: 'One event in full with its neighbours, in pages of at most 8,000 tokens.',
  input: z.object({
    uuid,
    page: z.coerce.number().int().min(1).max(10_000).default(1),
    /** Number of texts to include before and after it. */
    neighbours: z.coerce.number().int().min(0).max(20).default(2),
  }),
  output: textAnswer.extend({ page: z.number(), pages: z.number() }),
  mcp: mcpTools.get,
})

export const recallCaller = operation({
  name: 'recall.caller',
  summary: 'The session and project of a tool call, by its tool-use id; null if it is not recorded (yet).',
  input: z.object({ call_id: z.string().min(1).max(200) }),
  output: z.object({ session_id: z.string().nullable(), project: z.string().nullable() }),
})

export const recallMonths = operation({
  name: 'recall.months',
  summary: 'The texts that have all words of a search, counted by month.',
  input: z.object({
    query: searchText,
    project: scope.project,
    prompts: flag(true),
    responses: flag(true),
    thinking: flag(true),
    tz,
  }),
  output: z.object({ items: z.array(z.object({ month: z.string(), hits: z.number() })), partial: z.boolean() }),
})
