import { parseRequestBody } from '../../../decode/wire/request-body.ts'
import type {
  DecodedRequest,
  RequestHistory,
  ResponseDecoder,
  SessionIdentity,
  Wire,
} from '../../../decode/wire/wire.ts'
import type { Json, JsonObject } from '../../../../shared/event.ts'
import { isoTime } from '../../../decode/draft-base.ts'
import { naturalKey, type AnyDraft } from '../../../decode/draft.ts'
import { withOwnStrings } from '../../../decode/own-strings.ts'
import { headerOf } from '../../../decode/headers.ts'
import type { LeftOut } from '../../../decode/left-out.ts'
import { createBodyDecoder } from '../../../decode/wire/content-encoding.ts'
import type { GrowingBodies } from '../../../decode/wire/growing-body.ts'
import { wireOf } from '../../../decode/wire/wire-of.ts'
import type { TapMessage } from '../../../proxy/protocol/tap-protocol.ts'
import type { AgentCalls } from './agent-calls.ts'
import { batchParts, type DecodedPart } from './batch-parts.ts'
import type { Conversations, RequestIdentity, TakenRequest } from './conversation.ts'
import type { RawDelta } from '../../live-text.ts'
import type { ContinuedRequests } from './continued-requests.ts'
import type { SocketConnections } from '../../../decode/wire/websocket/socket-connections.ts'
import { answerDigest, isWholeAnswer } from './whole-answer.ts'
import { ownerOf } from './owner-of.ts'
import { SocketTurn } from './socket-turn.ts'
import type { UnnamedAgents } from './unnamed-agents.ts'
import type { UnnamedSessions } from './unnamed-sessions.ts'
import { isObject } from '../../../../shared/json-fields.ts'

type Message<Type extends TapMessage['type']> = Extract<TapMessage, { readonly type: Type }>

export interface ExchangeDecoderOptions {
  readonly open: Message<'open'>
  readonly conversations: Conversations
  readonly agentCalls: AgentCalls
  readonly unnamedAgents: UnnamedAgents
  readonly unnamed: UnnamedSessions
  /** Shared by all exchanges. */
  readonly bodies: GrowingBodies
  /** Shared by all exchanges. */
  readonly continued: ContinuedRequests
  /** Shared by all exchanges. */
  readonly sockets: SocketConnections
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
  readonly #chunks: Uint8Array<ArrayBuffer>[] = []
  #request: DecodedRequest | null = null
  readonly #wire: Wire
  #owner: SessionIdentity
  /** The body of a request that creates a batch, until its answer names the batch. */
  #batch: Json | null = null
  #head: Message<'response_head'> | null = null
  #body = createBodyDecoder(null)
  #response: ResponseDecoder | null = null
  /** The complete request, if another may continue it. */
  #whole: { readonly body: JsonObject; readonly sentBytes: number } | null = null
  readonly #socket: SocketTurn | null
  /** The request is decoded, or never will be. */
  #isAsked = false
  #isEnded = false
  /** When the last bytes of the answer arrived, in ms of this run. */
  #lastAt: number | null = null
  readonly #leftOut: LeftOut[] = []

