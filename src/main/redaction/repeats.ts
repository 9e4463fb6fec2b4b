import { mixesDigits } from './named/strength.ts'
import type { Span } from './scanner.ts'

/** Shorter values, and words, mean other things in a text, too. */
const [SHORTEST, LONGEST] = [8, 200]
/** More secrets of one text are not looked for again. */
const MOST = 100

/**
 * Adds the places where a secret of a text stands again and no rule finds it, since its name is missing there: `noted the
 * passphrase PURPLE-42; PURPLE-42 it is`.
 */
export function withRepeats(text: string, spans: readonly Span[]): readonly Span[] {
  if (spans.length === 0) return spans
  const known = new Map<string, Span>()
  for (const span of spans)
    for (const value of new Set([text.slice(span.start, span.end), span.secret]))
      if (isDistinct(value, span) && known.size < MOST) known.set(value, span)
  const again: Span[] = []
  for (const [value, { rule, secret }] of known)
    for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
      const end = at + value.length
      if (isWhole(text, at, end)) again.push({ start: at, end, rule, secret, replacement: null })
    }
  return merged(spans, again)
}

/** Returns the spans in order, with those of `more` that overlap none of them, nor each other. */
function merged(spans: readonly Span[], more: readonly Span[]): readonly Span[] {
  if (more.length === 0) return spans
  const found = new Set(spans)
  const out: Span[] = []
  for (const span of [...spans, ...more].toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1)
    const overlaps = last !== undefined && last.end > span.start
    if (found.has(span)) {
      if (overlaps && !found.has(last)) out.pop()
      out.push(span)
    } else if (!overlaps) out.push(span)
  }
  return out
}

/** True for a value that means nothing else: with letters and digits, and in one piece. What a person hid may be any text. */
const isDistinct = (value: string, { rule, replacement }: Span): boolean =>
  replacement === null &&
  !rule.startsWith('private') &&
  value.length >= SHORTEST &&
  value.length <= LONGEST &&
  mixesDigits(value) &&
  !/\s/.test(value)

/** True if no word goes on before or after. The letter of an escape is not part of one. */
const isWhole = (text: string, start: number, end: number): boolean =>
  !/\w/.test(text[end] ?? '') &&
  (!/\w/.test(text[start - 1] ?? '') ||
    /\\[nrtbf]$|%[0-9A-Fa-f]{2}$|\[[\d;]{1,11}m$/.test(text.slice(Math.max(0, start - 14), start)))
