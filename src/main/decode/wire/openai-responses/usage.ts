import type { JsonObject, Usage } from '../../../../shared/event.ts'
import { filledString, objectOf } from '../../../../shared/json-fields.ts'
import { cachedOf, contextTokens, countOf } from '../../usage.ts'

/** Facts of a response that its usage does not hold. */
export interface UsageTerms {
  /** The tier that served the response (`service_tier`): `default`, `flex`, `priority`. */
  readonly serviceTier?: unknown
  /** Searches that the API ran, each of which costs. */
  readonly webSearches?: number
}

/**
 * Converts usage of the Responses API to the stored form. There, cached and newly cached tokens are part of the input, and
 * reasoning is part of the output. Rollouts, and relays of the chat API, name the same counts differently.
 */
export function readResponsesUsage(raw: JsonObject, terms: UsageTerms = {}): Usage {
  const input = objectOf(raw['input_tokens_details'] ?? raw['prompt_tokens_details'])
  const output = objectOf(raw['output_tokens_details'] ?? raw['completion_tokens_details'])
  const count = (...values: readonly unknown[]) => values.map(countOf).find((value) => value !== null) ?? 0
  const total = count(raw['input_tokens'], raw['prompt_tokens'])
  // A server may count more cached tokens than tokens: the parts never exceed the whole.
  const read = Math.min(count(raw['cached_input_tokens'], cachedOf(raw, input)), total)
  const written = Math.min(count(input['cache_write_tokens'], raw['cache_write_input_tokens']), total - read)
  const reasoning = countOf(output['reasoning_tokens']) ?? countOf(raw['reasoning_output_tokens'])
  return {
    input_tokens: total - read - written,
    output_tokens: count(raw['output_tokens'], raw['completion_tokens']),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation_1h_input_tokens: 0,
    thinking_tokens: reasoning,
    web_search_requests: terms.webSearches ?? 0,
    service_tier: tierOf(terms.serviceTier),
    speed: null,
    inference_geo: null,
  }
}

/** Codex writes a response's usage right after its end. */
const SAME_USAGE_MS = 60_000

/** Identifies a response by its tokens and time, for clients that report usage without the response's id. */
export function usageIdentity(usage: Usage): { readonly text: string; readonly within_ms: number } {
  const counts = [contextTokens(usage), usage.cache_read_input_tokens, usage.output_tokens]
  return { text: `usage:${counts.join('-')}`, within_ms: SAME_USAGE_MS }
}

/** `default` is what OpenAI calls the standard tier. */
function tierOf(tier: unknown): string | null {
  const named = filledString(tier)
  return named === 'default' || named === 'auto' ? 'standard' : named
}
