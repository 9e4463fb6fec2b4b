import { z } from 'zod'
import { limit, scope, sessionId, since, tz, until, uuid } from './fields.ts'
import { operation } from './operation.ts'

/** The group by skill of the list of all skills, which belongs to none of them. */
export const SKILL_LIST = 'list of skills'

export const CARRY_GROUPS = [
  'kind',
  'tool',
  'mcp_server',
  'file',
  'skill',
  'agent',
  'prompt',
  'session',
  'project',
] as const

/** Carried input, by the API's charge. Tokens are shares of those that the API counted; USD add up to its price. */
const sums = {
  /** How often it was carried: once for each of its blocks in each request that had it. */
  requests: z.number(),
  tokens: z.number(),
  read_tokens: z.number(),
  written_tokens: z.number(),
  uncached_tokens: z.number(),
  usd: z.number(),
  read_usd: z.number(),
  written_usd: z.number(),
  uncached_usd: z.number(),
}

const group = z.object({
  /**
   * The name of the group: a kind, a tool, a path, a skill, an id. Null: everything that belongs to no group, such as text for
   * `by=tool`.
   */
  key: z.string().nullable(),
  /** A display name: the title of a session, the beginning of a prompt, the type of an agent. */
  label: z.string().nullable(),
  session_id: z.string().nullable(),
  turn_id: z.number().nullable(),
  blocks: z.number(),
  /** Length of the blocks' JSON, each block once. */
  bytes: z.number(),
  ...sums,
  /** Only for `by=tool`: calls of the tool in the range, session and project. */
  calls: z.number().optional(),
})
export type CarryGroup = z.infer<typeof group>

/** The input of requests whose blocks are not known, and why. It is part of `total`. */
const unknown = z.object({
  requests: z.number(),
  tokens: z.number(),
  usd: z.number(),
  reasons: z.array(
    z.object({
      reason: z.enum(['not_captured', 'body_gone', 'usage_unreported', 'no_blocks']),
      requests: z.number(),
      tokens: z.number(),
      usd: z.number(),
    }),
  ),
})

/** The input of requests that only transcripts tell of: what they carried is estimated. It is part of `total`. */
const estimated = z.object({ requests: z.number(), tokens: z.number(), usd: z.number() })

/** All input of the range; that of models without a price has no USD. Here, in `estimated` and in `unknown`, an API request counts once. */
const total = z.object({
  requests: z.number(),
  tokens: z.number(),
  usd: z.number(),
  /** Of these, requests of models without a price. */
  unpriced: z.number(),
})

export const carryList = operation({
  name: 'carry.list',
  summary: 'Cost of carrying system prompts, tools, files and messages through requests, most expensive first.',
  http: { method: 'GET', path: '/api/lifestats/carry' },
  input: z.object({
    ...scope,
    by: z.enum(CARRY_GROUPS).default('kind').describe('Default: kind'),
    limit: limit(50),
  }),
  output: z.object({
    by: z.enum(CARRY_GROUPS),
    items: z.array(group),
    /** True if there are more groups than `limit`. */
    more: z.boolean(),
    total,
    estimated,
    unknown,
    /** MCP tools whose definitions were carried and that were not called in the range, session and project. */
    never_called: z.object({
      tools: z.number(),
      usd: z.number(),
      /** At most 100. */
      items: z.array(
        // `requests` as in a group.
        z.object({ tool: z.string(), server: z.string().nullable(), requests: z.number(), usd: z.number() }),
      ),
    }),
  }),
})
export type CarryList = z.infer<typeof carryList.output>

const block = z.object({
  kind: z.string(),
  tool: z.string().nullable(),
  server: z.string().nullable(),
  /** A file, or the name of a skill. */
  name: z.string().nullable(),
  agent_id: z.string().nullable(),
  turn_id: z.number(),
  bytes: z.number().nullable(),
  /** The request in which it entered: its uuid, its time, and the block's place in it. */
  entered: z.object({ exchange: z.string().nullable(), ts_wall: z.string(), position: z.number() }),
  /** The last request that had it. */
  last: z.object({ exchange: z.string().nullable(), ts_wall: z.string() }),
  /** True if it was dropped, for example by a compaction: later requests of its line do not have it. */
  ended: z.boolean(),
  ...sums,
})
export type CarriedBlockItem = z.infer<typeof block>

export const carrySession = operation({
  name: 'carry.session',
  summary: 'Cost of each block of a session while it was carried, most expensive first, and sums by kind.',
  http: { method: 'GET', path: '/api/sessions/:session_id/carry' },
  input: z.object({
    session_id: sessionId,
    /** Only the blocks that this request had. */
    exchange: uuid.optional(),
    since,
    until,
    tz,
    limit: limit(100, 1000),
  }),
  output: z.object({
    session_id: z.string(),
    items: z.array(block),
    more: z.boolean(),
    by_kind: z.array(group),
    total,
    estimated,
    unknown,
  }),
})
