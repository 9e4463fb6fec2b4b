import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { identifySession, headerOf } from '../../../decode/client/claude-code/session-identity.ts'
import type { SessionIdentity } from '../../../decode/client/claude-code/session-identity.ts'
import { createBodyDecoder } from '../../../decode/wire/content-encoding.ts'
import type { BodyDecoder } from '../../../decode/wire/content-encoding.ts'
import type { GrowingBodies } from '../../../decode/wire/anthropic-messages/growing-body.ts'
import { classifyRequest } from '../../../decode/client/claude-code/request-kind.ts'
import { decodeRequest, parseRequestBody } from '../../../decode/wire/anthropic-messages/request.ts'
import type { DecodedRequest, RequestHistory } from '../../../decode/wire/anthropic-messages/request.ts'
import { createResponseDecoder } from '../../../decode/wire/anthropic-messages/response.ts'
import type { ResponseDecoder } from '../../../decode/wire/anthropic-messages/response.ts'
import type { RawHeaders, TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { AgentCalls } from './agent-calls.ts'
import type { Conversations, RequestIdentity, TakenRequest } from './conversation.ts'
import type { RawDelta } from '../../live-text.ts'

type Message<Type extends TapMessage['type']> = Extract<TapMessage, { readonly type: Type }>

/** A decoded part of an exchange: raw drafts, and how to store its request. */
interface DecodedPart {
  readonly drafts: readonly AnyDraft[]
  readonly taken?: TakenRequest | undefined
}

/** Decodes one exchange as it arrives. Calls must not overlap; each may throw a decoder's error. */
export interface ExchangeDecoder {
  requestBytes(message: Message<'request_bytes'>): void
  /** Decodes the request, even if it was cut off. */
  requestEnd(): DecodedPart
  responseHead(message: Message<'response_head'>): void
  /** Returns the text as it is written. */
  responseBytes(message: Message<'response_bytes'>): Promise<readonly RawDelta[]>
  end(message: Message<'end'>): Promise<DecodedPart>
  /** Returns the session and agent, as far as they are known. */
  identity(): RequestIdentity
}

export interface ExchangeDecoderOptions {
  readonly open: Message<'open'>
  readonly conversations: Conversations
  readonly agentCalls: AgentCalls
  /** Shared by all exchanges. */
  readonly bodies: GrowingBodies
  readonly hash: (text: string) => string
}

const NO_HISTORY: RequestHistory = {
  knownMessages: 0,
  previousResponseSeen: false,
  identicalToPrevious: false,
  previousRequestUuid: null,
}

export function createExchangeDecoder({
  open,
  conversations,
  agentCalls,
  bodies,
  hash,
}: ExchangeDecoderOptions): ExchangeDecoder {
  const chunks: Uint8Array[] = []
  let request: DecodedRequest | null = null
  let owner: SessionIdentity = identifySession(open, null, hash)
  let head: Message<'response_head'> | null = null
  let body: BodyDecoder = createBodyDecoder(null)
  let response: ResponseDecoder | null = null

  const identity = (): RequestIdentity => ({
    uuid: open.exchange,
    sessionId: owner.sessionId,
    agentId: owner.agentId,
  })

  /** Creates the decoder on first use: by then the request is decoded or never will be. */
  function responseDecoder(): ResponseDecoder {
    response ??= createResponseDecoder(open, {
      requestKind: request?.requestKind ?? kindWithoutBody(),
      model: request?.model ?? null,
      sessionId: owner.sessionId,
      agentId: owner.agentId,
      project: owner.project,
      account: owner.account,
      tail: request?.tail ?? [],
      headers: open.headers,
      status: head?.status ?? null,
      responseHeaders: head?.headers ?? [],
      responseAt: head?.at ?? null,
      hash,
    })
    return response
  }

  /** The answer is recorded even if the request could not be decoded. */
  const kindWithoutBody = () => (/\/v1\/messages\/?(?:\?|$)/.test(open.path) ? 'side_call' : 'infrastructure')

  function take(parsed: Json | null): TakenRequest | undefined {
    if (!isObject(parsed) || classifyRequest({ ...open, body: parsed }) === 'infrastructure') return undefined
    return conversations.take(identity(), parsed)
  }

  return {
    identity,
    requestBytes: (message) => void chunks.push(message.bytes),
    requestEnd() {
      const sent = Buffer.concat(chunks.splice(0))
      const parsed = parseRequestBody(sent, headerOf(open.headers, 'content-encoding'), (plain) =>
        bodies.parse(conversationOf(open.headers), plain),
      )
      owner = identifySession(open, parsed, hash)
      const taken = take(parsed)
      request = decodeRequest(open, parsed, taken?.history ?? NO_HISTORY, {
        hash,
        findAgentCall: (prompt) => agentCalls.take(owner.sessionId, prompt),
        bodyBytes: sent.length,
      })
      if (taken) conversations.decoded(identity(), request)
      return { drafts: request.drafts, taken }
    },
    responseHead(message) {
      head = message
      body = createBodyDecoder(headerOf(message.headers, 'content-encoding'))
    },
    async responseBytes(message) {
      const decoder = responseDecoder()
      const pieces = await body.push(message.bytes)
      return pieces.flatMap((piece) => decoder.push(piece, message.at))
    },
    async end(message) {
      const decoder = responseDecoder()
      for (const piece of await body.end()) decoder.push(piece, message.at)
      const drafts = decoder.end(message.outcome, message.at, message.error ?? body.error)
      agentCalls.note(drafts)
      if (drafts.some(isWholeAnswer)) conversations.responded(identity())
      return { drafts }
    },
  }
}

/** Returns a key for bodies that may share their beginning. A wrong guess only costs time. */
function conversationOf(headers: RawHeaders): string {
  const names = ['x-claude-code-session-id', 'x-claude-code-agent-id']
  return JSON.stringify(names.map((name) => headerOf(headers, name)))
}

function isWholeAnswer(draft: AnyDraft): boolean {
  return draft.kind === 'model_response' && draft.payload.message_id !== null && draft.payload.cut_by === null
}

function isObject(value: Json | null): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
