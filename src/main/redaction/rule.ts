import { word, type CharClass } from './char-class.ts'
import { isPublished } from './named/placeholder.ts'
import { changesClassOften, wordShare } from './named/strength.ts'

/** A match of a rule, in positions of the scanned text. */
export interface Found {
  readonly start: number
  readonly end: number
  /** Replaces the match instead of a mark. */
  readonly replacement?: string
  /** Further secrets after it, in order: of a table, a manifest. */
  readonly also?: readonly Pick<Found, 'start' | 'end'>[]
  /** The rule need not try again before this position. */
  readonly idleUntil?: number
}

/**
 * A rule's answer for an anchor: a match; 'more' if the text ends too early to decide (only while more may come); or,
 * for no match, the position before which the rule need not try again. The last keeps the scan of hostile text linear.
 */
export type Verdict = Found | 'more' | number

/** A verdict: the rest of the text has no match for this rule. */
export const NOWHERE = Number.POSITIVE_INFINITY

/** The text around an anchor, as a rule sees it. */
export interface Place {
  readonly text: string
  /** Start and end of the anchor. */
  readonly at: number
  readonly after: number
  /** False while more text may come. */
  readonly final: boolean
  /** True if no word ends directly at this position. Escapes such as `\n`, `%20` and colour codes are not words. */
  boundary(position: number): boolean
  /** True if the character at this position was written as an escape. */
  isEscaped(position: number): boolean
  /** Returns up to `length` characters before a position. It begins with the last mark in it, or that of a secret removed there. */
  behind(position: number, length: number): string
  /** True if a key format matches from `start` at least to `end`: then that format gets the match. */
  isKey(start: number, end: number): boolean | 'more'
  /** Notes a name of a secret that no value follows: in a whole text, the value may be before it. */
  note(name: number): void
  /** Notes that base64 to decode may be near. */
  noteBase64(sign: number): void
}

/** Recognises one kind of secret. Rules only read forward from their anchor, so each attempt is linear. */
export interface Rule {
  readonly name: string
  /** Literal prefixes, case-sensitive. */
  readonly anchors: readonly string[]
  /** Recognised by its own prefix anywhere. Other rules leave such keys to this one. */
  readonly isKeyFormat: boolean
  /** Never matches directly after a letter or a digit if its anchor begins with one. */
  readonly isBound?: boolean
  match(place: Place): Verdict
}

/** Returns a match, unless a key format matches at least as far: then that rule gets it. */
export function unlessKey({ isKey, final }: Place, start: number, end: number): Verdict {
  const key = isKey(start, end)
  if (key === 'more') return final ? start : 'more'
  return key ? start : { start, end }
}

/** A run of characters of one class, with its minimum and maximum length. */
export type Run = readonly [chars: CharClass, min: number, max: number]

/** Maximum length of a token. Also bounds how much text a stream holds back. */
export const LONGEST_RUN = 4096

/**
 * Matches the runs one after the other, each greedily, and returns their ends. Returns 'more' if the text ended first, or
 * the position at which they failed.
 */
export function followRuns(place: Place, from: number, runs: readonly Run[]): readonly number[] | 'more' | number {
  const { text, final } = place
  const ends: number[] = []
  let at = from
  for (const run of runs) {
    const [chars, min, max] = run
    const start = at
    while (at - start < max && at < text.length && chars.has(text.charCodeAt(at))) at += 1
    // A run of an exact length ends there.
    const isExact = min === max && runs.at(-1) === run
    if (!final && at === text.length && (at - start < max || isExact)) return 'more'
    if (at - start < min || (isExact && at < text.length && chars.has(text.charCodeAt(at)))) return at
    ends.push(at)
  }
  return ends
}

/**
 * Creates a rule for a distinctive prefix (or several, separated by spaces) and a body of at least `min` characters.
 */
export const keyFormat = (name: string, prefixes: string, chars: CharClass, min: number): Rule =>
  runFormat(name, prefixes, [[chars, min, LONGEST_RUN]])

/**
 * Like `keyFormat`, but with a body of several runs. No word may end directly before the prefix. A body of words
 * (`hf_model_for_text_classification`) or of one repeated character (`ghp_xxxxxxxx`) is not a key.
 */
export function runFormat(name: string, prefixes: string, runs: readonly Run[]): Rule {
  return {
    name,
    anchors: prefixes.split(' '),
    isKeyFormat: true,
    isBound: true,
    match(place) {
      const { text, at, after } = place
      // Part of a longer word or of base64. A prefix that begins with punctuation may be anywhere.
      if (word.has(text.charCodeAt(at)) && !place.boundary(at)) return 0
      const isShort = after - at < 5
      // Before the runs: a text of nothing else would be read once for each.
      if (isShort && /[-_]/.test(text[at - 1] ?? '') && /\w[-_]$/.test(place.behind(at, 2))) return 0
      const ends = followRuns(place, after, runs)
      if (typeof ends !== 'object') return ends
      // Publishable.
      if (/(?:^|\W)pk_$/.test(place.behind(at, 4))) return 0
      if (BASE64_PREFIX.test(text.slice(at, after)) && /(?:^|[^/])[+/]$/.test(place.behind(at, 2))) return 0
      const end = wrappedEnd(place, at, ends.at(-1) ?? after, runs.at(-1)?.[0])
      if (end === 'more') return 'more'
      return isKeyBody(text.slice(at, end), text.slice(after, ends.at(-1)))
        ? { start: at, end }
        : Math.min(end, after + 4 * SAMPLE)
    },
  }
}

/** Lets the name or the address that introduces a key stay: only what follows it is secret. */
export const afterName = (rule: Rule): Rule => ({
  ...rule,
  match(place) {
    const found = rule.match(place)
    return typeof found === 'object' ? { ...found, start: place.after } : found
  },
})

/** Narrowest and widest terminal. */
const [NARROW, WIDE] = [60, 240]

/** Returns where a key ends that a terminal broke at its width: its lines but the last are as long as the first. */
function wrappedEnd({ text, final, behind }: Place, start: number, end: number, chars: CharClass | undefined) {
  if (text[end] !== '\n' || chars === undefined) return end
  const lead = /[^\n]*$/.exec(behind(start, WIDE))?.[0].length ?? 0
  const width = lead + end - start
  if (width < NARROW || width > WIDE) return end
  let last = end
  for (let from = end + 1; ;) {
    let at = from
    while (at < text.length && at - from < width && chars.has(text.charCodeAt(at))) at += 1
    if (at === text.length && !final) return 'more'
    const row = text.slice(from, at)
    if (row.length < 8 || !changesClassOften(row) || /[^\s"'`]/.test(text[at] ?? '')) return last
    last = at
    if (row.length < width || text[at] !== '\n') return last
    from = at + 1
  }
}

/** Characters of a body that are checked for words. */
const SAMPLE = 128

/** Letters that base64 may contain. */
const BASE64_PREFIX = /^(?:[A-Z]{2,4}|[a-z]{3})$/

function isKeyBody(key: string, body: string): boolean {
  if (
    isPublished(key) ||
    /^(.)\1*$/.test(body.replaceAll(/[-_]/g, '')) ||
    /x{8}|X{8}|\*{4}|\.{4}|\.REDACTED/.test(body)
  )
    return false
  const sample = body.slice(0, SAMPLE)
  if (/^[A-Za-z0-9]{16,}$/.test(sample) && /[a-z]/.test(sample) && /[A-Z]/.test(sample) && /\d/.test(sample))
    return true
  return !/[a-z]/.test(sample) || changesClassOften(sample) || wordShare(sample) < (sample.length < 24 ? 0.8 : 0.65)
}
