import type { AnyDraft } from '../decode/draft.ts'
import type { RawHeaders } from '../proxy/protocol/tap-protocol.ts'

/** Removes secrets from text before anything else sees it. A secret always gets the same mark. */
export interface Redactor {
  /** Replaces each secret by `[redacted:<rule>:<4 hex digits>]`. */
  text(text: string): string
  /**
   * Redacts neighbouring texts (such as the text blocks of a message) as one, to find a secret split across them.
   * Returns the same number of texts; the mark is placed where the secret began.
   */
  joined(texts: readonly string[]): string[]
  /** Replaces the value of every line of a .env file. */
  envFile(text: string): string
  /** Redacts every string in a JSON value, including keys. Returns the value itself if nothing was found. */
  json<T>(value: T): T
  /** Returns the headers on the allow-list, their values redacted. */
  headers(headers: RawHeaders): RawHeaders
  /** Redacts the payload, error message and sighting of a draft; `account` becomes its keyed hash. */
  draft<T extends AnyDraft>(draft: T): T
  /**
   * Redacts the texts of neighbouring blocks of a response as one, to find a secret split across them. Changes nothing else:
   * each block must still go through `draft`.
   */
  neighbours(drafts: readonly AnyDraft[]): AnyDraft[]
  /**
   * Redacts text that arrives in pieces: holds back any text that may be the start of a secret. `before` is the raw end
   * of the preceding block; the rest of a secret that began there is not shown.
   */
  stream(before?: string): StreamRedactor
  /** Hashes an identifier that must not be stored itself (HMAC-SHA-256, first 16 bytes, hex). */
  hash(text: string): string
  /** Returns the number of matches per rule since start. */
  counts(): { readonly [rule: string]: number }
  /** Returns the number of texts that were not scanned to the end in time; the rest of them was left out. */
  timeouts(): number
}

export interface StreamRedactor {
  /** Takes the next piece and returns the text that may be shown so far. */
  push(piece: string): string
  /** Returns the rest when the block is complete. */
  end(): string
  /**
   * Returns the rest when the block is complete and the following block begins with `next`, without a secret that
   * continues there. Null: more of the next block is needed to decide; never null with `final`, since nothing more
   * follows.
   */
  endBefore(next: string, final: boolean): string | null
  /** Returns the text not shown yet, with a little context before it: `before` for the next block's stream. */
  held(): string
}

/** Returns the mark that replaces a secret. Called once for each place. */
export type Mark = (rule: string, secret: string) => string

/** The user's own patterns, applied after the built-in rules. */
export interface OwnPatterns {
  /** Replaces matches in a text. If the patterns time out, returns a notice instead of the text. */
  text(text: string, mark: Mark): string
  /** Redacts neighbouring texts as one; returns the same number of texts. */
  joined(texts: readonly string[], mark: Mark): string[]
  /** Returns the number of texts left out because a pattern timed out, by pattern name. */
  timeouts(): { readonly [pattern: string]: number }
}
