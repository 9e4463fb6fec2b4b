import type { EventKind, EventSource, Payloads } from '../../shared/event.ts'

/**
 * The output of a decoder: an event without a place. The recorder redacts it, assigns turn, seq and parent, and joins
 * it with other sources' reports of the same fact.
 */
export interface EventDraft<K extends EventKind = EventKind> {
  readonly kind: K
  readonly source: EventSource
  readonly payload: Payloads[K]
  /** The client's session id, or an id derived from the source (see decode/session-identity.ts). */
  readonly session_id: string
  readonly agent_id: string | null
  readonly ts_wall: string
  readonly ts_monotonic: number | null
  readonly duration_ms?: number | null
  readonly success?: boolean | null
  readonly error_message?: string | null
  readonly request_id?: string | null
  /** Account uuid, or else the API key: replaced by a keyed hash before anything else sees it. */
  readonly account?: string | null
  readonly project?: string | null
  /** The source's own uuid for this event, used if this source is the first to report it. */
  readonly uuid?: string
  /**
   * Natural keys of the fact, each globally unique: two drafts that share one are one event. See `naturalKey`.
   */
  readonly keys: readonly string[]
  /**
   * Identifies the fact by its text if it has no key: the k-th occurrence in its session and kind. `within_ms` limits
   * how far apart two sources may date it (prompts: 10 s); null: no limit (blocks shown by a request's history). Such a
   * draft is none of the `earlier` first occurrences, and no prompt without an answer if `is_answered`.
   */
  readonly text_identity?: {
    readonly text: string
    readonly within_ms: number | null
    readonly earlier?: number
    readonly is_answered?: true
  }
  /**
   * The session whose history this repeats, named by a transcript or found by the store. Texts are looked up there too,
   * and a transcript's copies belong to that session, whichever is read first.
   */
  readonly copied_from?: string
  /**
   * The answer that it is part of: its id from the API, which its keys contain, and a unique name of our own. Without
   * an id, the keys contain our name.
   */
  readonly answer?: { readonly id: string | null; readonly own: string }
  /** Keys of the event that caused this one, best first; the first known one becomes the parent. */
  readonly parents: readonly string[]
  /**
   * Additions of this source if it is not the first: stored with its sighting (a hook's duration, a transcript's prompt
   * id).
   */
  readonly sighting?: { readonly [key: string]: unknown }
  /**
   * Set if the draft describes other events rather than a fact of its own: it is stored as a sighting of the first
   * event here that is known, of any kind, and becomes an event only if none is known.
   */
  readonly sighting_of?: readonly string[]
  /**
   * Behind an answer, this begins a turn: a compaction or its request, whose prompt or `/compact` is seen later and then
   * comes first in that turn, or a notice of work in the background, which is there in place of a prompt.
   */
  readonly begins_turn?: true
  /** The draft only corrects an event: it is dropped if its event is not known. */
  readonly only_as_sighting?: true
  /** The draft is dropped if its session's turn has ended, or was interrupted. */
  readonly ends_open_turn?: true
  /** The client's requests may name no session: what the wire recorded of it is then in a session with an id of ours. */
  readonly may_be_unnamed?: true
}

export type AnyDraft = { [K in EventKind]: EventDraft<K> }[EventKind]

/** Names of an answer that need no id from the API: by its exchange, and by the transcript line that it begins with. */
export const ownName = {
  wire: (exchangeId: string) => `wire/${exchangeId}`,
  transcript: (lineUuid: string) => `transcript/${lineUuid}`,
} as const

/** The forms of natural keys. A key contains a session id only if there is no globally unique id. */
export const naturalKey = {
  /** A content block of a response: message id and block index. */
  block: (messageId: string, index: number) => `block:${messageId}:${index}`,
  call: (callId: string) => `call:${callId}`,
  result: (callId: string) => `result:${callId}`,
  /** The usage of one message, however many transcript lines repeat it. */
  usage: (messageId: string) => `usage:${messageId}`,
  response: (messageId: string) => `response:${messageId}`,
  exchange: (exchangeId: string, part: 'request' | 'response' | 'error' | 'limits' | 'turn_end') =>
    `exchange:${exchangeId}:${part}`,
  /** A transcript line. */
  line: (uuid: string) => `line:${uuid}`,
  promptId: (promptId: string) => `prompt:${promptId}`,
  agentStart: (agentId: string) => `agent:${agentId}:start`,
  agentEnd: (agentId: string) => `agent:${agentId}:end`,
  /** The n-th prompt that an exchange added: the parent of its answer (the prompt itself is identified by its text). */
  wirePrompt: (exchangeId: string, n: number) => `exchange:${exchangeId}:prompt:${n}`,
  /** A block of the history that a request showed: message and block index. */
  history: (exchangeId: string, message: number, block: number) => `exchange:${exchangeId}:history:${message}:${block}`,
  /** A change to the task list by a successful call. */
  tasks: (callId: string) => `tasks:${callId}`,
  /** The end of a turn, identified by the message that ended it. */
  turnEnd: (messageId: string) => `turn-end:${messageId}`,
  /** A failed request, by the API's own id for it. */
  failure: (requestId: string) => `failure:${requestId}`,
  /** Refers to the newest event of a session by the draft's time: for lookups only, never stored. */
  newestOf: (sessionId: string) => `session:${sessionId}`,
} as const
