/**
 * Types for processors of your own: see docs/processors.md. Name them in a comment above your default export,
 * `@type {import('<path of aspy>/resources/processor.d.ts').Processor}`, and your editor knows events and context.
 */

/** Any JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | {
      readonly [key: string]: Json
    }
export type JsonObject = {
  readonly [key: string]: Json
}
/** Who may cut an answer off: the client, the upstream, or Aspy by stopping. A complete answer has null. */
export declare const CUT_BY: readonly ['client', 'upstream', 'aspy']
export type CutBy = (typeof CUT_BY)[number]
/** The event: one immutable fact, decoded from an exchange, a hook or a transcript, or posted to the API: a row of `events`. */
export type { Json, JsonObject, MediaReference }
export declare const EVENT_KINDS: readonly [
  'session_started',
  'session_ended',
  'user_prompt',
  'model_request',
  'thinking',
  'assistant_text',
  'tool_call',
  'tool_result',
  'file_seen',
  'api_usage',
  'model_response',
  'turn_ended',
  'rate_limit',
  'compaction',
  'agent_started',
  'agent_ended',
  'task_update',
  'state_change',
  'notification',
  'error',
  'guard_action',
  'unknown',
]
export type EventKind = (typeof EVENT_KINDS)[number]
export declare const EVENT_SOURCES: readonly ['wire', 'hook', 'transcript', 'api']
export type EventSource = (typeof EVENT_SOURCES)[number]
/** Version of the payload shapes below. Older payloads are upgraded when read, one function a step. */
export declare const SCHEMA_VERSION = 1
/** Purpose of a request: see request-kind.ts of each client. */
export declare const REQUEST_KINDS: readonly [
  'infrastructure',
  'probe',
  'warmup',
  'subagent',
  'side_call',
  'compaction',
  'loop',
  'prompt',
]
export type RequestKind = (typeof REQUEST_KINDS)[number]
/** Token usage as the Messages API reports it: `message_delta` merged over `message_start`. Absent: not reported. */
export interface Usage {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens: number
  readonly cache_creation_input_tokens: number
  /** The part of cache_creation_input_tokens that is kept for an hour. */
  readonly cache_creation_1h_input_tokens: number
  readonly thinking_tokens: number | null
  readonly web_search_requests: number
  readonly service_tier: string | null
  readonly speed: string | null
  readonly inference_geo: string | null
}
/** One message of a stored request: its blocks by content hash (hex), so that identical blocks are stored once. */
export interface StoredMessage {
  readonly role: string
  readonly blocks: readonly string[]
  /** True if the client sent `content` as a plain string instead of blocks. */
  readonly plain?: true
  /** Set if the message has further fields: the last of `blocks` is then the message with null as its `content`. */
  readonly framed?: true
}
/** A request as its difference from an earlier one of its session and agent: `keep` messages of event `base`, then `add`. */
export interface StoredRequest {
  readonly base: string | null
  readonly keep: number
  readonly add: readonly StoredMessage[]
  readonly system: readonly string[]
  readonly tools: readonly string[]
  /** All other top-level fields of the body, redacted. Empty lists keep the places of the lists above. */
  readonly parameters: JsonObject
  /** Each `cache_control` by its JSON pointer in the body. */
  readonly cache_control?: {
    readonly [pointer: string]: Json
  }
  /** The place of each `cache_control` among its object's fields, unless it is the last. */
  readonly mark_order?: {
    readonly [pointer: string]: number
  }
  /** The field that holds the messages; absent: `messages`. */
  readonly list?: 'input'
}
/** Payload of each kind of event. Fields are optional only if a source may not know them. */
export interface Payloads {
  session_started: {
    readonly start: 'startup' | 'resume' | 'clear' | 'compact' | 'fork' | 'unknown'
    readonly model?: string | null
    readonly client_version?: string | null
    readonly git_branch?: string | null
  }
  session_ended: {
    readonly reason: string | null
  }
  user_prompt: {
    readonly text: string
    readonly prompt_id?: string | null
    readonly media?: readonly MediaReference[]
    /** True if it was found in the history of a later request, not seen when it was sent. */
    readonly seen_in_history?: true
    readonly git_branch?: string | null
    /** Set if it was not typed as a prompt: a slash command for the model, one that the client carries out itself, a `!` command, a `#` note, a plan that was accepted, a question beside the turn. */
    readonly entered_as?: 'command' | 'local_command' | 'shell' | 'memory' | 'plan' | 'side_question'
    /** Set if a further source knows that the client wrote it, so it does not count as a prompt. */
    readonly not_a_prompt?: true
    /** Time of the prompt after a rewind that left it behind. */
    readonly left_behind?: string
  }
  model_request: {
    readonly exchange_id: string
    readonly request_kind: RequestKind
    readonly method: string
    readonly path: string
    readonly model: string | null
    readonly headers: readonly (readonly [string, string])[]
    /** Null if the body was not a request to a model. */
    readonly request: StoredRequest | null
    readonly message_count: number
    readonly body_bytes: number
    /** uuid of the request that this one repeats. */
    readonly retry_of?: string | null
    /** True if the request reached the proxy without the path secret. Absent: with it, or not known. */
    readonly unproven_sender?: true
    /** The client by the request's own marks, if its headers name another: a null name is an unknown client. */
    readonly client?: readonly [name: string | null, version: string | null]
    /** The facts about the request that the cache ledger needs. */
    readonly shape?: RequestShape
  }
  thinking: {
    readonly text: string
    /** True if the client requested no text, so that only the signature arrived. */
    readonly signature_only: boolean
    /** True if there was a text, but the settings do not keep thinking. */
    readonly left_out?: true
    /** A redacted_thinking block: the API does not reveal its text. */
    readonly withheld?: true
    readonly message_id: string | null
    readonly index: number
    readonly seen_in_history?: true
  }
  assistant_text: {
    readonly text: string
    readonly message_id: string | null
    readonly index: number
    readonly citations?: readonly Json[]
    readonly seen_in_history?: true
  }
  tool_call: {
    readonly call_id: string
    readonly tool_name: string
    readonly input: Json
    /** Beginning of the input, only while the input is in an archive. */
    readonly digest?: Json
    /** True if there was an input, but the settings do not keep tool inputs. */
    readonly left_out?: true
    readonly message_id: string | null
    readonly index: number
    /** True if it was run by the API (web search, hosted MCP), not by the client. */
    readonly server_side?: true
    readonly seen_in_history?: true
  }
  tool_result: {
    readonly call_id: string
    readonly tool_name: string | null
    /** Text, or blocks if there is more than text. */
    readonly output: Json
    /** Output of a failed call, only while the output is in an archive; null for other calls. */
    readonly digest?: string | null
    /** True if there was an output, but the settings do not keep tool outputs. */
    readonly left_out?: true
    readonly is_error: boolean
    readonly rejected: boolean
    readonly media?: readonly MediaReference[]
    readonly server_side?: true
    readonly seen_in_history?: true
    /** The client's own structured result (transcript `toolUseResult`, hook `tool_response`). */
    readonly detail?: Json
  }
  file_seen: FileSeen
  api_usage: {
    readonly message_id: string | null
    readonly model: string
    readonly usage: Usage
    readonly request_kind: RequestKind | null
    /** The wire reports measured counts. The output count of a transcript may be a placeholder. */
    readonly basis: 'measured' | 'lower_bound'
    readonly ttft_ms: number | null
    /** Samplings and parts (compaction, advisor) that the totals omit. `part` names the one that this usage is of. */
    readonly iterations?: readonly Json[]
    readonly part?: string
    /** True if the API did not report the tokens read from the cache or written to it. */
    readonly cache_unreported?: true
    /** USD that the client wrote beside the answer (old versions); counts if no price or no tokens are known. */
    readonly client_cost_usd?: number
    readonly cache_verdict?: CacheVerdict
  }
  model_response: {
    readonly exchange_id: string | null
    readonly message_id: string | null
    readonly model: string | null
    readonly status: number
    readonly stop_reason: string | null
    readonly stop_details?: Json
    /** Context that the API removed before it answered (`context_management`). */
    readonly applied_edits?: Json
    readonly cache_verdict?: CacheVerdict
    readonly asked?: AskedFor
    readonly served?: ServedAs
    readonly streamed: boolean
    readonly cut_by: CutBy | null
    readonly ttft_ms: number | null
    readonly headers: readonly (readonly [string, string])[]
    readonly body_bytes: number
  }
  /** `ends_session`: its client exits after its turn, unless it is given another prompt. */
  turn_ended: {
    readonly reason: string | null
    readonly last_text?: string | null
    readonly ends_session?: true
  }
  /** `organization`: the account in it, or itself for keys, as a keyed hash; if the answer names one. */
  rate_limit: {
    readonly limits: JsonObject
    readonly organization?: string
  }
  compaction: {
    readonly trigger: 'manual' | 'auto' | 'unknown'
    readonly summary: string
    /** True if there is a summary that only the API can read. */
    readonly withheld?: true
    readonly tokens_before: number | null
    readonly tokens_after: number | null
  }
  agent_started: {
    readonly agent_id: string
    readonly agent_type: string | null
    readonly parent_agent_id: string | null
    readonly call_id: string | null
  }
  agent_ended: {
    readonly agent_id: string
    readonly agent_type: string | null
    readonly last_text?: string | null
  }
  task_update: {
    readonly tasks: readonly {
      readonly id: string
      readonly subject: string
      readonly status: string
    }[]
  }
  state_change: {
    readonly name: string
    readonly from?: Json
    readonly to: Json
    readonly seen_in_history?: true
  }
  /** `level`: `command_output` for the output of a `!` or local command. */
  notification: {
    readonly text: string
    readonly level?: string | null
    readonly seen_in_history?: true
  }
  error: {
    /** upstream: an HTTP answer; stream: `error` in it; connection: no answer; capture, guard: Aspy itself; client. */
    readonly origin: 'upstream' | 'stream' | 'connection' | 'capture' | 'guard' | 'client' | 'posted'
    readonly type: string | null
    readonly message: string
    readonly status: number | null
    readonly body?: Json
    readonly retry_after_s?: number | null
  }
  guard_action: GuardAction
  unknown: {
    readonly what: string
    readonly raw: Json
    /** Version of the client that wrote it, if the source names it. */
    readonly client_version?: string
  }
}
/** A stored event: a row of `events` with its payload parsed. */
export interface AspyEvent<K extends EventKind = EventKind> {
  /** Position in the log. */
  readonly id: number
  /** UUIDv7 unless the source gives one. */
  readonly uuid: string
  readonly session_id: string
  /** Counts from 1 in its session; 0: before the first prompt. */
  readonly turn_id: number
  /** Counts from 0 in its turn. */
  readonly seq: number
  readonly agent_id: string | null
  readonly parent_uuid: string | null
  readonly kind: K
  readonly source: EventSource
  /** ISO 8601, UTC, with milliseconds. */
  readonly ts_wall: string
  /** Milliseconds since the start of the run; null for imported events. */
  readonly ts_monotonic: number | null
  readonly duration_ms: number | null
  readonly success: boolean | null
  readonly error_message: string | null
  readonly request_id: string | null
  /** Keyed hash of the account, or else of the API key. */
  readonly user_id: string | null
  /** Working directory. */
  readonly project: string | null
  readonly schema_version: number
  readonly payload: Payloads[K]
}
/** Every event as a union that narrows on `kind`. */
export type AnyEvent = {
  [K in EventKind]: AspyEvent<K>
}[EventKind]
/** Payload of `guard_action`: the guard's action on a request over a cap. */
export interface GuardAction {
  /** held: waits for a person; the others ended the wait, or there was no wait. */
  readonly action: 'notified' | 'held' | 'allowed' | 'raised' | 'refused' | 'ended'
  /** Name of the cap in `[guard]`. */
  readonly cap: string
  /** person: by command, API or window; rule: the setting `action`; timeout; client: it left; stop: the app stopped. */
  readonly decided_by: 'person' | 'rule' | 'timeout' | 'client' | 'stop'
  readonly limit: number
  /** Amount spent and reserved before the request. USD, tokens or a count, by cap. */
  readonly used: number
  /** The request's own estimate. */
  readonly guess: number
  /** For `raised`: the new limit, until Aspy restarts. */
  readonly raised_to?: number
  readonly agent_id: string | null
  /** ID of the request while it waits. */
  readonly id: string
}
/** A reference in place of an image or a document, whose bytes are never recorded. */
export interface MediaReference {
  readonly type: 'image' | 'document'
  readonly media_type: string | null
  readonly bytes: number
  /** Keyed hash of the base64 text, or of the address if there is no text; hex. */
  readonly hash: string
}
/** A block of a request as the cache ledger compares it: by the keyed hash of its redacted JSON. */
export interface ShapeBlock {
  readonly hash: string
  /** Hash of what the model reads of an item, without the ids and notes around it; absent: `hash`. */
  readonly content?: string
  /** The block's `type`; `tool` for a definition of a tool; `string` for content sent as a plain string. */
  readonly kind: string
  /** Length of its redacted JSON in UTF-8; null if it is not known. */
  readonly bytes: number | null
  /** The tool that it defines, calls or answers by name. */
  readonly tool?: string
  /** True if a secret was removed, so that equal hashes do not prove equal bytes. */
  readonly redacted?: true
  /** True if the settings kept only a part of it, so that equal hashes do not prove equal bytes. */
  readonly cut?: true
  /** True if it is a result that contains an image. */
  readonly image?: true
  /** Estimate of its tokens, by script and by the size of images; absent: not estimated. */
  readonly tokens?: number
  /** The id of the tool call that it makes or answers. */
  readonly call?: string
  /**
   * Kind of text that the client itself adds: `claude_md`, `skill`, `mcp_instructions`, `file_read`, `summary`,
   * `reminder`. Of an item of the Responses API also: `tool_schema`, `system_prompt`, `prompt`, `answer`, `thinking`.
   */
  readonly origin?: string
  /** The file that it holds or names, or the name of its skill. */
  readonly name?: string
}
export interface ShapeMessage {
  readonly role: string
  readonly blocks: readonly ShapeBlock[]
  readonly plain?: true
  /** Its fields other than `content`, if there are any besides `role`. */
  readonly frame?: ShapeBlock
}
/**
 * The facts that decide a request's cache entries. They stay in the event when the body moves to an archive. Like the
 * request, they are stored as a difference from `base`.
 */
