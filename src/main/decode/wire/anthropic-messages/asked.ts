import type { Json, JsonObject, Usage } from '../../../../shared/event.ts'
import type { AskedFor, ServedAs } from '../../../../shared/service-terms.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { headerOf } from '../../headers.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { readUsage } from '../../usage.ts'

/** Cache marks are searched only in the last messages: clients mark what is new. */
const MESSAGES_SEARCHED = 8
const MAX_BETAS = 40

/** Returns the service options of a request; null if its body is not a Messages API request. */
export function askedFor(body: Json | null, headers: RawHeaders): AskedFor | null {
  if (!isObject(body) || !Array.isArray(body['messages'])) return null
  return {
    model: filledString(body['model']),
    betas: betasOf(headers),
    effort: filledString(objectOf(body['output_config'])['effort']),
    speed: filledString(body['speed']),
    service_tier: filledString(body['service_tier']),
    inference_geo: filledString(body['inference_geo']),
    cache_ttl: ttlOf(body),
  }
}

function betasOf(headers: RawHeaders): readonly string[] {
  const betas = (headerOf(headers, 'anthropic-beta') ?? '').split(',').map((beta) => beta.trim())
  return [...new Set(betas.filter((beta) => beta !== ''))].sort().slice(0, MAX_BETAS)
}

/** The lifetime of a request's cache marks; `mixed` if they differ, null if there are none. */
function ttlOf(body: JsonObject): AskedFor['cache_ttl'] {
  const messages = listOf(body['messages']).slice(-MESSAGES_SEARCHED)
  const blocks = [
    body,
    ...listOf(body['system']),
    ...listOf(body['tools']),
    ...messages.flatMap((message) => listOf(objectOf(message)['content'])),
  ]
  const marks = blocks.map((block) => objectOf(block)['cache_control']).filter(isObject)
  const lives = new Set(marks.map((mark) => (mark['ttl'] === '1h' ? '1h' : '5m') as '1h' | '5m'))
  const [only = null] = lives
  return lives.size > 1 ? 'mixed' : only
}

/** Returns the usage of an answer. A gateway may not say for how long writes are kept: then as the request asked. */
export function usageAsAsked(raw: JsonObject, asked: AskedFor | null | undefined): Usage {
  const usage = readUsage(raw)
  if (asked?.cache_ttl !== '1h' || isObject(raw['cache_creation'])) return usage
  return { ...usage, cache_creation_1h_input_tokens: usage.cache_creation_input_tokens }
}

/** Returns how an answer was served, from its usage. */
export function servedAs(raw: JsonObject): ServedAs {
  const usage = readUsage(raw)
  const written = usage.cache_creation_input_tokens
  const hour = usage.cache_creation_1h_input_tokens
  // Without the split by lifetime, it is not known.
  const isSplit = isObject(raw['cache_creation'])
  return {
    speed: usage.speed,
    service_tier: usage.service_tier,
    inference_geo: usage.inference_geo,
    cache_ttl: !isSplit || written === 0 ? null : hour === 0 ? '5m' : hour === written ? '1h' : 'mixed',
  }
}
