import type { AnyDraft } from '../decode/draft.ts'
import type { RawHeaders } from '../proxy/protocol/tap-protocol.ts'

/** Removes secrets from text before anything else sees it. The same secret always gets the same mark. */
export interface Redactor {
  /** The text with each secret replaced by `[redacted:<rule>:<4 hex digits>]`. */
  text(text: string): string
  /**
   * Neighbouring texts (the text blocks of a message, …) redacted as one, so that a secret cut over them is found; as many
   * texts come back, the mark in the one where the secret began.
   */
  joined(texts: readonly string[]): string[]
  /** The content of a .env file: the value of every line replaced. */
  envFile(text: string): string
  /** Every string in a JSON value (keys too); the value itself where nothing was found. */
  json<T>(value: T): T
  /** Only headers on the allow-list, their values redacted. */
  headers(headers: RawHeaders): RawHeaders
  /** Payload, error message and sighting of a draft; `account` becomes its keyed hash. */
  draft<T extends AnyDraft>(draft: T): T
  /**
   * The blocks of one response before they go through `draft`: texts of neighbouring blocks are redacted as one, so that a
   * secret cut over them is found. Changes nothing else.
   */
  neighbours(drafts: readonly AnyDraft[]): AnyDraft[]
  /**
   * For text that arrives in pieces: holds back what might be the beginning of a secret. `before`: the end of the
   * neighbouring block before it, as it came; what began there is not shown here.
   */
  stream(before?: string): StreamRedactor
  /** Keyed hash (HMAC-SHA-256, first 16 bytes, hex) for identifiers that must not be stored themselves. */
  hash(text: string): string
  /** How often each rule matched since start. */
  counts(): { readonly [rule: string]: number }
  /** Texts that could not be looked through in time, and are left out from there on. */
  timeouts(): number
}

export interface StreamRedactor {
  /** Takes the next piece, gives back what may be shown by now. */
  push(piece: string): string
  /** The rest, when the block is whole. */
  end(): string
  /**
   * The rest, when the block is whole and a neighbour follows that begins with `next`: what goes on there is not shown
   * here either. Null: more of the neighbour is needed to tell; never with `final`, when no more will come.
   */
  endBefore(next: string, final: boolean): string | null
  /** What of the block is not shown yet, with a little of what stands before it: `before` for the neighbour's stream. */
  held(): string
}

/** The mark of what was removed: the rule's name, and what it found. */
type Mark = (rule: string, secret: string) => string

/** The user's own patterns, asked when the built-in rules are through with a text. */
export interface OwnPatterns {
  /** A text without what they match; where they gave no answer in time, words that say so instead of the text. */
  text(text: string, mark: Mark): string
  /** Neighbouring texts as one; as many come back. */
  joined(texts: readonly string[], mark: Mark): string[]
  /** Texts that were left out because a pattern gave no answer in time, by its name. */
  timeouts(): { readonly [pattern: string]: number }
}
