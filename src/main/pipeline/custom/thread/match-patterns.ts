import type { PatternSpan } from '../custom-protocol.ts'

const MARK = /\[redacted:[a-z0-9-]+:[0-9a-f]{4}\]/g

/**
 * Finds the matches of all patterns (which have the flag g) in order, merging overlapping ones under the first. Text inside a
 * mark is skipped. Calls `workOn` with each pattern's number, counted from 1, before trying it.
 */
export function matchPatterns(
  text: string,
  patterns: readonly RegExp[],
  workOn: (pattern: number) => void,
): PatternSpan[] {
  const marks = [...text.matchAll(MARK)].map(({ index, 0: mark }) => [index, index + mark.length] as const)
  const found: PatternSpan[] = []
  for (const [pattern, expression] of patterns.entries()) {
    workOn(pattern + 1)
    for (const { index, 0: match } of text.matchAll(expression)) {
      const end = index + match.length
      const isInMark = marks.some((mark) => mark[0] <= index && end <= mark[1])
      if (match !== '' && !isInMark) found.push([index, end, pattern])
    }
  }
  const spans: PatternSpan[] = []
  for (const span of found.toSorted((a, b) => a[0] - b[0] || b[1] - a[1])) {
    const last = spans.at(-1)
    if (last === undefined || span[0] >= last[1]) spans.push(span)
    else if (span[1] > last[1]) spans[spans.length - 1] = [last[0], span[1], last[2]]
  }
  // A match that covers part of a mark is widened to all of it.
  return spans.map(([start, end, pattern]) => {
    const first = marks.find((mark) => mark[0] < start && start < mark[1])
    const last = marks.find((mark) => mark[0] < end && end < mark[1])
    return [first?.[0] ?? start, last?.[1] ?? end, pattern]
  })
}