export interface RequestShape {
  readonly base: string | null
  /** Number of messages at the beginning that are those of `base`. */
  readonly keep: number
  readonly add: readonly ShapeMessage[]
  /** Absent: those of `base`. */
  readonly system?: readonly ShapeBlock[]
  /** Absent: those of `base`. */
  readonly tools?: readonly ShapeBlock[]
  /** Each cache breakpoint by its JSON pointer in the body. */
  readonly marks: {
    readonly [pointer: string]: Json
  }
  /** The set of betas, sorted. */
  readonly betas: readonly string[]
  readonly speed: string | null
  /** Parameters that are part of the cache key, redacted; a long one as a hash. */
  readonly parameters: JsonObject
  /** Hashes of other parameters that might decide about the cache. */
  readonly other_parameters?: JsonObject
  /** The answer that the client considers the previous one. */
  readonly previous_message: string | null
  /** True if the request asked for the reason of a cache miss (`diagnostics`). */
  readonly asks_why: boolean
  /** The API caches beginnings of requests without breakpoints. Follows from its path. Never stored. */
  readonly unmarked?: true
  /** Made from a request that was recorded without a shape: its betas and parameters are not known. Never stored. */
  readonly partial?: true
}
/** The API's own verdict about the cache (`diagnostics` of an answer). */
export interface CacheVerdict {
  /** `cache_miss_reason.type`; null if the API found no difference, or does not know yet (`inconclusive`). */
  readonly type: string | null
  /** `cache_missed_input_tokens`, an estimate. */
  readonly tokens: number | null
  readonly inconclusive?: true
}
export declare const WHY_NOT: readonly [
  'gone',
  'too_large',
  'too_many',
  'not_text',
  'not_readable',
  'private',
  'ignored',
  'as_before',
  'no_other',
]
/**
 * Why a file that was seen has no text: it is gone, too large, behind too many others, no text, not readable, one of secrets
 * (`.env`), ignored by now, as it was when it was seen last, or the path is the work tree, of which no other file changed.
 */
