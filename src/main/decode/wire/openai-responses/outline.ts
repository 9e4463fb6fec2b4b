import type { Json, JsonObject } from '../../../../shared/event.ts'
import { listOf, objectOf } from '../../json-access.ts'
import { comparableCall, contentOf, runningTurn, tokenLimit } from '../request-outline.ts'
import type { RequestOutline } from '../wire.ts'
import { inputOf } from './request.ts'

/** Returns what a Responses request costs and repeats, as far as its body shows it. */
export function outline(body: JsonObject): RequestOutline {
  const items = inputOf(body)
  const tools = listOf(body['tools'])
  const { instructions } = body
  return {
    parts: [...tools, ...(instructions === undefined ? [] : [instructions]), ...items.flatMap(contentOf)],
    hourParts: 0,
    // The API caches without being asked.
    isCaching: true,
    maxTokens: tokenLimit(body['max_output_tokens']),
    turn: runningTurn(items, (item) => objectOf(item)['role'] === 'user').map(callOf),
    isContinued: typeof body['previous_response_id'] === 'string',
    hasTools: tools.length > 0,
    messages: items.length,
  }
}

function callOf(item: Json): readonly string[] {
  const { type, name, arguments: given, input } = objectOf(item)
  return type === 'function_call' || type === 'custom_tool_call' ? [comparableCall(name, given ?? input)] : []
}
