import type { Json, JsonObject, Usage } from '../../shared/event.ts'
import { filledString, isObject, listOf, objectOf } from '../../shared/json-fields.ts'

/**
 * Merges `message_delta`'s usage into `message_start`'s: figures are cumulative, and unchanged ones are missing or
 * null. Nested objects merge the same way.
 */
export function mergeUsage(before: JsonObject, after: JsonObject): JsonObject {
  const merged: { [key: string]: Json } = { ...before }
  for (const [key, value] of Object.entries(after)) {
    if (value === null) continue
    const known = merged[key]
    merged[key] = isObject(value) && isObject(known) ? mergeUsage(known, value) : value
  }
  return merged
}

/**
 * No response has that many tokens, so a larger figure is an error. Sums of such figures still fit into an SQL integer.
 */
const MAX_COUNT = 1e9

/** A count from outside as a whole number; null if it is missing or cannot be one (negative, endless, a text). */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_COUNT ? Math.trunc(value) : null
}

/** Converts the Messages API's usage (any field may be null or missing) to the stored form. */
export function readUsage(raw: JsonObject): Usage {
  const creation = objectOf(raw['cache_creation'])
  const count = (value: unknown) => countOf(value) ?? 0
  const fiveMinutes = count(creation['ephemeral_5m_input_tokens'])
  const oneHour = count(creation['ephemeral_1h_input_tokens'])
  const created = count(raw['cache_creation_input_tokens'])
  return {
    input_tokens: count(raw['input_tokens']),
    output_tokens: count(raw['output_tokens']),
    cache_read_input_tokens: count(raw['cache_read_input_tokens']),
    cache_creation_input_tokens: Math.max(created, fiveMinutes + oneHour),
    cache_creation_1h_input_tokens: oneHour,
    thinking_tokens: countOf(objectOf(raw['output_tokens_details'])['thinking_tokens']),
    web_search_requests: count(objectOf(raw['server_tool_use'])['web_search_requests']),
    service_tier: filledString(raw['service_tier']),
    speed: filledString(raw['speed']),
    inference_geo: filledString(raw['inference_geo']),
  }
}

/** Parts of a response that the totals omit (compaction, advisor …); undefined if there are none. */
export function iterationsOf(raw: JsonObject): readonly Json[] | undefined {
  const iterations = listOf(raw['iterations'])
  return iterations.length > 0 ? iterations : undefined
}

/** All tokens. Of two sightings of one usage, the larger is the better. */
export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}

/** Tokens of the model's input. */
export function contextTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}
