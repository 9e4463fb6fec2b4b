import { createAnchorFinder } from './anchor-finder.ts'
import { word } from './char-class.ts'
import { type Found, NOWHERE, type Place, type Rule, type Verdict } from './rule.ts'
import { escapedView, type EscapedView } from './escaped-view.ts'

/** A secret in a text. `start` and `end` are positions in the original; `secret` has its escapes decoded. */
export interface Span {
  readonly start: number
  readonly end: number
  readonly rule: string
  readonly secret: string
  readonly replacement: string | null
}

/** Carried from one part of a text to the next, in positions of the original. */
export interface ScanState {
  /** End of the last secret: the text after it follows a mark. */
  floor: number
  /** Position before which each rule need not try again. */
  readonly idleUntil: Map<Rule, number>
  /** Secrets ahead that were found with an earlier one. */
  due: readonly Span[]
}

/** How a text is scanned. */
export interface ScanOptions {
  readonly isOver?: IsOver
  /** Takes where names of secrets begin that no value follows. */
  readonly names?: number[]
  /** Takes where signs of base64 to decode are. */
  readonly signs?: number[]
  /** Rules that are tried; all if undefined. */
  readonly only?: ReadonlySet<Rule> | undefined
}

export interface Scan {
  readonly spans: readonly Span[]
  /** Everything before this position is decided; unless `final`, the rest waits for more text. */
  readonly decided: number
  /** Time ran out: the text from `decided` on was not scanned. */
  readonly gaveUp?: true
}

/** Returns true once the time for a text is up. Called every `TRIES` anchors. */
export type IsOver = () => boolean

export interface Scanner {
  /** Finds the secrets from `from` on. `final`: no more text follows. */
  scan(text: string, from?: number, final?: boolean, state?: ScanState, options?: ScanOptions): Scan
}

const NO_SPANS: readonly Span[] = []
const never: IsOver = () => false
const SHORTEST_KEY = 12
/** Anchors tried between two checks of the clock. */
const TRIES = 64

/** Characters before an anchor that a rule may read. */
export const LOOK_BEHIND = 400

/** The same distance in escaped text, where a character takes up to nine. */
export const CONTEXT = LOOK_BEHIND * 10

export const newScanState = (): ScanState => ({ floor: -1, idleUntil: new Map(), due: [] })

/** Facts that all places in a text share. */
type Surroundings = Omit<Place, 'at' | 'after'>

/** Constants of the scan of one text. */
interface Pass extends Surroundings {
  readonly state: ScanState
  readonly only: ReadonlySet<Rule> | undefined
  readonly toOriginal: (position: number) => number
}

