import { firstCharacters } from '../../shared/cut-text.ts'
import type { JsonObject } from '../../shared/event.ts'
import type { CacheVerdict } from '../../shared/request-shape.ts'
import { isObject, objectOf, stringOf } from '../../shared/json-fields.ts'
import { cachedOf, countOf, readUsage } from './usage.ts'

/**
 * Reads `diagnostics` of a message, from the wire or a transcript; undefined if there is none. Null means that the API
 * found no difference from the previous request; a null reason means that it does not know yet.
 */
export function cacheVerdict(message: JsonObject): CacheVerdict | undefined {
  const { diagnostics } = message
  if (diagnostics === undefined) return undefined
  if (!isObject(diagnostics)) return diagnostics === null ? { type: null, tokens: null } : undefined
  const reason = diagnostics['cache_miss_reason']
  const { type, cache_missed_input_tokens: tokens } = objectOf(reason)
  const name = stringOf(type)
  if (name === null) return { type: null, tokens: null, inconclusive: true }
  return { type: firstCharacters(name, MAX_TYPE_CHARACTERS), tokens: countOf(tokens) }
}

const MAX_TYPE_CHARACTERS = 100

const CACHE_FIGURES = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']

/** True if a usage has the tokens read from the cache, written to it and neither, and no second figure that contradicts. */
export function reportsCache(usage: JsonObject): boolean {
  const isDenied = cachedOf(usage) > 0 && readUsage(usage).cache_read_input_tokens === 0
  return !isDenied && CACHE_FIGURES.every((name) => countOf(usage[name]) !== null)
}
