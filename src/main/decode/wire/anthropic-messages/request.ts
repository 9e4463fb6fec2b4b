import type { Json, JsonObject, RequestKind } from '../../../../shared/event.ts'
import type { AskedFor } from '../../../../shared/service-terms.ts'
import type { RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import { askedFor } from './asked.ts'
import { agentStartedDraft } from '../../client/claude-code/agents.ts'
import { compactionSummary, compactionKey, isContinuation } from '../../client/claude-code/compaction.ts'
import { isoTime, type DraftBase } from '../../draft-base.ts'
import { naturalKey, type AnyDraft, type EventDraft } from '../../draft.ts'
import { filledString, isObject, listOf, objectOf } from '../../json-access.ts'
import { hasTooManyValues, MAX_JSON_VALUES } from '../../json-values.ts'
import type { LeftOut } from '../../left-out.ts'
import type { HashText } from '../../media.ts'
import { promptText } from '../../client/claude-code/prompt-text.ts'
import { identifySession, textsOf, type SessionIdentity } from '../../client/claude-code/session-identity.ts'
import { decodeBody } from '../content-encoding.ts'
import { classifyRequest, requestedModel } from '../../client/claude-code/request-kind.ts'
import { readMessages } from './request-messages.ts'

/** What the tap reports about a request (its `open` message). */
export interface RequestExchange {
  readonly exchange: string
  readonly method: string
  readonly path: string
  readonly headers: RawHeaders
  /** Date.now() at the first byte. */
  readonly wall: number
  /** Milliseconds of this run. */
  readonly at: number
  /** The sender did not show the path secret. */
  readonly isUnproven?: boolean
}

/** What the recorder knows about the earlier requests of this session and agent. */
export interface RequestHistory {
  /** Number of messages at the beginning that the previous request had, too. */
  readonly knownMessages: number
  /** True if the answer to the previous request was recorded. */
  readonly previousResponseSeen: boolean
  readonly identicalToPrevious: boolean
  /** uuid (= exchange) of the previous request; null if there was none. */
  readonly previousRequestUuid: string | null
  /** The tail of the previous request: the parent of a retry. */
  readonly previousTail?: readonly string[]
  /** Number of messages of the previous request; distinguishes "first seen" from "shortened". */
  readonly previousMessages?: number
}

/** Functions that the decoder of requests needs from its surroundings. */
export interface RequestLookups {
  readonly hash: HashText
  /** Returns the id of an Agent call with this prompt that has started no agent yet, if one is known. */
  readonly findAgentCall: (agentPrompt: string) => string | null
  /** The sender, if the caller knows it better than the request itself. */
  readonly identity?: SessionIdentity
  /** Number of bytes of the body as sent. */
  readonly bodyBytes?: number
}

export interface DecodedRequest {
  /** The new facts in order, then the `model_request` itself, whose `request` is null until the recorder fills it. */
  readonly drafts: readonly AnyDraft[]
  readonly requestKind: RequestKind
  /** Keys of the answer's parent, best first: the last tool result or prompt; an agent's start. */
  readonly tail: readonly string[]
  readonly identity: SessionIdentity
  readonly model: string | null
  readonly asked: AskedFor | null
}

/** A request's body: null if there is none or it cannot be read, and then why, unless it just is not JSON. */
export interface ParsedRequestBody {
  readonly body: Json | null
  readonly leftOut: LeftOut | null
}

/** Parses a request's body. */
export function parseRequestBody(
  bytes: Uint8Array,
  encoding: string | null,
  parse: (plain: Buffer) => Json | null,
): ParsedRequestBody {
  if (bytes.length === 0) return { body: null, leftOut: null }
  const decoded = decodeBody(bytes, encoding)
  const plain = Buffer.from(decoded.bytes.buffer, decoded.bytes.byteOffset, decoded.bytes.byteLength)
  const body = parse(plain)
  if (decoded.error !== null) {
    const reason = decoded.isTooLarge ? 'request_too_large' : 'decode_failed'
    return { body, leftOut: { reason, message: `the request's body: ${decoded.error}` } }
  }
  if (body !== null || !hasTooManyValues(plain)) return { body, leftOut: null }
  const message = `the request's body has more than ${MAX_JSON_VALUES} values`
  return { body, leftOut: { reason: 'request_too_large', message } }
}

/** Decodes what is new in a request: prompts, tool results, an agent's start, a compaction, unseen history. */
export function decodeRequest(
  exchange: RequestExchange,
  body: Json | null,
  history: RequestHistory,
  lookups: RequestLookups,
): DecodedRequest {
  const identity = lookups.identity ?? identifySession(exchange, body, lookups.hash)
  const requestKind = classifyRequest({ ...exchange, body })
  const base: DraftBase = {
    source: 'wire',
    session_id: identity.sessionId,
    agent_id: identity.agentId,
    ts_wall: isoTime(exchange.wall),
    ts_monotonic: exchange.at,
    account: identity.account,
    project: identity.project,
  }
  const isConversation = CONVERSATIONS.has(requestKind)
  const message = isObject(body) ? body : {}
  const told: AnyDraft[] = []
  let tail: readonly string[] = []
  if (isConversation) {
    if (requestKind === 'subagent' && identity.agentId !== null && isFirst(history)) {
      told.push(startOfAgent(base, message, identity, identity.agentId, lookups))
    }
    told.push(...shownCompaction(base, message, history))
    const read = readMessages(base, exchange.exchange, requestKind, message, history, lookups.hash)
    told.push(...read.drafts)
    tail = read.tail
  }
  const sent = requestDraft(base, exchange, message, requestKind, tail, history, lookups.bodyBytes ?? 0)
  return {
    drafts: [...told, sent],
    requestKind,
    tail,
    identity,
    model: requestedModel(body),
    asked: askedFor(body, exchange.headers),
  }
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
  const first = objectOf(listOf(body['messages'])[0])
  const text = textsOf(first['content']).find(isContinuation)
  if (first['role'] !== 'user' || text === undefined) return []
  const summary = compactionSummary(text)
  return [
    {
      ...base,
      kind: 'compaction',
      payload: { trigger: 'unknown', summary, tokens_before: null, tokens_after: null },
      keys: [compactionKey(base.session_id, summary)],
      parents: [],
    },
  ]
}

function requestDraft(
  base: DraftBase,
  exchange: RequestExchange,
  body: JsonObject,
  requestKind: RequestKind,
  tail: readonly string[],
  history: RequestHistory,
  bodyBytes: number,
): EventDraft<'model_request'> {
  const previousMessage =
    filledString(objectOf(body['thread'])['previous_message_id']) ??
    filledString(objectOf(body['diagnostics'])['previous_message_id'])
  return {
    ...base,
    uuid: exchange.exchange,
    kind: 'model_request',
    payload: {
      exchange_id: exchange.exchange,
      request_kind: requestKind,
      method: exchange.method,
      path: exchange.path,
      model: requestedModel(body),
      headers: exchange.headers,
      request: null,
      message_count: listOf(body['messages']).length,
      body_bytes: bodyBytes,
      retry_of: history.identicalToPrevious ? history.previousRequestUuid : null,
      ...(exchange.isUnproven === true ? { unproven_sender: true } : {}),
    },
    keys: [naturalKey.exchange(exchange.exchange, 'request')],
    parents: previousMessage === null ? tail : [...tail, naturalKey.response(previousMessage)],
  }
}
