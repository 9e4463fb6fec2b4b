import { textsOf } from '../message-texts.ts'
import type { Json, RequestKind } from '../../../../shared/event.ts'
import { modelApiOf } from '../../../proxy/protocol/api-path.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { isCompactionRequest } from './compaction.ts'
import { isObject, listOf, objectOf, stringOf } from '../../../../shared/json-fields.ts'
import { promptText, queuedInReminders, queuedTexts, userInputs } from './prompt-text.ts'
import { isAskedAside, isSideCall } from './side-call.ts'
import { BILLING } from './session-identity.ts'
import { headerOf } from '../../headers.ts'
import { withoutClientTexts } from '../client-texts.ts'
import { wireClientOf } from '../wire-clients.ts'

/** A warm-up has one message from the user and a few that the client adds. */
const MAX_WARMUP_MESSAGES = 8

/** The reason why a request was sent. The first rule that applies decides. */
export function classifyRequest(request: {
  readonly method: string
  readonly path: string
  readonly headers: RawHeaders
  readonly body: Json | null
}): RequestKind {
  const { method, headers, body } = request
  if (method !== 'POST' || modelApiOf(request.path) !== 'messages' || !isObject(body)) return 'infrastructure'
  const messages = listOf(body['messages'])
  const system = systemTexts(body['system'])
  if (body['max_tokens'] === 1) return 'probe'
  const other = wireClientOf(request)
  const kind = other?.kindOf?.(request) ?? null
  if (kind !== null) return kind
  if (other === null && isWarmup(messages, listOf(body['tools']).length, mayWarmAgents(headers))) return 'warmup'
  // An agent's progress is asked for with the agent's id.
  if (isAskedAside(messages, headers)) return 'side_call'
  if (headerOf(headers, 'x-claude-code-agent-id') !== null || system.some(isSubagentAttribution)) return 'subagent'
  if (isSideCall(body, system, headers)) return 'side_call'
  const last = messages.findLast((message) => objectOf(message)['role'] === 'user')
  if (isCompactionRequest(objectOf(last)['content'])) return 'compaction'
  const own = other === null ? messages : listOf(withoutClientTexts(other, body, 'loop')['messages'])
  return newInputs(own) ? 'prompt' : 'loop'
}

const systemTexts = (system: Json | undefined): readonly string[] =>
  textsOf(system).filter((text) => text.trim() !== '')

const isSubagentAttribution = (text: string): boolean => BILLING.test(text) && text.includes('cc_is_subagent=true')

/** Clients before 2.1 warm their agents with "Warmup"; with later clients, a person typed it. */
function mayWarmAgents(headers: RawHeaders): boolean {
  const version = /^claude-cli\/(\d+)\.(\d+)/.exec(headerOf(headers, 'user-agent') ?? '')
  return version === null || Number(version[1]) < 2 || (version[1] === '2' && version[2] === '0')
}

/**
 * The client warms the cache with "Warmup". "hello" counts only without tools: a person says hello too, but that
 * request has tools.
 */
function isWarmup(messages: readonly Json[], tools: number, mayWarm: boolean): boolean {
  // A warm-up never has a long history, since each request would repeat it.
  if (messages.length > MAX_WARMUP_MESSAGES) return false
  const spoken = messages.filter((message) => objectOf(message)['role'] !== 'system')
  if (spoken.length !== 1 || objectOf(spoken[0])['role'] !== 'user') return false
  const words = textsOf(objectOf(spoken[0])['content'])
    .map(promptText)
    .filter((text) => text !== '')
  return (
    words.length === 1 && ((words[0] === 'Warmup' && (mayWarm || tools === 0)) || (words[0] === 'hello' && tools === 0))
  )
}

/** True if the user said something after the assistant's last message. */
function newInputs(messages: readonly Json[]): boolean {
  const lastAnswer = messages.findLastIndex((message) => objectOf(message)['role'] === 'assistant')
  return messages.slice(lastAnswer + 1).some((message) => {
    const { role, content } = objectOf(message)
    if (role === 'user') return userInputs(content).length > 0 || queuedInResults(content)
    return role === 'system' && textsOf(content).some((text) => (queuedTexts(text) ?? []).length > 0)
  })
}

function queuedInResults(content: Json | undefined): boolean {
  return listOf(content).some(
    (block) =>
      objectOf(block)['type'] === 'tool_result' &&
      textsOf(objectOf(block)['content']).some((text) => queuedInReminders(text).length > 0),
  )
}

/** Returns the model that a request names. */
export const requestedModel = (body: Json | null): string | null => (isObject(body) ? stringOf(body['model']) : null)
