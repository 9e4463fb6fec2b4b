import type { Json, JsonObject, RequestKind, Usage } from '../../../shared/event.ts'
import type { AskedFor } from '../../../shared/service-terms.ts'
import type { ExchangeOutcome, RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { AnyDraft } from '../draft.ts'
import type { HashText } from '../media.ts'
import type { StreamEvent } from './sse.ts'

/** The sender of a request. */
export interface SessionIdentity {
  readonly sessionId: string
  /** The caller names no session: the beginning of the id, shared by all its conversations with this first message. */
  readonly unnamed: string | null
  /** The request names its session, but others of the client do not: they belong to the session of their messages. */
  readonly isNamed?: boolean
  /** null for the main agent. */
  readonly agentId: string | null
  readonly parentAgentId: string | null
  /** Account uuid, or else the API key or bearer token; always hashed before it is stored. */
  readonly account: string | null
  /** The account is known by its key or token alone. */
  readonly isKey?: boolean
  /** The client's working directory, if the request names it. */
  readonly project: string | null
  /** The prompt of an agent whose client names neither its session nor the agent. */
  readonly agentPrompt?: string
}

/** The tap's report on a request (its `open` message). */
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

/** The recorder's knowledge of the earlier requests of this session and agent. */
export interface RequestHistory {
  /** Number of messages at the beginning that the previous request also had. */
  readonly knownMessages: number
  /** True if the answer to the previous request was recorded. */
  readonly previousResponseSeen: boolean
  readonly identicalToPrevious: boolean
  /** When the answer to the previous request ended, or a hook of its calls came (ms since 1970); absent if unknown. */
  readonly lastEndAt?: number
  /** uuid (= exchange) of the previous request; null if there was none. */
  readonly previousRequestUuid: string | null
  /** The tail of the previous request: the parent of a retry. */
  readonly previousTail?: readonly string[]
  /** Number of messages of the previous request; distinguishes "first seen" from "shortened". */
  readonly previousMessages?: number
  /** Absent if the previous request had no words of the user, or an earlier run sent it. */
  readonly previousWords?: LatestWords
}

/** Identifies the content of the user's messages after a request's last answer. */
export interface LatestWords {
  /** Index of the last answer; -1 if there is none. */
  readonly after: number
  /** Length of all texts, joined by line breaks, and their hash. */
  readonly length: number
  readonly hash: string
}

/** Functions that the decoder of requests needs from its surroundings. */
export interface RequestLookups {
  readonly hash: HashText
  /** Returns the id of an Agent call with this prompt that has started no agent yet, if one is known. */
  readonly findAgentCall: (agentPrompt: string) => string | null
  /** Returns the agent that a call started, if one is known: the results of some agents do not name it. */
  readonly agentOf?: ((callId: string) => string | null) | undefined
  /** The sender, if the caller can identify it better than the request itself. */
  readonly identity?: SessionIdentity
  /** Result of `kindOf`, if the caller already has it. */
  readonly requestKind?: RequestKind
  /** Number of bytes of the body as sent. */
  readonly bodyBytes?: number
}

export interface DecodedRequest {
  /** The new facts in order, then the `model_request` itself, whose `request` is null until the recorder fills it. */
  readonly drafts: readonly AnyDraft[]
  readonly requestKind: RequestKind
  /** Keys of the answer's parent, best first: the last tool result or prompt; an agent's start. */
  readonly tail: readonly string[]
  /** Absent if the user's messages after the last answer have no words of the user. */
  readonly words?: LatestWords
  /** The answer is the session's title. */
  readonly isTitle?: true
  /** Keys that other sources have for the end of this turn. */
  readonly turnEndKeys?: readonly string[]
  readonly identity: SessionIdentity
  readonly model: string | null
  readonly asked: AskedFor | null
}

/** A piece of a block's text, as it arrives. */
export interface ResponseDelta {
  readonly index: number
  readonly block: 'thinking' | 'text' | 'tool_input'
  readonly tool_name?: string
  /** The message it belongs to, once known. */
  readonly message_id?: string
  readonly text: string
  readonly done?: true
}

/** Facts from the request and the head of the response. */
export interface ResponseContext {
  readonly requestKind: RequestKind
  /** The requested model. */
  readonly model: string | null
  readonly asked?: AskedFor | null
  readonly sessionId: string
  readonly agentId: string | null
  readonly project: string | null
  readonly account?: string | null
  /** The account is known by its key or token alone. */
  readonly isKey?: boolean
  /** The answer is the session's title. */
  readonly isTitle?: boolean
  /** Keys of the answer's parent (`DecodedRequest.tail`). */
  readonly tail: readonly string[]
  /** Further keys of the end of the turn, if the answer is its last (`DecodedRequest.turnEndKeys`). */
  readonly turnEndKeys?: readonly string[]
  /** The request's headers. */
  readonly headers: RawHeaders
  /** null if no head arrived. */
  readonly status: number | null
  readonly responseHeaders: RawHeaders
  /** Name of the header with the API's id of the request; absent: `request-id`. */
  readonly requestIdHeader?: string
  /** When the head arrived, in ms of this run; null if none did. */
  readonly responseAt: number | null
  readonly hash: HashText
}

/** Decodes one response from its bytes, whose content-encoding has been undone. */
export interface ResponseDecoder {
  /** `at`: when the bytes arrived, in ms of this run; without it, times inside the response are those of its head. */
  push(bytes: Uint8Array, at?: number): ResponseDelta[]
  /** Returns all facts of the response, also if it was cut; `at`: ms of this run. */
  end(outcome: ExchangeOutcome, at: number, error: string | null): AnyDraft[]
  /** Returns all facts so far, as if Aspy stopped now; `at`: ms of this run. */
  soFar(at: number): AnyDraft[]
  /** After the end: the id of the batch that the answer describes. */
  readonly batchId: string | null
  /** The reason if a part of the answer was not decoded; null or absent if all of it was. */
  readonly tooLarge?: string | null
  /** Takes an event that is not part of a stream of bytes: a message on a WebSocket. Absent: the API has none. */
  take?(event: StreamEvent, at: number): ResponseDelta[]
  /** The answer is over, although more bytes may follow on its connection. */
  readonly isOver?: boolean
  /** After the end: the answer that a later request may continue (`previous_response_id`); null if it is incomplete. */
  readonly answered?: { readonly id: string; readonly output: readonly Json[] } | null
}

/** Support for requests that continue an earlier answer and hold only new items. */
export interface Continuation {
  /**
   * Returns the id of the answer that a request continues (`ResponseDecoder.answered.id`); null if the request is
   * complete.
   */
  continues(body: JsonObject, sessionId: string): string | null
  /** Returns the conversation in a request. */
  itemsOf(body: JsonObject): readonly Json[]
  join(body: JsonObject, earlier: readonly Json[]): JsonObject
  /**
   * Reads an event of an answer for the conversation that the next request may continue. `id`: as `continues` returns
   * it.
   */
  answerIn(event: JsonObject, sessionId: string): AnswerPart
}

/** An event's additions to the conversation. */
export interface AnswerPart {
  /** The id of the answer, once it is complete; null before. */
  readonly id: string | null
  /** Calls as comparable texts. */
  readonly calls: readonly string[]
}

/** The repeated conversation in a request, by which the session of a caller without a session id is found. */
export interface RepeatedConversation {
  /** Returns the messages of a body; empty if it has none. */
  messagesOf(body: JsonObject): readonly Json[]
  /** Returns the part of a body before its messages: the system prompt. */
  instructionsOf(body: JsonObject): Json
  /** Identifies a message by its content, in any notation. */
  digest(message: Json, hash: HashText): string
  /** Identifies an answer as the message in which the next request repeats it. */
  answerDigest(texts: readonly string[], callIds: readonly string[], hash: HashText): string
  /** True if requests to this path only count tokens: the request itself may follow with the same messages. */
  isCount(path: string): boolean
  /** Returns how often the caller sent the request before; null if it does not report it. */
  retriesOf(headers: RawHeaders): number | null
}

/** Support for APIs that take many requests at once. */
export interface Batches {
  /** True if an exchange creates a batch. */
  isCreation(method: string, path: string): boolean
  /** Returns the requests of a body that creates a batch; `params` is the body of each. */
  requestsOf(body: Json | null): readonly { readonly customId: string; readonly params: JsonObject }[]
  /** The path for sending a single request. */
  readonly path: string
  sessionOf(batchId: string): string
  /** Returns the exchange id of one request, in the form of a UUID. */
  exchangeOf(batchId: string, customId: string, hash: HashText): string
}

/** The size and the repeated parts of a request, as far as its body shows them before it is sent. */
export interface RequestOutline {
  /** Everything that the model reads, in the order of the API's cache. */
  readonly parts: readonly Json[]
  /** Number of parts, counted from the first, that are kept for an hour. */
  readonly hourParts: number
  readonly isCaching: boolean
  /** Upper bound of the response in tokens; null if the request names none. */
  readonly maxTokens: number | null
  /** What it asks for that changes the price. */
  readonly terms: Pick<Usage, 'speed' | 'service_tier' | 'inference_geo'>
  /** The messages of the running turn: for each, its calls as comparable texts. Empty: a prompt is the newest message. */
  readonly turn: readonly (readonly string[])[]
  /** One of its messages is a prompt: the turn began in this request. */
  readonly isPrompted: boolean
  /** It has only new items: the API adds them to the earlier conversation. */
  readonly isContinued: boolean
  readonly hasTools: boolean
  /** Number of messages or items in the request. */
  readonly messages: number
}

/** The API of an exchange. A folder below `wire/` has one; the recorder knows them only by this interface. */
export interface Wire {
  readonly name: string
  /** The list in a request's body that holds the conversation. */
  readonly list: 'messages' | 'input'
  identify(request: Pick<RequestExchange, 'headers' | 'wall'>, body: Json | null, hash: HashText): SessionIdentity
  /** Returns a key of the bodies that may share their beginning. A wrong guess only costs time. */
  conversationOf(headers: RawHeaders): string
  kindOf(request: Pick<RequestExchange, 'method' | 'path' | 'headers'> & { readonly body: Json | null }): RequestKind
  /** Returns the kind of a request whose body could not be read. */
  kindWithoutBody(path: string): RequestKind
  decodeRequest(
    exchange: RequestExchange,
    body: Json | null,
    history: RequestHistory,
    lookups: RequestLookups,
  ): DecodedRequest
  createResponseDecoder(exchange: RequestExchange, context: ResponseContext): ResponseDecoder
  outline(body: JsonObject): RequestOutline
  /** Absent: every request is whole. */
  readonly continuation?: Continuation
  /** Absent: `identify` finds a session for every request. */
  readonly repeated?: RepeatedConversation
  /** Absent: the API has no batches. */
  readonly batches?: Batches
}
