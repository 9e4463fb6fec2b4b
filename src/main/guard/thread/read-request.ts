import { isObject, listOf, objectOf, parseJson, stringOf } from '../../decode/json-access.ts'
import { identifySession } from '../../decode/client/claude-code/session-identity.ts'
import { codexId, codexPlace, turnMetadata } from '../../decode/client/codex/identity.ts'
import { headerOf } from '../../decode/headers.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { Json, JsonObject } from '../../../shared/event.ts'
import { estimateTokens } from '../../requests/estimate-tokens.ts'
import { pairs } from './plain-request.ts'

/** What the guard needs of a request. */
export interface ReadRequest {
  /** null if the request names none. */
  readonly sessionId: string | null
  readonly agentId: string | null
  readonly parentAgentId: string | null
  readonly project: string | null
  readonly model: string
  /** Estimated tokens of system, tools and messages, as far as the request has them. */
  readonly inputTokens: number
  /** It has only what is new: the API adds it to what an earlier response had. */
  readonly isContinued: boolean
  /** Upper bound of the response; null if the request names none. */
  readonly maxTokens: number | null
  readonly isCaching: boolean
  /** Of `inputTokens`: those at its beginning that are kept for an hour. */
  readonly hourTokens: number
  /** The most calls of one tool with one input in this turn, and that call; only if the newest message repeats it. */
  readonly repeats: { readonly count: number; readonly call: string }
  /** A person's prompt is the newest message of a request with tools: a turn begins. The client's own jobs have no tools. */
  readonly beginsTurn: boolean
  readonly messages: number
}

/** Reads a request of the Messages or Responses API; null if it is neither. The body is hostile. */
export function readRequest(headers: readonly string[], bytes: Uint8Array, wall: number): ReadRequest | null {
  const body = parseJson(new TextDecoder().decode(bytes))
  if (!isObject(body)) return null
  const model = stringOf(body['model'])
  if (model === null) return null
  const raw = pairs(headers)
  const isResponses = body['input'] !== undefined
  const sender = isResponses ? responsesSender(raw, body) : messagesSender(raw, body, wall)
  const messages = listOf(body[isResponses ? 'input' : 'messages'])
  // In the order of the API's cache.
  const tools = listOf(body['tools'])
  const isContinued = typeof body['previous_response_id'] === 'string'
  const parts = [...tools, ...systemOf(body), ...messages.flatMap(contentOf)]
  const sizes = parts.map((part) => estimateTokens(part))
  const turn = turnOf(messages)
  return {
    ...sender,
    model,
    inputTokens: sum(sizes),
    isContinued,
    maxTokens: countOf(body['max_tokens'] ?? body['max_output_tokens']),
    // The Responses API caches without being asked.
    isCaching: isResponses || body['cache_control'] !== undefined || hasCacheControl(body, messages),
    hourTokens: isHour(body) ? sum(sizes) : sum(sizes.slice(0, parts.findLastIndex(isHour) + 1)),
    repeats: repeatsIn(turn),
    beginsTurn: turn.length === 0 && (tools.length > 0 || isContinued),
    messages: messages.length,
  }
}

type Sender = Pick<ReadRequest, 'sessionId' | 'agentId' | 'parentAgentId' | 'project'>

function messagesSender(headers: RawHeaders, body: JsonObject, wall: number): Sender {
  // The hash only names conversations that name no session. Those are not told apart here.
  const { sessionId, unnamed, agentId, parentAgentId, project } = identifySession({ headers, wall }, body, () => '')
  return { sessionId: unnamed === null ? sessionId : null, agentId, parentAgentId, project }
}

function responsesSender(headers: RawHeaders, body: JsonObject): Sender {
  const said = turnMetadata(headers, body)
  const session = headerOf(headers, 'session-id') ?? said.sessionId
  const place = codexPlace(session, headerOf(headers, 'thread-id') ?? said.threadId)
  const { parentThreadId: parent } = said
  return {
    sessionId: place?.sessionId ?? null,
    agentId: place?.agentId ?? null,
    parentAgentId: parent === null || parent === session ? null : codexId(parent),
    // The store knows it once the session has begun.
    project: null,
  }
}

function countOf(value: Json | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : null
}

function systemOf(body: JsonObject): readonly Json[] {
  const system = body['system'] ?? body['instructions']
  if (system === undefined) return []
  return Array.isArray(system) ? system : [system]
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** Returns whether a part ends what the cache keeps for an hour. */
function isHour(part: Json): boolean {
  return objectOf(objectOf(part)['cache_control'] ?? null)['ttl'] === '1h'
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
