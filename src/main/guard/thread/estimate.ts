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
/** The share of `max_tokens` that such a request reserves if nothing is known: many may be sent together. */
const RESERVED_SHARE = 1 / 4
/** So many answers show how long answers are; of their lengths, this share is at most what a request reserves. */
const SHOWING = 20
/** So many show that answers are longer than a share of `max_tokens`, but not that they are shorter. */
const HINTING = 5
const UPPER = 0.9
/** An entry of the cache lives this long after its last use, unless the request asks for an hour. */
const CACHE_MS = 5 * 60_000
const LONG_CACHE_MS = HOUR_MS

/**
 * Estimates a request. Its input is counted from its text, of which the part that the previous request already sent is read from
 * the cache; its output is the mean of earlier whole responses, or `max_tokens` if `isStrict`. `outputs`: the lengths of the newest
 * whole ones of its model. `usd` is null for a model without a price.
 */
export function estimate(
  request: ReadRequest,
  past: readonly PastCall[],
  {
    pricing,
    isStrict,
    isReserved = false,
    outputs = [],
    wall,
  }: {
    readonly pricing: Pricing
    readonly isStrict: boolean
    readonly outputs?: readonly number[]
    /** What others must count of it, rather than what it costs by itself. */
    readonly isReserved?: boolean
    readonly wall: number
  },
): Pick<Amount, 'tokens'> & { readonly usd: number | null } {
  const bound = request.maxTokens ?? LARGEST_BOUND
  const own = past.flatMap(({ output_tokens }) => output_tokens ?? [])
  const likely = isReserved ? reservedOf(request, own, outputs) : (meanOf(own) ?? usualOf(outputs))
  const output = isStrict ? bound : Math.min(bound, Math.ceil(likely))
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

const meanOf = (lengths: readonly number[]): number | null =>
  lengths.length === 0 ? null : lengths.reduce((sum, length) => sum + length, 0) / lengths.length

const usualOf = (outputs: readonly number[]): number =>
  outputs.length < SHOWING ? USUAL_OUTPUT : (meanOf(outputs) ?? USUAL_OUTPUT)

/** Returns the output to reserve: few answers of the agent, or of its model, are longer. */
function reservedOf({ maxTokens }: ReadRequest, own: readonly number[], outputs: readonly number[]): number {
  const shown = own.length < SHOWING ? outputs : own
  if (shown.length >= SHOWING) return Math.max(upperOf(shown), meanOf(own) ?? 0)
  if (own.length >= HINTING) return Math.max(upperOf(own), meanOf(own) ?? 0)
  // A client may name more than any answer has, and leave: that must not use up a day.
  const share = Math.min(maxTokens ?? USUAL_BOUND, LARGEST_BOUND) * RESERVED_SHARE
  return meanOf(own) ?? Math.max(USUAL_OUTPUT, share, outputs.length < HINTING ? 0 : upperOf(outputs))
}

const upperOf = (lengths: readonly number[]): number =>
  lengths.toSorted((one, other) => one - other)[Math.ceil(lengths.length * UPPER) - 1] ?? 0

/** Returns the tokens of the previous call that the cache still has. */
function keptOf({ model, isCaching, hourTokens }: ReadRequest, last: PastCall, wall: number): number {
  const age = wall - Date.parse(last.timestamp)
  if (!isCaching || last.model !== model || age >= LONG_CACHE_MS) return 0
  return age < CACHE_MS ? last.prompt_tokens : Math.min(last.prompt_tokens, hourTokens)
}
