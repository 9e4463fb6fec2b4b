import type { Json, JsonObject, Usage } from '../../shared/event.ts'
import { filledString, isObject, listOf, numberOf, objectOf } from './json-access.ts'

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

/** Converts the Messages API's usage (any field may be null or missing) to the stored form. */
export function readUsage(raw: JsonObject): Usage {
  const creation = objectOf(raw['cache_creation'])
  const fiveMinutes = numberOf(creation['ephemeral_5m_input_tokens']) ?? 0
  const oneHour = numberOf(creation['ephemeral_1h_input_tokens']) ?? 0
  const created = numberOf(raw['cache_creation_input_tokens']) ?? 0
  return {
    input_tokens: numberOf(raw['input_tokens']) ?? 0,
    output_tokens: numberOf(raw['output_tokens']) ?? 0,
    cache_read_input_tokens: numberOf(raw['cache_read_input_tokens']) ?? 0,
    cache_creation_input_tokens: Math.max(created, fiveMinutes + oneHour),
    cache_creation_1h_input_tokens: oneHour,
    thinking_tokens: numberOf(objectOf(raw['output_tokens_details'])['thinking_tokens']),
    web_search_requests: numberOf(objectOf(raw['server_tool_use'])['web_search_requests']) ?? 0,
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
