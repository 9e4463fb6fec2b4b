import type {
  DecodedRequest,
  LatestWords,
  RequestExchange,
  RequestHistory,
  RequestLookups,
  SessionIdentity,
} from '../wire.ts'
import type { Json, JsonObject, RequestKind } from '../../../../shared/event.ts'
import { askedFor } from './asked.ts'
import { agentStartedDraft } from '../../client/claude-code/agents.ts'
import { compactionSummary, compactionTrigger, isContinuation } from '../../client/claude-code/compaction.ts'
import { asCompactCommand, compactionKey } from '../../compaction-key.ts'
import type { DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf } from '../../../../shared/json-fields.ts'
import { promptText } from '../../client/claude-code/prompt-text.ts'
import { hasClaudeCodeMark, isClaudeCode } from '../../client/claude-code/session-identity.ts'
import { withoutClientTexts } from '../../client/client-texts.ts'
import { textsOf } from '../../client/message-texts.ts'
import type { ClientRequest } from '../../client/wire-client.ts'
import { wireClientFact, wireClientOf, wireClientOfHeaders } from '../../client/wire-clients.ts'
import { endedAgents } from './ended-agents.ts'
import { withEarlierTexts } from '../repeated-texts.ts'
import { identifySender } from './sender.ts'
import { classifyRequest, requestedModel } from '../../client/claude-code/request-kind.ts'
import { endIsRefused } from './latest-words.ts'
import { requestBase, requestDraft } from '../request-draft.ts'
import { readMessages, sidePrompts } from './request-messages.ts'

/** Decodes the new parts of a request: prompts, tool results, an agent's start, a compaction, unseen history. */
export function decodeRequest(
  exchange: RequestExchange,
  body: Json | null,
  history: RequestHistory,
  lookups: RequestLookups,
): DecodedRequest {
  const client = wireClientOf({ headers: exchange.headers, body })
  const identity = lookups.identity ?? identifySender(exchange, body, lookups.hash)
  let requestKind = lookups.requestKind ?? classifyRequest({ ...exchange, body })
  const base = requestBase(exchange, identity)
  const isConversation = CONVERSATIONS.has(requestKind)
  const sent = isObject(body) ? body : {}
  const message = client === null || !isConversation ? sent : withoutClientTexts(client, sent, requestKind)
  const told: AnyDraft[] = []
  let tail: readonly string[] = []
  let words: LatestWords | undefined
  let turnEndKeys: readonly string[] = []
  let beginsTurn = false
  if (isConversation) {
    if (requestKind === 'subagent' && identity.agentId !== null && isFirst(history))
      told.push(startOfAgent(base, message, identity, identity.agentId, lookups))
    const compacted = shownCompaction(base, message, history)
    told.push(...compacted)
    const readAs = (known: RequestHistory) =>
      readMessages(base, exchange.exchange, requestKind, message, known, lookups)
    const read = readAs(history)
    const readDrafts = withEarlierTexts(read.drafts, history, (whole) => readAs(whole).drafts)
    told.push(...asCompactCommand(readDrafts, compacted[0]?.keys[0] ?? null))
    told.push(...endedAgents(client, message, read.drafts, lookups.hash))
    // It does not show the `/compact` or the prompt that led to it: a hook does, or else the next request.
    beginsTurn = requestKind === 'compaction' && !isAmongCalls(listOf(message['messages']))
    tail = beginsTurn ? [] : read.tail
    words = read.words
    // The turn ends once, as the event that the refused end made.
    if (history.previousRequestUuid !== null && endIsRefused(listOf(message['messages']).map(objectOf)))
      turnEndKeys = [naturalKey.exchange(history.previousRequestUuid, 'turn_end')]
    // The body alone does not show that its words are those of the previous request.
    if (read.isRepeated && requestKind === 'prompt') requestKind = 'loop'
  } else if (requestKind === 'side_call' && identity.agentId === null && !history.identicalToPrevious) {
    told.push(...sidePrompts(base, exchange.exchange, message, lookups.hash))
    if (told.length > 0) tail = [naturalKey.wirePrompt(exchange.exchange, 0)]
  }
  const previous = previousMessage(sent)
  const parents = previous === null ? tail : [...tail, naturalKey.response(previous)]
  const request = requestDraft(base, exchange, history, lookups, parents, {
    request_kind: requestKind,
    model: requestedModel(sent),
    message_count: listOf(sent['messages']).length,
    ...markedClient({ headers: exchange.headers, body: sent }, requestKind),
  })
  return {
    // The answer that its diagnostics name belongs to the turn before.
    drafts: [...told, beginsTurn ? { ...request, begins_turn: true as const, parents: [] } : request],
    requestKind,
    tail,
    ...(requestKind === 'side_call' && client?.isTitle?.({ headers: exchange.headers, body }) === true
      ? { isTitle: true as const }
      : {}),
    ...(words ? { words } : {}),
    turnEndKeys,
    identity,
    model: requestedModel(body),
    asked: askedFor(body, exchange.headers),
  }
}