/** Searches for the anchors of all rules at once, then tries the rules of each anchor. */
export function createScanner(rules: readonly Rule[]): Scanner {
  const anchors = [...new Set(rules.flatMap((rule) => rule.anchors))]
  const free = new Set(rules.flatMap((rule) => (rule.isBound === true ? [] : rule.anchors)))
  const finder = createAnchorFinder(
    anchors,
    new Set(anchors.filter((anchor) => word.has(anchor.charCodeAt(0)) && !free.has(anchor))),
  )
  const rulesByAnchor = new Map<string, readonly RuleAt[]>()

  /** Looks an anchor's rules up when it first occurs, since most never do. */
  function rulesAt(anchor: string): readonly RuleAt[] {
    let known = rulesByAnchor.get(anchor)
    if (known === undefined) rulesByAnchor.set(anchor, (known = rulesFor(anchor, rules)))
    return known
  }

  const keysIn = keyFinder(finder, rulesAt)

  function scan(original: string, from = 0, final = true, known?: ScanState, options: ScanOptions = {}): Scan {
    const view = escapedView(original, final)
    const { text, toOriginal } = view
    const limit = final ? text.length : finder.undecidedTail(text)
    let at = view.fromOriginal(from)
    const isPlain = toOriginal === view.endToOriginal
    let hit = finder.next(text, at, limit, isPlain)
    // Nearly all texts end here.
    if (hit < 0 && !known?.due.length)
      return { spans: NO_SPANS, decided: Math.max(from, toOriginal(Math.max(at, limit))) }
    const spans: Span[] = []
    const state = known ?? newScanState()
    const pass = passOf(view, final, state, options)
    const { isOver = never } = options
    /** Takes a secret: a mark replaces it, so positions that rules computed from its text are void; NOWHERE stays valid. */
    function take(span: Span): void {
      spans.push(span)
      state.floor = span.end
      state.due = state.due.filter(({ start }) => start >= span.end)
      for (const [idle, until] of state.idleUntil) if (until < NOWHERE) state.idleUntil.delete(idle)
    }
    for (let tries = 1; hit >= 0 || state.due.length > 0; tries += 1) {
      const due = state.due[0]
      if (due !== undefined && (hit < 0 || due.start < toOriginal(hit))) {
        take(due)
        at = Math.max(at, view.fromOriginal(due.end))
        hit = finder.next(text, at, limit, isPlain)
        continue
      }
      if (tries % TRIES === 0 && isOver()) return { spans, decided: toOriginal(hit), gaveUp: true }
      const outcome = tryRules(pass, hit, rulesAt(finder.last()))
      if (outcome === 'more') return { spans, decided: toOriginal(hit) }
      if (outcome === null) at = hit + 1
      else {
        const { rule, found } = outcome
        const spanOf = (part: Found) => readSpan(view, rule.name, part)
        for (const key of keysIn(pass, hit + 1, found.start))
          for (const part of [key.found, ...(key.found.also ?? [])]) take(readSpan(view, key.rule.name, part))
        take(spanOf(found))
        if (found.also?.length)
          state.due = [...state.due, ...found.also.map(spanOf)].toSorted((a, b) => a.start - b.start)
        if (found.idleUntil !== undefined) state.idleUntil.set(rule, toOriginal(found.idleUntil))
        at = found.end
      }
      hit = finder.next(text, at, limit, isPlain)
    }
    return { spans, decided: Math.max(from, toOriginal(Math.max(at, limit))) }
  }

  function passOf(view: EscapedView, final: boolean, state: ScanState, { names, signs, only }: ScanOptions): Pass {
    const { text, toOriginal, endToOriginal } = view
    const isHidden = (position: number) => toOriginal(position) < state.floor
    const isPlain = toOriginal === endToOriginal
    const boundary = (position: number) =>
      isBoundary(text, position, isHidden) || (!isPlain && toOriginal(position) !== endToOriginal(position))
    const behind = (position: number, length: number) => visible(text, position, length, isHidden)
    const isEscaped = (at: number) => !isPlain && toOriginal(at + 1) - toOriginal(at) > 1
    const isKey = (start: number, end: number) =>
      isKeyAt({ text, final, boundary, behind, isEscaped, isKey, note, noteBase64 }, start, end)
    const note = (name: number) => void names?.push(toOriginal(name))
    const noteBase64 = (sign: number) => void signs?.push(toOriginal(sign))
    return { text, final, state, only, boundary, behind, isEscaped, isKey, note, noteBase64, toOriginal }
  }

  function isKeyAt(around: Surroundings, start: number, end: number): boolean | 'more' {
    const { text, final } = around
    if (!final && (start >= text.length || finder.mightBegin(text, start))) return 'more'
    const anchor = finder.at(text, start)
    if (anchor === null) return false
    for (const { rule, length } of rulesAt(anchor)) {
      if (!rule.isKeyFormat) continue
      const verdict: Verdict = rule.match({ ...around, at: start, after: start + length })
      if (verdict === 'more') return 'more'
      if (typeof verdict === 'object' && verdict.end >= end) return true
    }
    return false
  }

  return { scan }
}

type KeyFound = { readonly rule: Rule; readonly found: Found }

