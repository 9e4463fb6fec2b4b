import type { OperationOutput } from '../../../shared/contract/index.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import type { Pricing } from '../../store/pricing/pricing.ts'
import { cacheTokens, costByClient, costByProject, costBySession, costSpent } from '../../store/read/breakdowns.ts'
import type { Reader } from '../../store/read/reader.ts'
import { costSeries as readCostSeries } from '../../store/read/rollups.ts'
import { given } from './given.ts'

export const costSeries: ReaderHandler<'costs.series'> = (reader, input) => ({
  items: readCostSeries(reader, given(input)),
  ...previewMark(reader),
})

export const costBreakdown: ReaderHandler<'costs.breakdown'> = (reader, { limit, ...span }) => ({
  by_project: costByProject(reader, given(span), limit),
  by_session: costBySession(reader, given(span), limit),
  by_client: costByClient(reader, given(span)),
  cache: cacheSavings(reader, given(span)),
  ...previewMark(reader),
})

const previewMark = (reader: Reader) => (reader.showsPreviews() ? { preview: true as const } : {})

export const costsSpent: ReaderHandler<'costs.spent'> = (reader, { spans }) => ({
  items: spans.map((span) => costSpent(reader, given(span))),
})

/** Large enough to avoid rounding errors, small enough for the price tier of short prompts. */
const SAMPLE_TOKENS = 1000

/** Returns today's price of one token in dollars; null if the model has no price. */
function rateOf(pricing: Pricing, model: string, sort: 'input' | 'cache_read_input' | 'cache_creation_input') {
  const none = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_creation_1h_input_tokens: 0,
    web_search_requests: 0,
    service_tier: null,
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
  let saved_usd = 0
  const cache = { read_tokens: 0, written_tokens: 0, unpriced_models: [] as string[] }
  for (const { model, read_tokens: read, written_tokens: written } of cacheTokens(reader, span)) {
    cache.read_tokens += read
    cache.written_tokens += written
    const input = rateOf(reader.pricing, model, 'input')
    const cacheRead = rateOf(reader.pricing, model, 'cache_read_input')
    const cacheWrite = rateOf(reader.pricing, model, 'cache_creation_input')
    if (input === null || cacheRead === null || cacheWrite === null) cache.unpriced_models.push(model)
    else saved_usd += read * (input - cacheRead) - written * (cacheWrite - input)
  }
  return { ...cache, saved_usd }
}
