import type { AnyDraft } from './draft.ts'

/**
 * Reads one transcript file of a client, line by line, in order. A decoder per client (`claude-code/` is the first)
 * stands behind this interface; it does no I/O and never throws.
 */
export interface TranscriptDecoder {
  /** What a whole line says; the text without its line end. */
  line(text: string): AnyDraft[]
  /** What is still held back when no more lines come for now; lines may follow. */
  end(): AnyDraft[]
}

/** What is known of a file besides its lines. */
export interface TranscriptContext {
  /** Path of the file; its name gives the session where the lines do not. */
  readonly path?: string
  /** The file is an agent's own: its id, and its `meta.json` where there is one. */
  readonly isAgentFile?: { readonly agentId: string; readonly meta: unknown }
  /** When the file was last written, in ms since 1970: dates a file none of whose lines has a time. */
  readonly fileTime?: () => number | null
  /** True if an agent has a transcript file of its own. */
  readonly hasAgentFile?: (agentId: string) => boolean
  /** Keyed hash for images and documents, the same as the recorder's; without it their hash is plain SHA-256. */
  readonly hash?: (text: string) => string
  /** Told of each field that no one knows, by name and version of the client. */
  readonly onUnknownField?: (what: string) => void
}
