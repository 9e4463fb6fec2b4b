import type { Json, JsonObject, Usage } from '../../shared/event.ts'
import { filledString, isObject, listOf, numberOf, objectOf } from './json-access.ts'

/**
 * `message_delta`'s usage over `message_start`'s: cumulative, and leaving out (or null) what did not change. Nested
 * objects merge the same way.
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

/** Usage as we store it, from the Messages API's own (any field may be null or missing). */
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

/** The parts of a response that the totals leave out (compaction, advisor …); undefined where there are none. */
export function iterationsOf(raw: JsonObject): readonly Json[] | undefined {
  const iterations = listOf(raw['iterations'])
  return iterations.length > 0 ? iterations : undefined
}

/** All tokens: what orders two sightings of one usage, the larger being the better. */
export function totalTokens(usage: Usage): number {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}

/** Tokens that the model read. */
export function contextTokens(usage: Usage): number {
  return usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
}
