import type { Json, JsonObject } from '../../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { comparableCall, contentOf, runningTurn, tokenLimit } from '../request-outline.ts'
import type { RequestOutline } from '../wire.ts'

/** Cache marks are searched only in the last messages: clients mark what is new. */
const MESSAGES_SEARCHED = 4

/** Returns the size and the repeated parts of a Messages request, as far as its body shows them. */
export function outline(body: JsonObject): RequestOutline {
  const messages = listOf(body['messages'])
  const tools = listOf(body['tools'])
  const parts = [...tools, ...systemOf(body), ...messages.flatMap(contentOf)]
  const turn = runningTurn(messages, isPrompt)
  return {
    parts,
    hourParts: isHour(body) ? parts.length : parts.findLastIndex(isHour) + 1,
    isCaching: body['cache_control'] !== undefined || hasCacheControl(body, messages),
    maxTokens: tokenLimit(body['max_tokens']),
    terms: {
      speed: stringOf(body['speed']),
      service_tier: stringOf(body['service_tier']),
      inference_geo: stringOf(body['inference_geo']),
    },
    turn: turn.map((message) => contentOf(message).flatMap(callOf)),
    isPrompted: turn.length < messages.length,
    isContinued: false,
    hasTools: tools.length > 0,
    messages: messages.length,
  }
}

function systemOf(body: JsonObject): readonly Json[] {
  const { system } = body
  if (system === undefined) return []
  return Array.isArray(system) ? system : [system]
}

/** Returns whether a part is the end of a prefix that the cache keeps for an hour. */
const isHour = (part: Json): boolean => objectOf(objectOf(part)['cache_control'] ?? null)['ttl'] === '1h'

function hasCacheControl(body: JsonObject, messages: readonly Json[]): boolean {
  const marked = (part: Json) => objectOf(part)['cache_control'] !== undefined
  return (
    listOf(body['tools']).some(marked) ||
    listOf(body['system']).some(marked) ||
    messages.slice(-MESSAGES_SEARCHED).some((message) => contentOf(message).some(marked))
  )
}

function isPrompt(message: Json): boolean {
  const { role, content } = objectOf(message)
  if (role !== 'user') return false
  return typeof content === 'string' || !listOf(content).some((block) => objectOf(block)['type'] === 'tool_result')
}

function callOf(block: Json): readonly string[] {
  const { type, name, input } = objectOf(block)
  return type === 'tool_use' ? [comparableCall(name, input)] : []
}
