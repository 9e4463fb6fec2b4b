import type { Json, JsonObject, RequestKind } from '../../../shared/event.ts'
import type { RawHeaders } from '../../proxy/protocol/tap-protocol.ts'
import type { HashText } from '../media.ts'

/** The parts of a request that show its client. */
export interface ClientRequest {
  readonly headers: RawHeaders
  readonly body: Json | null
}

/** The sender of a request, as its client names it. */
export interface Sender {
  readonly sessionId: string
  /** null for the main agent. */
  readonly agentId: string | null
}

/** A call of a tool, and its result. */
export interface AnsweredCall {
  readonly callId: string
  readonly name: string
  readonly input: JsonObject
  readonly text: string
}

/** An agent whose report a call's result is. */
export interface EndedAgent {
  readonly id: string
  readonly type: string | null
  readonly lastText: string | null
  readonly failed: boolean
}

/** A client that calls the Messages API beside Claude Code, and the marks by which its requests are known. */
export interface WireClient {
  /** Key of the client. */
  readonly name: string
  /** The user agent that only this client sends; its first group is the version. Absent: it sends another's. */
  readonly userAgent?: RegExp
  /** True if headers other than the user agent are this client's alone. Absent: there are none. */
  isMarked?(headers: RawHeaders): boolean
  /** The beginning of a text that this client sends: a block of its system prompt, or of the first message. */
  readonly opening: RegExp
  /** The client's working directory, as its first group, in the system prompt or the first message. */
  readonly directory: RegExp
  /** Returns the version of a request that was known by its marks. Absent: it has none. */
  versionOf?(request: ClientRequest): string | null
  /** Returns the sender if the client names its session in its own way. */
  senderOf?(request: ClientRequest, hash: HashText): Sender | null
  /** Some requests of a conversation name its session and others do not. Absent: all do, or none. */
  readonly namesSome?: true
  /** Returns the kind of a request that the client marks in its own way; null for the conversation. */
  kindOf?(request: ClientRequest): RequestKind | null
  /** Returns the agent whose report the result of a call is; null if it is none. Absent: results name none. */
  endedAgent?(call: AnsweredCall, sessionId: string, hash: HashText): EndedAgent | null
  /** True if the answer of a side call is the session's title. Absent: none is. */
  isTitle?(request: ClientRequest): boolean
  /** Beginnings of the text with the summary, with which a compacted conversation begins. Absent: none was seen. */
  readonly summaries?: readonly string[]
  /** Beginnings of other texts of a user's message that the client writes. Absent: none. */
  readonly sentences?: readonly string[]
  /** An answer that the client writes in place of the model. Absent: there is none. */
  readonly ownAnswer?: string
  /** The client's mark before a prompt, in the same text. Absent: there is none. */
  readonly mark?: RegExp
}