export type WhyNot = (typeof WHY_NOT)[number]
/** A file as it was on the disk before or after a command that changed it. */
export interface SeenFile {
  readonly path: string
  readonly at: 'before' | 'after'
  /** Of its bytes; null: not read, or gone. */
  readonly hash: string | null
  readonly text: string | null
  readonly why_not: WhyNot | null
  /** The only other file of the tree that had these bytes before: this one is a copy, or that one was moved here. */
  readonly like?: string
}
/** Payload of `file_seen`: what a look at the disk found of a command's work. Only with `[files] watch_changes`. */
export interface FileSeen extends SeenFile {
  readonly call_id: string
  /** True if nothing else that Aspy knows of was at work in the tree. */
  readonly is_sure: boolean
  /** True if there was a text, but the settings do not keep what tools read. */
  readonly left_out?: true
}
/** Service options of a request, besides its conversation. null: not given. */
export interface AskedFor {
  readonly model: string | null
  /** Values of `anthropic-beta`, sorted. */
  readonly betas: readonly string[]
  readonly effort: string | null
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Lifetime of the cache marks. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}
/** Service facts about an answer, from its usage. null: not reported. */
export interface ServedAs {
  readonly speed: string | null
  readonly service_tier: string | null
  readonly inference_geo: string | null
  /** Lifetime of the cache entries written. */
  readonly cache_ttl: '5m' | '1h' | 'mixed' | null
}
/** Writes to Aspy's log. Secrets are removed. */
export interface ProcessorLogger {
  debug(details: object | string, message?: string): void
  info(details: object | string, message?: string): void
  warn(details: object | string, message?: string): void
  error(details: object | string, message?: string): void
}
/** Passed to a processor with each event. */
export interface ProcessorContext {
  readonly sessionId: string
  readonly userId: string | null
  readonly agentId: string | null
  readonly project: string | null
  /** True if the demo generated the event. */
  readonly isDemo: boolean
  /** The processor's own options from the config file. */
  readonly config: {
    readonly [key: string]: unknown
  }
  readonly logger: ProcessorLogger
}
/**
 * A step of the pipeline: it may change, drop or react to an event. If it throws, the error is logged and counted, and the event
 * continues unchanged.
 */
export interface Processor {
  readonly name: string
  process(event: AnyEvent, context: ProcessorContext): AnyEvent | 'drop' | Promise<AnyEvent | 'drop'>
  /** Called once, in reverse order, with a deadline. */
  shutdown?(): void | Promise<void>
}
