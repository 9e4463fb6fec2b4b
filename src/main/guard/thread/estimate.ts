import type { Pricing } from '../../store/pricing/pricing.ts'
import type { PastCall } from '../../store/read/guard.ts'
import type { ReadRequest } from './read-request.ts'
import type { Amount } from './spending.ts'

/** Output of a response if nothing is known of earlier ones. */
const USUAL_OUTPUT = 1000
/** An entry of the cache lives this long after its last use, unless the request asks for an hour. */
const CACHE_MS = 5 * 60_000

/**
 * Estimates a request. Its input is counted from its text, of which the part that the previous request already sent is read from
 * the cache; its output is the mean of earlier responses, or `max_tokens` if `isStrict`. Returns null for a model without a price.
 */
export function estimate(
  request: ReadRequest,
  past: readonly PastCall[],
  { pricing, isStrict, wall }: { readonly pricing: Pricing; readonly isStrict: boolean; readonly wall: number },
): Amount | null {
  const bound = request.maxTokens ?? Number.POSITIVE_INFINITY
  const mean =
    past.length === 0 ? USUAL_OUTPUT : past.reduce((sum, { output_tokens }) => sum + output_tokens, 0) / past.length
  const output = isStrict && request.maxTokens !== null ? bound : Math.min(bound, Math.ceil(mean))
  const [last] = past
  const isWarm =
    last !== undefined &&
    last.model === request.model &&
    wall - Date.parse(last.timestamp) < CACHE_MS &&
    request.isCaching
  const read = isWarm ? Math.min(last.prompt_tokens, request.inputTokens) : 0
  const rest = request.inputTokens - read
  const usage = {
    input_tokens: request.isCaching ? 0 : rest,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: request.isCaching ? rest : 0,
    cache_creation_1h_input_tokens: 0,
    web_search_requests: 0,
    service_tier: null,
    speed: null,
    inference_geo: null,
  }
  const usd = pricing.price(request.model, usage, new Date(wall).toISOString())
  return usd === null ? null : { usd, tokens: request.inputTokens + output }
}
