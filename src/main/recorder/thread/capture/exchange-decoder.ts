import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../../decode/draft.ts'
import { dayOf, identifySession, headerOf } from '../../../decode/client/claude-code/session-identity.ts'
import type { SessionIdentity } from '../../../decode/client/claude-code/session-identity.ts'
import type { LeftOut } from '../../../decode/left-out.ts'
import { createBodyDecoder } from '../../../decode/wire/content-encoding.ts'
import { isBatchCreation } from '../../../decode/wire/anthropic-messages/batches.ts'
import type { GrowingBodies } from '../../../decode/wire/anthropic-messages/growing-body.ts'
import { answerDigest } from '../../../decode/wire/anthropic-messages/message-digest.ts'
import { classifyRequest } from '../../../decode/client/claude-code/request-kind.ts'
import { decodeRequest, parseRequestBody } from '../../../decode/wire/anthropic-messages/request.ts'
import type { DecodedRequest, RequestHistory } from '../../../decode/wire/anthropic-messages/request.ts'
import { createResponseDecoder } from '../../../decode/wire/anthropic-messages/response.ts'
import type { ResponseDecoder } from '../../../decode/wire/anthropic-messages/response.ts'
import type { RawHeaders, TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { AgentCalls } from './agent-calls.ts'
import { batchParts, type DecodedPart } from './batch-parts.ts'
import type { Conversations, RequestIdentity, TakenRequest } from './conversation.ts'
import type { RawDelta } from '../../live-text.ts'
import type { UnnamedSessions } from './unnamed-sessions.ts'

type Message<Type extends TapMessage['type']> = Extract<TapMessage, { readonly type: Type }>

export interface ExchangeDecoderOptions {
  readonly open: Message<'open'>
  readonly conversations: Conversations
  readonly agentCalls: AgentCalls
  readonly unnamed: UnnamedSessions
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

/** Decodes one exchange as it arrives. Calls must not overlap; each may throw a decoder's error. */
export class ExchangeDecoder {
  readonly #options: ExchangeDecoderOptions
  readonly #chunks: Uint8Array[] = []
  #request: DecodedRequest | null = null
  #owner: SessionIdentity
  /** The body of a request that creates a batch, until its answer names the batch. */
  #batch: Json | null = null
  #head: Message<'response_head'> | null = null
  #body = createBodyDecoder(null)
  #response: ResponseDecoder | null = null
  readonly #leftOut: LeftOut[] = []

  constructor(options: ExchangeDecoderOptions) {
    this.#options = options
    this.#owner = identifySession(options.open, null, options.hash)
  }

  /** Returns the session and agent, as far as they are known. */
  identity(): RequestIdentity {
    const { sessionId, agentId } = this.#owner
    return { uuid: this.#options.open.exchange, sessionId, agentId }
  }

  requestBytes(message: Message<'request_bytes'>): void {
    this.#chunks.push(message.bytes)
  }

  /** Decodes the request, even if it was cut off. `isStored`: an earlier run stored it. */
  requestEnd(): DecodedPart & { readonly isStored: boolean } {
    const { open, conversations, agentCalls, bodies, hash } = this.#options
    const sent = Buffer.concat(this.#chunks.splice(0))
    const { body: parsed, leftOut } = parseRequestBody(sent, headerOf(open.headers, 'content-encoding'), (plain) =>
      bodies.parse(conversationOf(open.headers), plain),
    )
    if (leftOut !== null) this.#leftOut.push(leftOut)
    this.#owner = this.#ownerOf(parsed)
    if (isBatchCreation(open.method, open.path)) this.#batch = parsed
    const taken = this.#take(parsed)
    const request = decodeRequest(open, parsed, taken?.history ?? NO_HISTORY, {
      hash,
      identity: this.#owner,
      findAgentCall: (prompt) => agentCalls.take(this.#owner.sessionId, prompt),
      bodyBytes: sent.length,
    })
    this.#request = request
    if (taken) conversations.decoded(this.identity(), request)
    return {
      drafts: request.drafts,
      taken: new Map(taken ? [[open.exchange, taken]] : []),
      isStored: taken?.alreadyStored ?? false,
    }
  }

  responseHead(message: Message<'response_head'>): void {
    this.#head = message
    this.#body = createBodyDecoder(headerOf(message.headers, 'content-encoding'))
  }

  /** Yields the text as it is written, piece by piece: a few bytes may unpack to megabytes of it. */
  async *responseBytes(message: Message<'response_bytes'>): AsyncIterable<readonly RawDelta[]> {
    const decoder = this.#decoder()
    for await (const piece of this.#body.push(message.bytes)) yield decoder.push(piece, message.at)
  }

  async end(message: Message<'end'>): Promise<readonly AnyDraft[]> {
    const { open, conversations, agentCalls, unnamed } = this.#options
    const decoder = this.#decoder()
    for await (const piece of this.#body.end()) decoder.push(piece, message.at)
    const drafts = decoder.end(message.outcome, message.at, message.error ?? this.#body.error)
    this.#noteResponse(decoder.tooLarge, message.outcome)
    agentCalls.note(drafts)
    const isAnswered = drafts.some(isWholeAnswer)
    if (isAnswered) conversations.responded(this.identity())
    if (this.#owner.unnamed !== null) unnamed.ended(open.exchange, isAnswered ? this.#digestOf(drafts) : null)
    return drafts
  }

  /** Takes the parts that were not decoded since the last call. */
  takeLeftOut(): readonly LeftOut[] {
    return this.#leftOut.splice(0)
  }

  #noteResponse(tooLarge: string | null, outcome: Message<'end'>['outcome']): void {
    const { error, isTooLarge } = this.#body
    if (tooLarge !== null) this.#leftOut.push({ reason: 'response_too_large', message: `the answer: ${tooLarge}` })
    else if (error !== null && isTooLarge)
      this.#leftOut.push({ reason: 'response_too_large', message: `the answer: ${error}` })
    // One that was cut ends in the middle of its encoding, and is marked as cut.
    else if (error !== null && outcome === 'complete')
      this.#leftOut.push({ reason: 'decode_failed', message: `the answer: ${error}` })
  }

  /** After the end: the requests of the batch that the exchange created, in parts. */
  *batch(): Generator<DecodedPart> {
    const batchId = this.#response?.batchId ?? null
    if (batchId === null || this.#batch === null) return
    const { open, conversations, hash } = this.#options
    yield* batchParts({ open, batchId, body: this.#batch, owner: this.#owner, conversations, hash })
  }

  /** Creates the decoder on first use: by then the request is decoded or never will be. */
  #decoder(): ResponseDecoder {
    const { open, hash } = this.#options
    this.#response ??= createResponseDecoder(open, {
      requestKind: this.#request?.requestKind ?? this.#kindWithoutBody(),
      model: this.#request?.model ?? null,
      asked: this.#request?.asked ?? null,
      sessionId: this.#owner.sessionId,
      agentId: this.#owner.agentId,
      project: this.#owner.project,
      account: this.#owner.account,
      tail: this.#request?.tail ?? [],
      headers: open.headers,
      status: this.#head?.status ?? null,
      responseHeaders: this.#head?.headers ?? [],
      responseAt: this.#head?.at ?? null,
      hash,
    })
    return this.#response
  }

  /** The answer is recorded even if the request could not be decoded. */
  #kindWithoutBody(): 'side_call' | 'infrastructure' {
    return /\/v1\/messages\/?(?:\?|$)/.test(this.#options.open.path) ? 'side_call' : 'infrastructure'
  }

  #take(parsed: Json | null): TakenRequest | undefined {
    const { open, conversations } = this.#options
    if (!isObject(parsed) || classifyRequest({ ...open, body: parsed }) === 'infrastructure') return undefined
    return conversations.take(this.identity(), parsed)
  }

  #ownerOf(parsed: Json | null): SessionIdentity {
    const { open, unnamed, hash } = this.#options
    const named = identifySession(open, parsed, hash)
    if (named.unnamed === null) return named
    const retries = headerOf(open.headers, 'x-stainless-retry-count')
    const sessionId = unnamed.sessionOf({
      exchange: open.exchange,
      beginning: named.unnamed,
      day: dayOf(open.wall),
      wall: open.wall,
      body: isObject(parsed) ? parsed : null,
      isCount: /\/count_tokens\/?(?:\?|$)/.test(open.path),
      retries: retries === null ? null : Number(retries),
    })
    return { ...named, sessionId }
  }

  #digestOf(drafts: readonly AnyDraft[]): string {
    const texts = drafts.flatMap((draft) => (draft.kind === 'assistant_text' ? [draft.payload.text] : []))
    const calls = drafts.flatMap((draft) => (draft.kind === 'tool_call' ? [draft.payload.call_id] : []))
    return answerDigest(texts, calls, this.#options.hash)
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