/** True if the last answer called tools: the turn goes on. */
function isAmongCalls(messages: readonly Json[]): boolean {
  const last = messages.map(objectOf).findLast(({ role }) => role === 'assistant')
  return listOf(last?.['content']).some((block) => objectOf(block)['type'] === 'tool_use')
}

const CONVERSATIONS: ReadonlySet<RequestKind> = new Set(['subagent', 'compaction', 'loop', 'prompt'])

function isFirst(history: RequestHistory): boolean {
  return history.knownMessages === 0 && history.previousRequestUuid === null
}

function startOfAgent(
  base: DraftBase,
  body: JsonObject,
  identity: SessionIdentity,
  agentId: string,
  lookups: RequestLookups,
): EventDraft<'agent_started'> {
  const first = listOf(body['messages']).find((message) => objectOf(message)['role'] === 'user')
  const spoken = textsOf(objectOf(first)['content']).filter((text) => promptText(text) !== '')
  const callId = spoken.reduce<string | null>(
    (found, text) => found ?? lookups.findAgentCall(text) ?? lookups.findAgentCall(promptText(text)),
    null,
  )
  return agentStartedDraft(base, { id: agentId, type: null, parentAgentId: identity.parentAgentId, callId })
}

/** A conversation that begins with a summary was compacted: the summary is reported again with its first request. */
function shownCompaction(base: DraftBase, body: JsonObject, history: RequestHistory): readonly AnyDraft[] {
  if (history.knownMessages > 0) return []
  const messages = listOf(body['messages']).map(objectOf)
  const first = messages[0] ?? {}
  const text = textsOf(first['content']).find(isContinuation)
  if (first['role'] !== 'user' || text === undefined) return []
  const summary = compactionSummary(text)
  const trigger = compactionTrigger(messages)
  return [
    {
      ...base,
      kind: 'compaction',
      payload: { trigger, summary, tokens_before: null, tokens_after: null },
      keys: [compactionKey(base.session_id, summary)],
      parents: [],
      sighting: { trigger },
    },
  ]
}

const previousMessage = (body: JsonObject): string | null =>
  filledString(objectOf(body['thread'])['previous_message_id']) ??
  filledString(objectOf(body['diagnostics'])['previous_message_id'])

/** Returns the client by the marks of a request to a model, if its headers alone name another. */
function markedClient(request: ClientRequest, kind: RequestKind): { readonly client?: Marked } {
  const fact = wireClientFact(request)
  const byHeaders = wireClientOfHeaders(request.headers)
  if (fact !== null) {
    const isSame = byHeaders?.client === fact.client && byHeaders?.version === fact.version
    return isSame ? {} : { client: [fact.client, fact.version] }
  }
  // Others send the user agent of Claude Code, but not its marks.
  const isDisguised = isClaudeCode(request.headers) && !hasClaudeCodeMark(request.headers, request.body)
  return kind !== 'infrastructure' && isDisguised ? { client: [null, null] } : {}
}

type Marked = NonNullable<EventDraft<'model_request'>['payload']['client']>
