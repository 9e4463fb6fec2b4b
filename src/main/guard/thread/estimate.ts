import type { Pricing } from '../../store/pricing/pricing.ts'
import type { PastCall } from '../../store/read/guard.ts'
import type { ReadRequest } from './read-request.ts'
import type { Amount } from './spending.ts'
import { HOUR_MS } from '../../../shared/time-units.ts'

/** Output of a response if nothing is known of earlier ones. */
const USUAL_OUTPUT = 1000
/** What a response may have if the request names no limit: a first one of many, and any at most. */
const USUAL_BOUND = 32_000
const LARGEST_BOUND = 128_000
/** The share of `max_tokens` that such a request reserves at least: many may be sent together. */
const RESERVED_SHARE = 1 / 4
/** An entry of the cache lives this long after its last use, unless the request asks for an hour. */
const CACHE_MS = 5 * 60_000
const LONG_CACHE_MS = HOUR_MS

/**
 * Estimates a request. Its input is counted from its text, of which the part that the previous request already sent is read from
 * the cache; its output is the mean of earlier whole responses, or `max_tokens` if `isStrict`. `usd` is null for a model without
 * a price.
 */
export function estimate(
  request: ReadRequest,
  past: readonly PastCall[],
  {
    pricing,
    isStrict,
    isReserved = false,
    wall,
  }: {
    readonly pricing: Pricing
    readonly isStrict: boolean
    /** What others must count of it, rather than what it costs by itself. */
    readonly isReserved?: boolean
    readonly wall: number
  },
): Pick<Amount, 'tokens'> & { readonly usd: number | null } {
  const bound = request.maxTokens ?? LARGEST_BOUND
  // A client may name more than any answer has, and leave: that must not use up a day.
  const share = Math.min(request.maxTokens ?? USUAL_BOUND, LARGEST_BOUND) * RESERVED_SHARE
  const usual = isReserved ? Math.max(USUAL_OUTPUT, share) : USUAL_OUTPUT
  const lengths = past.flatMap(({ output_tokens }) => output_tokens ?? [])
  const mean = lengths.length === 0 ? usual : lengths.reduce((sum, length) => sum + length, 0) / lengths.length
  const output = isStrict ? bound : Math.min(bound, Math.ceil(mean))
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
    ...request.terms,
  }
  const usd = pricing.price(request.model, usage, new Date(wall).toISOString())
  return { usd, tokens: request.inputTokens + output }
}

/** Returns the tokens of the previous call that the cache still has. */
function keptOf({ model, isCaching, hourTokens }: ReadRequest, last: PastCall, wall: number): number {
  const age = wall - Date.parse(last.timestamp)
  if (!isCaching || last.model !== model || age >= LONG_CACHE_MS) return 0
  return age < CACHE_MS ? last.prompt_tokens : Math.min(last.prompt_tokens, hourTokens)
}
