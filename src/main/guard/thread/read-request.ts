import { isObject, listOf, objectOf, parseJson, stringOf } from '../../decode/json-access.ts'
import { headerOf } from '../../decode/headers.ts'
import { identifySession } from '../../decode/client/claude-code/session-identity.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { Json, JsonObject } from '../../../shared/event.ts'
import { estimateTokens } from '../../requests/estimate-tokens.ts'

/** What the guard needs of a request. */
export interface ReadRequest {
  /** null if the request names none. */
  readonly sessionId: string | null
  readonly agentId: string | null
  readonly parentAgentId: string | null
  readonly project: string | null
  readonly model: string
  /** Estimated tokens of system, tools and messages. */
  readonly inputTokens: number
  /** Upper bound of the response; null if the request names none. */
  readonly maxTokens: number | null
  readonly isCaching: boolean
  /** The most calls of one tool with one input in this turn, and that call; only if the newest message repeats it. */
  readonly repeats: { readonly count: number; readonly call: string }
  /** A person's prompt is the newest message: a turn begins. */
  readonly beginsTurn: boolean
}

/** Reads a request of the Messages or Responses API; null if it is neither. The body is hostile. */
export function readRequest(headers: readonly string[], bytes: Uint8Array, wall: number): ReadRequest | null {
  const body = parseJson(new TextDecoder().decode(bytes))
  if (!isObject(body)) return null
  const model = stringOf(body['model'])
  if (model === null) return null
  const raw = pairs(headers)
  // The hash only names conversations that name no session. Those are not told apart here.
  const identity = identifySession({ headers: raw, wall }, body, () => '')
  const messages = listOf(body['messages'] ?? body['input'])
  const parts = [body['system'] ?? body['instructions'], ...listOf(body['tools']), ...messages.flatMap(contentOf)]
  const turn = turnOf(messages)
  return {
    sessionId: identity.unnamed === null ? identity.sessionId : headerOf(raw, 'session_id'),
    agentId: identity.agentId,
    parentAgentId: identity.parentAgentId,
    project: identity.project,
    model,
    inputTokens: parts.reduce((sum: number, part) => sum + (part === undefined ? 0 : estimateTokens(part)), 0),
    maxTokens: countOf(body['max_tokens'] ?? body['max_output_tokens']),
    isCaching: body['cache_control'] !== undefined || hasCacheControl(body, messages),
    repeats: repeatsIn(turn),
    beginsTurn: turn.length === 0,
  }
}

function pairs(flat: readonly string[]): RawHeaders {
  const found: [string, string][] = []
  for (let at = 0; at + 1 < flat.length; at += 2) found.push([flat[at] ?? '', flat[at + 1] ?? ''])
  return found
}

function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null
}

function contentOf(message: Json): readonly Json[] {
  const { content } = objectOf(message)
  if (typeof content === 'string') return [content]
  return content === undefined ? [message] : listOf(content)
}

function hasCacheControl(body: JsonObject, messages: readonly Json[]): boolean {
  const marked = (part: Json) => objectOf(part)['cache_control'] !== undefined
  return listOf(body['system']).some(marked) || messages.slice(-4).some((message) => contentOf(message).some(marked))
}

/** Returns the messages after the newest prompt: those of the running turn. */
function turnOf(messages: readonly Json[]): readonly Json[] {
  const prompt = messages.findLastIndex((message) => {
    const { role, content } = objectOf(message)
    if (role !== 'user') return false
    return typeof content === 'string' || !listOf(content).some((block) => objectOf(block)['type'] === 'tool_result')
  })
  return messages.slice(prompt + 1)
}

/** Counts calls of one tool with one input in a turn, for the calls of its newest answer. */
function repeatsIn(turn: readonly Json[]): ReadRequest['repeats'] {
  const counts = new Map<string, number>()
  let newest: readonly string[] = []
  for (const message of turn) {
    const calls = contentOf(message).flatMap((block) => callOf(block) ?? [])
    if (calls.length > 0) newest = calls
    for (const call of calls) counts.set(call, (counts.get(call) ?? 0) + 1)
  }
  const most = { count: 0, call: '' }
  for (const call of newest) {
    const count = counts.get(call) ?? 0
    if (count > most.count) Object.assign(most, { count, call })
  }
  return most
}

function callOf(block: Json): string | null {
  const { type, name, input, arguments: given } = objectOf(block)
  if (type !== 'tool_use' && type !== 'function_call') return null
  return `${stringOf(name) ?? ''} ${JSON.stringify(input ?? given ?? null)}`
}
