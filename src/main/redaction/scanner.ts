import { createAnchorFinder } from './anchor-finder.ts'
import { word } from './char-class.ts'
import { NOWHERE, type Place, type Rule, type Verdict } from './rule.ts'
import { escapedView } from './escaped-view.ts'

/** A secret in a text: `start` and `end` are positions of the original, `secret` is as it reads without escapes. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly rule: string
  readonly secret: string
  readonly replacement: string | null
}

/** What a scan of the rest of a text must know of the part before, in positions of the original. */
export interface ScanState {
  /** Where the last secret ended: what follows it stands behind a mark. */
  floor: number
  /** Up to where a rule need not look again. */
  readonly idleUntil: Map<Rule, number>
}

export interface Scan {
  readonly spans: readonly Span[]
  /** Everything before this position is decided; without `final`, the rest waits for more text. */
  readonly decided: number
  /** The time was over before the end: what is not decided was not looked through. */
  readonly gaveUp?: true
}

/** Whether the time for a text is over; asked now and then. */
export type IsOver = () => boolean

export interface Scanner {
  /** Finds the secrets from `from` on. `final`: no more text follows. */
  scan(text: string, from?: number, final?: boolean, state?: ScanState, isOver?: IsOver): Scan
  /** Where the first place is that could be a secret, to scan from; null: none, the quick way out for nearly all texts. */
  firstPlace(text: string): number | null
}

const never: IsOver = () => false
/** Places that are looked at between two looks at the clock. */
const TRIES = 64

/** How far back a rule may look from an anchor. */
export const LOOK_BEHIND = 16

/** The same, as escapes write it: up to nine characters for one. */
export const CONTEXT = LOOK_BEHIND * 10

export const newScanState = (): ScanState => ({ floor: -1, idleUntil: new Map() })

/** Looks for the anchors of all rules at once; what follows an anchor is read by its rules. */
export function createScanner(rules: readonly Rule[]): Scanner {
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))]
  const finder = createAnchorFinder(anchors)
  const rulesAt = new Map(anchors.map((anchor) => [anchor, rulesFor(anchor, rules)]))

  function scan(original: string, from = 0, final = true, state = newScanState(), isOver = never): Scan {
    const view = escapedView(original, final)
    const { text } = view
    const spans: Span[] = []
    const limit = final ? text.length : finder.undecidedTail(text)
    const boundary = (position: number) => isBoundary(text, position, (at) => view.toOriginal(at) < state.floor)
    let at = view.fromOriginal(from)
    for (let tries = 1; ; tries += 1) {
      const hit = finder.next(text, at, limit)
      if (hit < 0) return { spans, decided: Math.max(from, view.toOriginal(Math.max(at, limit))) }
      if (tries % TRIES === 0 && isOver()) return { spans, decided: view.toOriginal(hit), gaveUp: true }
      const outcome = tryRules(text, hit, finder.at(text, hit) ?? '', final, boundary, state, view.toOriginal)
      if (outcome === 'more') return { spans, decided: view.toOriginal(hit) }
      if (outcome === null) at = hit + 1
      else {
        const { rule, found } = outcome
        const start = view.toOriginal(found.start)
        const end = view.toOriginal(found.end)
        const secret = text.slice(found.start, found.end)
        spans.push({ start, end, rule: rule.name, secret, replacement: found.replacement ?? null })
        state.floor = end
        // A mark now stands there: what a rule saw beyond it counts no more, but for what is nowhere.
        for (const [idle, until] of state.idleUntil) if (until < NOWHERE) state.idleUntil.delete(idle)
        at = found.end
      }
    }
  }

  function tryRules(
    text: string,
    at: number,
    anchor: string,
    final: boolean,
    boundary: Place['boundary'],
    state: ScanState,
    toOriginal: (position: number) => number,
  ) {
    for (const { rule, length } of rulesAt.get(anchor) ?? []) {
      if (toOriginal(at) < (state.idleUntil.get(rule) ?? -1)) continue
      const place = { text, at, after: at + length, final, boundary, isKey }
      const verdict = rule.match(place)
      if (verdict === 'more') return 'more'
      if (typeof verdict === 'object') return { rule, found: verdict }
      if (verdict > at) state.idleUntil.set(rule, toOriginal(verdict))
    }
    return null

    function isKey(start: number, end: number): boolean | 'more' {
      if (!final && (start >= text.length || finder.mightBegin(text, start))) return 'more'
      for (const { rule, length } of rulesAt.get(finder.at(text, start) ?? '') ?? []) {
        if (!rule.isKeyFormat) continue
        const verdict: Verdict = rule.match({ text, at: start, after: start + length, final, boundary, isKey })
        if (verdict === 'more') return 'more'
        if (typeof verdict === 'object' && verdict.end >= end) return true
      }
      return false
    }
  }

  return {
    scan,
    // An escape may write any character of an anchor.
    firstPlace(text) {
      if (text.includes('\\u00')) return 0
      const first = finder.next(text, 0)
      return first < 0 ? null : first
    },
  }
}

/** The rules that an anchor may begin, with the length of their own anchor: those of a shorter one come after. */
function rulesFor(anchor: string, rules: readonly Rule[]): { rule: Rule; length: number }[] {
  const found = rules.flatMap((rule) =>
    rule.anchors.filter((own) => anchor.startsWith(own)).map((own) => ({ rule, length: own.length })),
  )
  return found.toSorted((a, b) => b.length - a.length)
}

/** No word runs up to `position`: a line break, quote, `\n`, `%20` or a terminal's colour code may stand before it. */
function isBoundary(text: string, position: number, isHidden: (at: number) => boolean): boolean {
  const before = position - 1
  if (before < 0 || isHidden(before) || !word.has(text.charCodeAt(before))) return true
  let start = before
  while (start > 0 && position - start < LOOK_BEHIND && !isHidden(start - 1)) start -= 1
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,11}m)$/.test(text.slice(start, position))
}
