import type { CharClass } from './char-class.ts'

/** What a rule found, in positions of the scanned text. */
export interface Found {
  readonly start: number
  readonly end: number
  /** Stands in the place instead of a mark. */
  readonly replacement?: string
}

/**
 * What a rule says of an anchor: found · the text ends before it can be told (only while more may come) · or not here,
 * and this rule need not look again before that position, which is what keeps hostile text linear.
 */
export type Verdict = Found | 'more' | number

/** Says that the rest of the text holds nothing for a rule. */
export const NOWHERE = Number.POSITIVE_INFINITY

/** The text around an anchor, as a rule may look at it. */
export interface Place {
  readonly text: string
  /** Where the anchor begins and ends. */
  readonly at: number
  readonly after: number
  /** False while more text may come. */
  readonly final: boolean
  /** No word runs up to this position (escapes like `\n`, `%20` and colour codes are no words). */
  boundary(position: number): boolean
  /** A key format begins at `start` and reaches `end`: then it gives the name. */
  isKey(start: number, end: number): boolean | 'more'
}

/** One kind of secret. Rules look ahead only from their anchor, without going back: each attempt is linear. */
export interface Rule {
  readonly name: string
  /** Literal beginnings that occur in the text as they stand here. */
  readonly anchors: readonly string[]
  /** Found by its own prefix, wherever it stands; the other rules leave such keys to it. */
  readonly isKeyFormat: boolean
  match(place: Place): Verdict
}

/** A run of characters of one class: how many at least and at most. */
export type Run = readonly [chars: CharClass, min: number, max: number]

/** No token is longer; the hold-back of streams is bounded by it. */
export const LONGEST_RUN = 4096

/**
 * Where each of the runs ends, one after the other, each as long as it gets; 'more' where the text ended first; or the
 * position at which they failed.
 */
export function followRuns(place: Place, from: number, runs: readonly Run[]): readonly number[] | 'more' | number {
  const { text, final } = place
  const ends: number[] = []
  let at = from
  for (const [chars, min, max] of runs) {
    const start = at
    while (at - start < max && at < text.length && chars.has(text.charCodeAt(at))) at += 1
    if (!final && at === text.length && at - start < max) return 'more'
    if (at - start < min) return at
    ends.push(at)
  }
  return ends
}

/**
 * A format with a distinctive prefix, or several with spaces between, and a body of at least `min` characters. Prefixes
 * without punctuation count only where no word runs into them.
 */
export function keyFormat(name: string, prefixes: string, chars: CharClass, min: number): Rule {
  return runFormat(name, prefixes, [[chars, min, LONGEST_RUN]])
}

/** Like `keyFormat`, with a body of several runs. */
export function runFormat(name: string, prefixes: string, runs: readonly Run[]): Rule {
  return {
    name,
    anchors: prefixes.split(' '),
    isKeyFormat: true,
    match(place) {
      const needsBoundary = place.after - place.at < 4 || !/[_.\-/=]/.test(place.text.slice(place.at, place.after))
      if (needsBoundary && !place.boundary(place.at)) return 0
      const ends = followRuns(place, place.after, runs)
      return typeof ends === 'object' ? { start: place.at, end: ends.at(-1) ?? place.after } : ends
    },
  }
}