  constructor(options: ExchangeDecoderOptions) {
    this.#options = options
    this.#wire = wireOf(options.open.path)
    this.#owner = withOwnStrings(this.#wire.identify(options.open, null, options.hash))
    const { socket } = options.open
    this.#socket = socket === undefined ? null : new SocketTurn(socket, options.sockets)
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
    this.#isAsked = true
    const sent = joined(this.#chunks.splice(0))
    const { body: read, leftOut } =
      this.#socket === null
        ? parseRequestBody(sent, headerOf(open.headers, 'content-encoding'), (plain) =>
            bodies.parse(this.#wire.conversationOf(open.headers), plain, this.#wire.list),
          )
        : { body: this.#socket.request(sent), leftOut: null }
    const parsed = this.#completed(read, sent.length)
    if (leftOut !== null) this.#leftOut.push(leftOut)
    this.#owner = withOwnStrings(ownerOf(this.#wire, open, parsed, this.#options))
    if (this.#wire.batches?.isCreation(open.method, open.path) === true) this.#batch = parsed
    const requestKind = this.#wire.kindOf({ ...open, body: parsed })
    const taken = requestKind === 'infrastructure' ? undefined : this.#take(parsed)
    const request = this.#wire.decodeRequest(open, parsed, taken?.history ?? NO_HISTORY, {
      hash,
      identity: this.#owner,
      requestKind,
      findAgentCall: (prompt) => agentCalls.take(this.#owner.sessionId, prompt),
      agentOf: agentCalls.agentOf,
      bodyBytes: sent.length,
    })
    agentCalls.noteStarts(request.drafts)
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
    this.#socket?.begin(message.headers)
  }

  /** Yields the text as it is written, piece by piece: a few bytes may unpack to megabytes of text. */
  async *responseBytes(message: Message<'response_bytes'>): AsyncIterable<readonly RawDelta[]> {
    this.#lastAt = message.at
    if (this.#socket !== null) {
      yield await this.#socket.answer(message, this.#isAsked ? this.#decoder() : null)
      return
    }
    const decoder = this.#decoder()
    for await (const piece of this.#body.push(message.bytes)) yield decoder.push(piece, message.at)
  }

  /**
   * True once the answer is complete, even if its exchange is not: the upstream may be silent until the next request.
   */
  get isAnswered(): boolean {
    return this.#socket !== null && !this.#isEnded && this.#response?.isOver === true
  }

  /** Returns what the exchange's answer would be if Aspy stopped now; empty if it does not call a model. */
  soFar(): readonly AnyDraft[] {
    if (this.#isEnded || this.#request === null || this.#request.requestKind === 'infrastructure') return []
    return (this.#response ?? this.#createDecoder()).soFar(this.#lastAt ?? this.#options.open.at)
  }

  async end(message: Message<'end'>): Promise<readonly AnyDraft[]> {
    if (this.#isEnded) return this.#lateDrafts(message)
    this.#isEnded = true
    const { open, conversations, agentCalls, unnamed } = this.#options
    const decoder = this.#decoder()
    for await (const piece of this.#body.end()) decoder.push(piece, message.at)
    const drafts = decoder.end(message.outcome, message.at, message.error ?? this.#body.error)
    this.#noteResponse(decoder.tooLarge ?? null, message.outcome)
    agentCalls.note(drafts)
    const isAnswered = drafts.some(isWholeAnswer)
    conversations.ended(this.identity(), open.wall + (message.at - open.at), isAnswered)
    this.#rememberAnswer()
    const { repeated } = this.#wire
    if (this.#owner.unnamed !== null && repeated !== undefined)
      unnamed.ended(open.exchange, isAnswered ? answerDigest(repeated, drafts, this.#options.hash) : null)
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
    // A body that was cut off ends in the middle of its encoding, and is marked as such.
    else if (error !== null && outcome === 'complete')
      this.#leftOut.push({ reason: 'decode_failed', message: `the answer: ${error}` })
  }

  /** After the end: the requests of the batch that the exchange created, in parts. */
  *batch(): Generator<DecodedPart> {
    const batchId = this.#response?.batchId ?? null
    if (batchId === null || this.#batch === null) return
    const { open, conversations, hash } = this.#options
    yield* batchParts({ wire: this.#wire, open, batchId, body: this.#batch, owner: this.#owner, conversations, hash })
  }

  /** Returns the upstream's messages on a WebSocket after its answer was complete. */
  #lateDrafts({ at }: Message<'end'>): readonly AnyDraft[] {
    const { open } = this.#options
    return (this.#socket?.late ?? []).map((raw): AnyDraft => ({
      kind: 'unknown',
      source: 'wire',
      session_id: this.#owner.sessionId,
      agent_id: this.#owner.agentId,
      ts_wall: isoTime(open.wall + (at - open.at)),
      ts_monotonic: at,
      payload: { what: 'message after the answer', raw },
      keys: [],
      parents: [naturalKey.exchange(open.exchange, 'request')],
    }))
  }

  /** Returns the request with the conversation that it continues. */
  #completed(parsed: Json | null, sentBytes: number): Json | null {
    const { open, continued, hash } = this.#options
    const { continuation } = this.#wire
    if (continuation === undefined || !isObject(parsed)) return parsed
    const { sessionId } = this.#wire.identify(open, parsed, hash)
    const body = continued.whole(continuation, parsed, sessionId)
    // The API remembers conversations itself; otherwise only a WebSocket does.
    if (this.#socket !== null || parsed['store'] !== false) this.#whole = { body, sentBytes }
    return body
  }

  #rememberAnswer(): void {
    const answered = this.#response?.answered ?? null
    const { continuation } = this.#wire
    if (answered === null || continuation === undefined || this.#whole === null) return
    const { body, sentBytes } = this.#whole
    const items = [...continuation.itemsOf(body), ...answered.output]
    this.#options.continued.answered(answered.id, items, sentBytes + JSON.stringify(answered.output).length)
  }

  /** Creates the decoder on first use: by then the request is decoded or never will be. */
  #decoder(): ResponseDecoder {
    this.#response ??= this.#createDecoder()
    return this.#response
  }

  #createDecoder(): ResponseDecoder {
    const { open, hash } = this.#options
    return this.#wire.createResponseDecoder(open, {
      requestKind: this.#request?.requestKind ?? this.#wire.kindWithoutBody(open.path),
      model: this.#request?.model ?? null,
      asked: this.#request?.asked ?? null,
      sessionId: this.#owner.sessionId,
      agentId: this.#owner.agentId,
      project: this.#owner.project,
      account: this.#owner.account,
      isKey: this.#owner.isKey === true,
      isTitle: this.#request?.isTitle === true,
      tail: this.#request?.tail ?? [],
      turnEndKeys: this.#request?.turnEndKeys ?? [],
      headers: open.headers,
      status: this.#head?.status ?? null,
      responseHeaders: this.#head?.headers ?? [],
      responseAt: this.#head?.at ?? null,
      hash,
    })
  }

  #take(parsed: Json | null): TakenRequest | undefined {
    return isObject(parsed) ? this.#options.conversations.take(this.identity(), parsed, this.#wire.list) : undefined
  }
}

/** Joins the pieces of a body. A single piece is not copied, unless that would keep more of its memory than it needs. */
function joined(pieces: readonly Uint8Array<ArrayBuffer>[]): Buffer {
  const [only] = pieces
  const isWhole = only !== undefined && pieces.length === 1 && only.byteLength * 2 >= only.buffer.byteLength
  return isWhole ? Buffer.from(only.buffer, only.byteOffset, only.byteLength) : Buffer.concat(pieces)
}
