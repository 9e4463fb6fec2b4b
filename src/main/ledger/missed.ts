/** Input tokens of an answer by cache class. */
export interface InputTokens {
  readonly input: number
  readonly read: number
  /** All writes. */
  readonly written: number
  /** The part of `written` that is kept for an hour. */
  readonly written1h: number
}

export const promptTokens = ({ input, read, written }: InputTokens): number => input + read + written

/**
 * Compares the tokens read with those that the previous request had left in the cache. A request cannot read more than
 * its own prompt, and reads beyond `left` are not negative waste. Missed tokens were written again, those with the
 * longer lifetime first, since they precede the others; the rest was paid as uncached input.
 */
export function missedTokens(left: number, usage: InputTokens) {
  const couldRead = Math.max(usage.read, Math.min(left, promptTokens(usage)))
  const tokens = couldRead - usage.read
  const written = Math.min(tokens, usage.written)
  const written1h = Math.min(written, usage.written1h)
  return {
    couldRead,
    tokens,
    withoutMiss: {
      input: usage.input - (tokens - written),
      read: couldRead,
      written: usage.written - written,
      written1h: usage.written1h - written1h,
    },
  }
}
