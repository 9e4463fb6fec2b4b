import { z } from 'zod'
import { CACHE_CAUSES } from '../cache-causes.ts'
import { cursor, limit, list, project, scope, since, tz, until, userId, uuid } from './fields.ts'
import { operation } from './operation.ts'

const cause = z.object({
  kind: z.enum(CACHE_CAUSES),
  /** The place in the request: `tools[3]`, `system[1]`, `messages[2].content[0]`, a parameter. */
  where: z.string().nullable(),
  detail: z.string().nullable(),
})

/** The API's own verdict (`diagnostics`); null if it gave no reason. */
const vendor = z.object({ type: z.string(), tokens: z.number().nullable() }).nullable()

const item = z.object({
  /** uuid of the request; null if it was not captured. */
  exchange: z.string().nullable(),
  session_id: z.string(),
  user_id: userId,
  turn_id: z.number(),
  agent_id: z.string().nullable(),
  ts_wall: z.string(),
  model: z.string(),
  could_read: z.number(),
  read: z.number(),
  missed_tokens: z.number(),
  /** null if the model has no price. */
  waste_usd: z.number().nullable(),
  cause,
  vendor,
})
export type CacheMiss = z.infer<typeof item>

export const cacheList = operation({
  name: 'cache.list',
  summary: 'Requests that did not read all they could from the prompt cache, newest first, each with its cause.',
  http: { method: 'GET', path: '/api/lifestats/cache' },
  input: z.object({
    ...scope,
    cause: z.enum(CACHE_CAUSES).optional().describe('Only misses with this cause, such as tools_changed'),
    limit: limit(50),
    cursor: cursor.optional(),
  }),
  output: list(item),
})

const sums = {
  /** Those that missed something. */
  requests: z.number(),
  missed_tokens: z.number(),
  waste_usd: z.number(),
}

export const cacheSummary = operation({
  name: 'cache.summary',
  summary: 'Cost of cache misses, by cause, project, week and client version.',
  http: { method: 'GET', path: '/api/lifestats/cache/summary' },
  input: z.object({ since, until, tz, project }),
  output: z.object({
    /** Number of answers in the range, and of those that the ledger could judge. */
    requests: z.number(),
    judged: z.number(),
    /** Cost of these answers and of the judged ones, without models that have no price. */
    cost_usd: z.number(),
    judged_cost_usd: z.number(),
    could_read: z.number(),
    read: z.number(),
    missed_tokens: z.number(),
    waste_usd: z.number(),
    /** Misses of models without a price: their waste is not in the sums. */
    unpriced: z.number(),
    by_cause: z.array(z.object({ cause: z.enum(CACHE_CAUSES), ...sums })),
    by_project: z.array(z.object({ project: z.string().nullable(), ...sums })),
    /** `week`: its Monday, in UTC. */
    by_week: z.array(z.object({ week: z.string(), ...sums })),
    by_client_version: z.array(z.object({ client_version: z.string().nullable(), ...sums })),
    /** Misses for which the API gave a reason, and those for which it gave the same one as Aspy. */
    vendor: z.object({ compared: z.number(), agreed: z.number() }),
  }),
})

const difference = z.object({
  change: z.enum(['equal', 'added', 'removed', 'changed', 'moved']),
  /** Its position in the request, or in the previous one. */
  at: z.string(),
  kind: z.string(),
  tool: z.string().nullable(),
  /** Number of blocks: more than 1 only for equal ones, which are folded. */
  blocks: z.number(),
  /** Index of the first character that differs; null unless both texts are stored. */
  first_difference: z.number().nullable(),
  /** Texts as JSON, cut after 20,000 characters; null if equal or not stored. */
  before: z.string().nullable(),
  after: z.string().nullable(),
})

export const requestDiff = operation({
  name: 'requests.diff',
  summary: 'Compares a request with the previous one of its line, or with another, block by block.',
  http: { method: 'GET', path: '/api/events/:uuid/diff' },
  input: z.object({ uuid, against: uuid.optional().describe('Compare with this request instead') }),
  output: z.object({
    uuid: z.string(),
    /** null for the first request of its line. */
    against: z.string().nullable(),
    cause: cause.nullable(),
    /** Omitted if it is not known. */
    cost_usd: z.number().optional(),
    parameters: z.array(z.object({ name: z.string(), before: z.string().nullable(), after: z.string().nullable() })),
    items: z.array(difference),
    /** True if there are more differences than fit into the answer. */
    partial: z.boolean(),
  }),
})
export type RequestDiff = z.infer<typeof requestDiff.output>
