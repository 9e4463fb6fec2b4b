import type { AnyDraft } from './draft.ts'

/**
 * Reads one transcript file of a client, line by line, in order. Each client has a decoder with this interface
 * (`claude-code/` is the first); it does no I/O and never throws.
 */
export interface TranscriptDecoder {
  /** Decodes a whole line, without its line end. */
  line(text: string): AnyDraft[]
  /**
   * True if the first line identifies the file: a decoder that continues in the middle then gets it before any other
   * line.
   */
  readonly needsFirstLine?: boolean
  /** Returns the drafts still held back at the current end of the file; lines may follow. */
  end(): AnyDraft[]
}

/** A line by which another session's copy of it is known. */
export interface OriginalLine {
  readonly sessionId: string
  readonly uuid: string
}

/** Facts about a file that its lines do not contain. */
export interface TranscriptContext {
  /** Path of the file; its name gives the session if the lines do not. */
  readonly path?: string
  /** Set if the file is an agent's own: its id, and its `meta.json` if there is one. */
  readonly isAgentFile?: { readonly agentId: string; readonly meta: unknown }
  /** Last modification, in ms since 1970: dates a file in which no line has a time. */
  readonly fileTime?: () => number | null
  /** Returns the line that another one copies under a uuid of its own; undefined if it is not such a copy. */
  readonly originalOf?: (uuid: string) => OriginalLine | undefined
  /** True if an agent has a transcript file of its own. */
  readonly hasAgentFile?: (agentId: string) => boolean
  /** True if a thread has a transcript file of its own (Codex). */
  readonly hasThread?: (threadId: string) => boolean
  /** Returns the session of a thread with a file; null if there is none, or the file does not say (Codex). */
  readonly sessionOfThread?: (threadId: string) => string | null
  /** Returns the lines of a thread's file; null if it has none (Codex). */
  readonly linesOfThread?: (threadId: string) => Iterable<string> | null
  /** Keyed hash for images and documents, the same as the recorder's; without it their hash is plain SHA-256. */
  readonly hash?: (text: string) => string
  /** True if nobody has written to the file for a while: no line will follow soon. */
  readonly isLeft?: () => boolean
  /** Called for each line that is not one whole record. */
  readonly onBrokenLine?: () => void
  /** Called for each unknown field, with its name and the client's version. */
  readonly onUnknownField?: (what: string) => void
}
