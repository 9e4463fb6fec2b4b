import type { Json, JsonObject } from '../../../../shared/event.ts'
import { listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { comparableCall, contentOf, runningTurn, tokenLimit } from '../request-outline.ts'
import type { RequestOutline } from '../wire.ts'
import { inputOf } from './request.ts'

/** Returns the size and the repeated parts of a Responses request, as far as its body shows them. */
export function outline(body: JsonObject): RequestOutline {
  const items = inputOf(body)
  const tools = listOf(body['tools'])
  const { instructions } = body
  const turn = callsTogether(runningTurn(items, (item) => objectOf(item)['role'] === 'user'))
  return {
    parts: [...tools, ...(instructions === undefined ? [] : [instructions]), ...items.flatMap(contentOf)],
    hourParts: 0,
    // The API caches without being asked.
    isCaching: true,
    maxTokens: tokenLimit(body['max_output_tokens']),
    terms: { speed: null, service_tier: stringOf(body['service_tier']), inference_geo: null },
    turn,
    isPrompted: turn.length < items.length,
    isContinued: typeof body['previous_response_id'] === 'string',
    hasTools: tools.length > 0,
    messages: items.length,
  }
}

/**
 * Returns the calls of each item. The calls of one answer are listed together, at the first of them, because they were
 * made at once.
 */
function callsTogether(items: readonly Json[]): readonly (readonly string[])[] {
  const calls = items.map((): string[] => [])
  let first: string[] | null = null
  for (const [at, item] of items.entries()) {
    const call = callOf(item)
    if (isOutput(item)) first = null
    if (call === null) continue
    first ??= calls[at] ?? []
    first.push(call)
  }
  return calls
}

/** Returns a call as a comparable text; null if the item is not one. */
export function callOf(item: Json): string | null {
  const { type, name, arguments: given, input, action } = objectOf(item)
  if (type === 'local_shell_call') return comparableCall(type, action)
  return type === 'function_call' || type === 'custom_tool_call' ? comparableCall(name, given ?? input) : null
}

const isOutput = (item: Json): boolean => stringOf(objectOf(item)['type'])?.endsWith('_output') === true
