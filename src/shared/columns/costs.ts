import type { OperationOutput } from '../contract/index.ts'
import { type FailureCounts, formatFailures } from '../failures.ts'
import { clientLabel } from '../vendors.ts'
import { tableOf } from './column.ts'
import { pricedCost, UNPRICED, unpricedOf } from '../spend.ts'

type Breakdown = OperationOutput<'costs.breakdown'>

const CALLS = { name: 'Requests', format: 'count' } as const
const TOKENS = { name: 'Tokens', format: 'count' } as const
const COST = { name: 'Cost', format: 'money' } as const
/** Unknown if no call has a price, and marked if some have none. */
const SPENT = { ...COST, of: pricedCost, unpriced: unpricedOf } as const
const SHARE = { name: 'Share', format: 'share' } as const

/** Cost by project, each with its share of all. */
export const projectCostsTable = tableOf<Breakdown['by_project'][number] & { readonly share: number | null }>()({
  columns: {
    project: { name: 'Project', format: 'project', fit: 'cut' },
    calls: { ...CALLS, from: 560 },
    tokens: TOKENS,
    cost_usd: SPENT,
    share: SHARE,
  },
})

/** Cost by member of a team. */
export const memberCostsTable = tableOf<NonNullable<Breakdown['by_user']>[number]>()({
  columns: { user: { name: 'Member', fit: 'cut' }, calls: CALLS, tokens: TOKENS, cost_usd: SPENT },
})

/** Cost by client. */
export const clientCostsTable = tableOf<Breakdown['by_client'][number] & Partial<FailureCounts>>()({
  columns: {
    client: { name: 'Client', of: (row) => clientLabel(row.client), fit: 'cut' },
    sessions: { name: 'Sessions', format: 'count' },
    // No call of such sessions reported its usage.
    tokens: { ...TOKENS, of: ({ tokens }) => tokens || null },
    cost: { ...SPENT, of: (row) => (row.tokens === 0 ? null : pricedCost(row)) },
    failures: {
      name: 'Failures',
      of: ({ api_errors = 0, failed_tools = 0 }) => formatFailures({ api_errors, failed_tools }),
      align: 'right',
      only: 'terminal',
    },
  },
})

/** The most expensive sessions. */
export const sessionCostsTable = tableOf<Breakdown['by_session'][number]>()({
  columns: {
    title: { name: 'Session', of: (row) => row.title ?? 'Untitled session', fit: 'cut' },
    started_at: { name: 'Started', format: 'moment', align: 'right' },
    calls: CALLS,
    tokens: TOKENS,
    cost_usd: SPENT,
  },
})

/** Sums of a model's calls. */
interface ModelCosts {
  readonly model: string
  readonly calls: number
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheCreation: number
  readonly cost: number
  readonly unpricedCalls: number
  readonly share: number | null
}

/** Tokens and cost of each model. */
export const modelCostsTable = tableOf<ModelCosts>()({
  columns: {
    model: { name: 'Model', format: 'model' },
    calls: CALLS,
    input: { name: 'Input', format: 'count', hint: 'Uncached input tokens' },
    cacheRead: { name: 'Cache read', format: 'count' },
    // An API that reports reads but never a write does not report writes.
    cacheCreation: {
      name: 'Cache write',
      of: (row) => (row.cacheCreation === 0 && row.cacheRead > 0 ? null : row.cacheCreation),
      format: 'count',
    },
    output: { name: 'Output', format: 'count' },
    cost: { ...COST, of: (row) => (row.unpricedCalls === row.calls ? null : row.cost) },
    share: { ...SHARE, align: 'left' },
  },
})

interface BucketCosts {
  readonly name: string
  readonly tokens: number
  readonly total: number
  readonly before: number | null
}

/** Cost by hour, day or month, compared with the period before. */
export const bucketCostsTable = tableOf<BucketCosts>()({
  columns: {
    name: { name: 'Time' },
    tokens: TOKENS,
    total: COST,
    before: { name: 'Period before', format: 'money', tone: 'soft', only: 'filled' },
  },
})

/** Costs by time and model, as files have them. */
export const costSeriesTable = tableOf<OperationOutput<'costs.series'>['items'][number]>()({
  columns: {},
  file: [
    'bucket',
    'model',
    'cost_usd',
    'calls',
    UNPRICED,
    'lower_bound_calls',
    'input_tokens',
    'output_tokens',
    'cache_read_tokens',
    'cache_creation_tokens',
  ],
})
