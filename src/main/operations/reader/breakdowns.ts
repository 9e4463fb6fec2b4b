import type { OperationOutput } from '../../../shared/contract/index.ts'
import { matchWords } from '../../recall/query.ts'
import type { Pricing } from '../../store/pricing/pricing.ts'
import {
  cacheTokens,
  costByProject,
  costBySession,
  costSpent,
  newestLimits,
  newestOutcomes,
  type ToolOutcome,
} from '../../store/read/breakdowns.ts'
import type { Reader } from '../../store/read/reader.ts'
import { monthsOf } from '../../store/read/recall-months.ts'
import { readToolTotals } from '../../store/read/rollups.ts'
import { compactionsOf, contextCurve, turnUsage } from '../../store/read/session-usage.ts'
import { given } from './given.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'

const CURVE_POINTS = 500

export const sessionUsage: ReaderHandler<'sessions.usage'> = (reader, { session_id: session }) => ({
  turns: turnUsage(reader, session),
  context: contextCurve(reader, session, CURVE_POINTS),
  compactions: compactionsOf(reader, session),
})

export const costBreakdown: ReaderHandler<'costs.breakdown'> = (reader, { limit, ...span }) => ({
  by_project: costByProject(reader, given(span), limit),
  by_session: costBySession(reader, given(span), limit),
  cache: cacheSavings(reader, given(span)),
})

export const costsSpent: ReaderHandler<'costs.spent'> = (reader, { spans }) => ({
  items: spans.map((span) => costSpent(reader, given(span))),
})

/** Large enough for a price that loses nothing to rounding, small enough for the tier of short prompts. */
const SAMPLE_TOKENS = 1000

/** Dollars a token of one sort costs by today's prices; null: the model has none. */
function rateOf(
  pricing: Pricing,
  model: string,
  sort: 'input' | 'cache_read_input' | 'cache_creation_input',
): number | null {
  const none = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation_1h_input_tokens: 0,
    web_search_requests: 0,
    speed: null,
    inference_geo: null,
  }
  const cost = pricing.price(model, { ...none, [`${sort}_tokens`]: SAMPLE_TOKENS }, new Date().toISOString())
  return cost === null ? null : cost / SAMPLE_TOKENS
}

function cacheSavings(
  reader: Reader,
  span: Parameters<typeof cacheTokens>[1],
): OperationOutput<'costs.breakdown'>['cache'] {
  const cache = { saved_usd: 0, read_tokens: 0, written_tokens: 0, unpriced_models: [] as string[] }
  for (const { model, read_tokens: read, written_tokens: written } of cacheTokens(reader, span)) {
    cache.read_tokens += read
    cache.written_tokens += written
    const input = rateOf(reader.pricing, model, 'input')
    const cacheRead = rateOf(reader.pricing, model, 'cache_read_input')
    const cacheWrite = rateOf(reader.pricing, model, 'cache_creation_input')
    if (input === null || cacheRead === null || cacheWrite === null) cache.unpriced_models.push(model)
    else cache.saved_usd += read * (input - cacheRead) - written * (cacheWrite - input)
  }
  return cache
}

const LIMITS_LOOKED_AT = 20

export const limitsLatest: ReaderHandler<'limits.latest'> = (reader) => {
  const told = newestLimits(reader, LIMITS_LOOKED_AT).map(({ ts_wall: at, payload }) => ({
    at,
    limits: (reader.payload(payload)['limits'] ?? {}) as { readonly [name: string]: unknown },
  }))
  const windows = (['5h', '7d'] as const).flatMap((name) => {
    const newest = told.find(({ limits }) => numberOf(limits[`unified-${name}-utilization`]) !== null)
    const utilization = numberOf(newest?.limits[`unified-${name}-utilization`])
    return newest === undefined || utilization === null
      ? []
      : [{ name, utilization, resets_at: momentOf(newest.limits[`unified-${name}-reset`]) }]
  })
  return { at: windows.length === 0 ? null : (told[0]?.at ?? null), windows }
}

function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

/** The API gives seconds since 1970, or ISO 8601. */
function momentOf(value: unknown): string | null {
  const seconds = numberOf(value)
  const time = seconds === null ? Date.parse(String(value)) : seconds * 1000
  return Number.isFinite(time) ? new Date(time).toISOString() : null
}

const TOOLS_LOOKED_AT = 60
const CALLS_OF_A_TOOL = 2000

export const toolPace: ReaderHandler<'tools.pace'> = (reader, input) => {
  const tools = readToolTotals(reader, given(input)).slice(0, TOOLS_LOOKED_AT)
  const among = { since: input.since ?? '', project: input.project ?? null, calls: CALLS_OF_A_TOOL }
  return { items: tools.map(({ tool }) => paceOf(tool, newestOutcomes(reader, tool, among))) }
}

function paceOf(tool: string, outcomes: readonly ToolOutcome[]): OperationOutput<'tools.pace'>['items'][number] {
  const durations = outcomes.flatMap(({ duration_ms: ms }) => ms ?? []).sort((a, b) => a - b)
  const rank = (share: number) => durations[Math.max(0, Math.ceil(durations.length * share) - 1)] ?? null
  return {
    tool,
    timed: durations.length,
    p50_ms: rank(0.5),
    p95_ms: rank(0.95),
    failed: outcomes.filter(({ success, rejected }) => success === 0 && rejected === 0).length,
    rejected: outcomes.filter(({ rejected }) => rejected !== 0).length,
  }
}

export const recallMonths: ReaderHandler<'recall.months'> = (reader, input) => {
  const words = matchWords(input.query)
  if (words === null) return { items: [], partial: false }
  return monthsOf(reader, words, {
    types: [
      ...(input.prompts ? (['user_prompt'] as const) : []),
      ...(input.responses ? (['assistant_response', 'compaction'] as const) : []),
      ...(input.thinking ? (['thinking'] as const) : []),
    ],
    project: input.project ?? null,
  })
}