/** Returns a function that finds the keys of a known format before a secret: the user of an address, an argument. */
function keyFinder(finder: ReturnType<typeof createAnchorFinder>, rulesAt: (anchor: string) => readonly RuleAt[]) {
  return (around: Surroundings, from: number, end: number): readonly KeyFound[] => {
    const keys: KeyFound[] = []
    if (end - from < SHORTEST_KEY) return keys
    for (let at = finder.next(around.text, from, end); at >= 0;) {
      let after = at + 1
      for (const { rule, length } of rulesAt(finder.at(around.text, at) ?? '')) {
        const found = rule.isKeyFormat ? rule.match({ ...around, at, after: at + length }) : 0
        if (typeof found !== 'object' || found.end > end) continue
        keys.push({ rule, found })
        after = found.end
        break
      }
      at = finder.next(around.text, after, end)
    }
    return keys
  }
}

/** Tries the rules of an anchor; those whose own anchors are equally long see the same place. */
function tryRules(pass: Pass, at: number, rules: readonly RuleAt[]) {
  const { text, final, state, only, boundary, behind, isEscaped, isKey, note, noteBase64, toOriginal } = pass
  const original = toOriginal(at)
  let place: Place | null = null
  for (const { rule, length } of rules) {
    if (only?.has(rule) === false || original < (state.idleUntil.get(rule) ?? -1)) continue
    if (place?.after !== at + length)
      place = { text, at, after: at + length, final, boundary, behind, isEscaped, isKey, note, noteBase64 }
    const verdict = rule.match(place)
    if (verdict === 'more') return 'more'
    if (typeof verdict === 'object') return { rule, found: verdict }
    if (verdict > at) state.idleUntil.set(rule, toOriginal(verdict))
  }
  return null
}

function readSpan({ text, toOriginal, endToOriginal }: EscapedView, rule: string, found: Found): Span {
  const { start, end, replacement = null } = found
  return { start: toOriginal(start), end: endToOriginal(end), rule, secret: text.slice(start, end), replacement }
}

/** A rule that may start at an anchor, with the length of its own. */
interface RuleAt {
  readonly rule: Rule
  readonly length: number
}

/** Returns the rules that may start at an anchor, with the length of their own anchor, longest first. */
function rulesFor(anchor: string, rules: readonly Rule[]): RuleAt[] {
  const found = rules.flatMap((rule) =>
    rule.anchors.filter((own) => anchor.startsWith(own)).map((own) => ({ rule, length: own.length })),
  )
  return found.toSorted((a, b) => b.length - a.length)
}

/** Maximum length of an escape before a boundary: a terminal colour code. */
const LONGEST_ESCAPE = 16

/** What a rule sees in place of any mark. */
const ANY_MARK = '[redacted:secret-value:0000]'
const LAST_MARK = /^[^]*\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]/

/** Returns the text before a position, back to the last secret or mark, so that redacted text is read like what it was. */
function visible(text: string, position: number, length: number, isHidden: (at: number) => boolean): string {
  let start = Math.max(0, position - length)
  if (start < position && isHidden(start)) {
    start = position
    while (start > 0 && !isHidden(start - 1)) start -= 1
    return (ANY_MARK + text.slice(start, position)).slice(-length)
  }
  const shown = text.slice(start, position)
  return shown.includes(']') ? shown.replace(LAST_MARK, ANY_MARK).slice(-length) : shown
}

/** False if no escape or colour code can end at this position, judged by the characters that are cheapest to check. */
const endsEscape = (text: string, last: number) =>
  text[last - 1] === '\\' || text[last - 2] === '%' || text[last] === 'm'

/** True if no word ends at `position`: it follows a line break, a quote, `\n`, `%20` or a terminal colour code. */
function isBoundary(text: string, position: number, isHidden: (at: number) => boolean): boolean {
  const before = position - 1
  if (before < 0 || !word.has(text.charCodeAt(before)) || isHidden(before)) return true
  if (!endsEscape(text, before)) return false
  let start = before
  while (start > 0 && position - start < LONGEST_ESCAPE && !isHidden(start - 1)) start -= 1
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[0-9;]{1,11}m)$/.test(text.slice(start, position))
}
