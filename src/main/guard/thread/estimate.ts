import type { Pricing } from '../../store/pricing/pricing.ts'
import type { PastCall } from '../../store/read/guard.ts'
import type { ReadRequest } from './read-request.ts'
import type { Amount } from './spending.ts'
import { HOUR_MS } from '../../../shared/time-units.ts'

/** Output of a response if nothing is known of earlier ones. */
const USUAL_OUTPUT = 1000
/** An entry of the cache lives this long after its last use, unless the request asks for an hour. */
const CACHE_MS = 5 * 60_000
const LONG_CACHE_MS = HOUR_MS

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
  const cached = last === undefined ? 0 : keptOf(request, last, wall)
  const read = Math.min(cached, request.inputTokens)
  const rest = request.inputTokens - read
  const forAnHour = Math.min(rest, Math.max(0, request.hourTokens - read))
  const usage = {
    input_tokens: request.isCaching ? 0 : rest,
    output_tokens: output,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: request.isCaching ? rest : 0,
    cache_creation_1h_input_tokens: request.isCaching ? forAnHour : 0,
    web_search_requests: 0,
    service_tier: null,
    speed: null,
    inference_geo: null,
  }
  const usd = pricing.price(request.model, usage, new Date(wall).toISOString())
  return usd === null ? null : { usd, tokens: request.inputTokens + output }
}

/** Returns the tokens of the previous call that the cache still has. */
function keptOf({ model, isCaching, hourTokens }: ReadRequest, last: PastCall, wall: number): number {
  const age = wall - Date.parse(last.timestamp)
  if (!isCaching || last.model !== model || age >= LONG_CACHE_MS) return 0
  return age < CACHE_MS ? last.prompt_tokens : Math.min(last.prompt_tokens, hourTokens)
}
