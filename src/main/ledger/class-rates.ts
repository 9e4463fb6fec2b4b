import type { Charge, ClassSplit } from './class-split.ts'
import type { InputTokens } from './missed.ts'

/** Tokens and USD for each estimated token of a class. */
export interface Rate {
  readonly tokens: number
  readonly usd: number
}

export type Rates = Readonly<Record<Charge, Rate>>

/** USD of an answer's input by class. */
export interface InputUsd {
  readonly input: number
  readonly cache_read: number
  readonly cache_write_5m: number
  readonly cache_write_1h: number
}

const NOTHING: Rate = { tokens: 0, usd: 0 }

/**
 * Scales each class to the tokens and cost that the API reported. `before` holds the estimated tokens before each
 * block. `rest` is the part that no block accounts for: a class with tokens but no block, such as the few tokens after
 * the last breakpoint.
 */
export function chargesOf(
  { read, written1h, cached }: ClassSplit,
  before: readonly number[],
  usage: InputTokens,
  usd: InputUsd | null,
): { readonly rates: Rates; readonly rest: Rate } {
  const until = (end: number) => before[end] ?? 0
  const hour = { tokens: usage.written1h, usd: usd?.cache_write_1h ?? 0 }
  const short = { tokens: usage.written - usage.written1h, usd: usd?.cache_write_5m ?? 0 }
  const hourWeight = until(written1h) - until(read)
  const shortWeight = until(cached) - until(written1h)
  const both = { tokens: hour.tokens + short.tokens, usd: hour.usd + short.usd }
  const isHour = hourWeight > 0
  const isShort = shortWeight > 0
  const classes: readonly (readonly [Charge, Rate, number])[] = [
    ['read', { tokens: usage.read, usd: usd?.cache_read ?? 0 }, until(read)],
    // The blocks of one kind of writes take both if the other kind has none.
    ['written_1h', isShort ? (isHour ? hour : NOTHING) : both, hourWeight],
    ['written_5m', isShort ? (isHour ? short : both) : NOTHING, shortWeight],
    ['uncached', { tokens: usage.input, usd: usd?.input ?? 0 }, until(before.length - 1) - until(cached)],
  ]
  const rates: Record<Charge, Rate> = { read: NOTHING, written_1h: NOTHING, written_5m: NOTHING, uncached: NOTHING }
  const rest = { tokens: 0, usd: 0 }
  for (const [charge, total, weight] of classes) {
    if (weight > 0) rates[charge] = { tokens: total.tokens / weight, usd: total.usd / weight }
    else {
      rest.tokens += total.tokens
      rest.usd += total.usd
    }
  }
  return { rates, rest }
}
