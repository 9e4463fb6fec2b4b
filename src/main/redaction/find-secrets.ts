import { withBeginning } from './formats/marked.ts'
import { base64Texts, innerStrings } from './inner-strings.ts'
import { valuesBefore } from './named/values-before.ts'
import { scanInTime, type TextTime } from './scan-in-time.ts'
import type { Rule } from './rule.ts'
import type { ScanOptions, Scanner, Span } from './scanner.ts'
import { LINE_RULES } from './value-rules.ts'

/** Strings within strings that are read. */
const DEEPEST = 3

const BY_LINE: ReadonlySet<Rule> = new Set(LINE_RULES)

/** Finds the secrets of a complete text: what the rules find in it, before a name, and in strings that have lines of their own. */
export function findSecrets(
  scanner: Scanner,
  text: string,
  {
    time,
    isOver = time.begin(),
    only,
    depth = 0,
  }: Omit<ScanOptions, 'names' | 'signs'> & { time: TextTime; depth?: number },
): readonly Span[] {
  const names: number[] = []
  const signs: number[] = []
  const scanned = scanInTime(scanner, text, { time, isOver, names, signs, only })
  const own = scanned.length === 0 ? scanned : scanned.map((span) => withBeginning(text, span))
  const before = names.length === 0 ? [] : valuesBefore(text, names, own)
  const strings = depth === DEEPEST ? [] : innerStrings(text)
  if (signs.length > 0 && depth < DEEPEST) strings.push(...base64Texts(text, signs))
  if (own.length + before.length + strings.length === 0) return own
  const inner = strings.flatMap(({ start, view, rule }) =>
    findSecrets(scanner, view.text, { time, isOver, only: rule === undefined ? BY_LINE : only, depth: depth + 1 }).map(
      (span) => ({
        ...span,
        rule: rule ?? span.rule,
        start: start + view.toOriginal(span.start),
        end: start + view.endToOriginal(span.end),
      }),
    ),
  )
  return merged([...own, ...before, ...inner])
}

/** Sorts spans and merges overlapping ones under the rule of the longest. */
export function merged(spans: readonly Span[]): Span[] {
  const out: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = out.at(-1)
    if (last === undefined || span.start >= last.end) out.push(span)
    else if (span.end > last.end) {
      const longer = span.end - span.start > last.end - last.start ? span : last
      out[out.length - 1] = { ...longer, start: last.start, end: span.end }
    }
  }
  return out
}
