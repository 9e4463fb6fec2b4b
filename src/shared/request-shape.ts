import type { Json, JsonObject } from './event.ts'

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
  readonly marks: { readonly [pointer: string]: Json }
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
