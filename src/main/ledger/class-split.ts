import { promptTokens, type InputTokens } from './missed.ts'
import type { Mark } from './request-blocks.ts'

/**
 * The API's charge for a block: it was read from the cache, written to it for an hour or five minutes, or not cached.
 */
export const CHARGES = ['read', 'written_1h', 'written_5m', 'uncached'] as const
export type Charge = (typeof CHARGES)[number]

/**
 * The ends of the parts of a request in blocks: up to `read` blocks were read from the cache, up to `written1h` written for
 * an hour, up to `cached` written for five minutes; the rest was not cached.
 */
export interface ClassSplit {
  readonly read: number
  readonly written1h: number
  readonly cached: number
}

export interface SplitRequest {
  readonly usage: InputTokens
  readonly marks: readonly Mark[]
  /** Ends of earlier cache entries, in blocks: breakpoints of the previous request within the common prefix. */
  readonly entries: readonly number[]
  /** The newest of these ends, and the number of tokens up to it. */
  readonly last: { readonly end: number; readonly tokens: number } | null
  /** The estimated tokens before each block, with the sum of all at the end. */
  readonly before: readonly number[]
}

/**
 * Splits a request by class. The cache ends at breakpoints, of this request or an earlier one: each part ends at the
 * breakpoint that is nearest to its tokens. A class without tokens gets no block.
 */
export function splitByClass({ usage, marks, entries, last, before }: SplitRequest): ClassSplit {
  const count = before.length - 1
  const scale = (before[count] ?? 0) / Math.max(1, promptTokens(usage))
  const nearest = (tokens: number, ends: readonly number[], from: number, to: number): number => {
    const wanted = tokens * scale
    const inside = ends.filter((end) => end >= from && end <= to)
    const choice = inside.length > 0 ? inside : around(before, wanted, from, to)
    let best = choice[0] ?? from
    const distance = (end: number) => Math.abs((before[end] ?? 0) - wanted)
    for (const end of choice) if (distance(end) < distance(best)) best = end
    return best
  }
  const ends = marks.map(({ position }) => position + 1)
  const { input, read, written, written1h } = usage
  const cachedTokens = read + written
  const cached = cachedTokens === 0 ? 0 : input === 0 ? count : nearest(cachedTokens, ends, 1, count)
  const isLast = last !== null && last.tokens === read && last.end < cached
  const entry = isLast ? last.end : nearest(read, [...ends, ...entries], 1, cached - 1)
  const readEnd = read === 0 ? 0 : written === 0 ? cached : entry
  const hourEnds = marks.filter(({ ttl }) => ttl === '1h').map(({ position }) => position + 1)
  const isMixed = written1h > 0 && written1h < written && cached - readEnd > 1
  const hourEnd = isMixed
    ? nearest(read + written1h, hourEnds, readEnd + 1, cached - 1)
    : written1h * 2 > written
      ? cached
      : readEnd
  return { read: readEnd, written1h: hourEnd, cached }
}

/** Returns the ends from `from` to `to` between which the wanted sum is: sums grow with each block. */
function around(before: readonly number[], wanted: number, from: number, to: number): readonly number[] {
  if (to < from) return []
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((before[middle] ?? 0) < wanted) low = middle + 1
    else high = middle
  }
  return low > from ? [low - 1, low] : [low]
}

/** Returns how a block at a position was charged. */
export function chargeAt({ read, written1h, cached }: ClassSplit, position: number): Charge {
  if (position < read) return 'read'
  if (position < written1h) return 'written_1h'
  return position < cached ? 'written_5m' : 'uncached'
}
