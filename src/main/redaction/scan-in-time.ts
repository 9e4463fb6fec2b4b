import { CONTEXT, newScanState, type IsOver, type Scanner, type ScanState, type Span } from './scanner.ts'

/** Characters that are looked at between two looks at the clock; shorter texts are looked at in one go. */
const WINDOW = 256 * 1024

/** The time that one text may take. */
export interface TextTime {
  /** The clock of one text begins with the first question. */
  begin(): IsOver
  /** Counts a text whose time was over; gives the words that stand for what was not looked through. */
  leaveOut(characters: number): string
}

/**
 * The secrets of a text that is whole. What could not be looked through in time is one span up to its end: left out, never
 * shown as it was. Gives the same as one scan, however large the windows.
 */
export function scanInTime(
  scanner: Scanner,
  text: string,
  { time, isOver = time.begin(), window = WINDOW }: { time: TextTime; isOver?: IsOver; window?: number },
): readonly Span[] {
  if (text.length <= window) {
    const place = scanner.firstPlace(text)
    if (place === null) return []
    const { spans, decided, gaveUp } = scanner.scan(text, place, true, newScanState(), isOver)
    return gaveUp ? [...spans, restOf(text, decided, time)] : spans
  }
  const spans: Span[] = []
  let state = newScanState()
  let start = 0
  for (let from = 0, size = window; ;) {
    const end = Math.min(text.length, from + size)
    const final = end === text.length
    const part = scanner.scan(text.slice(start, end), from - start, final, state, isOver)
    for (const span of part.spans) spans.push({ ...span, start: span.start + start, end: span.end + start })
    const decided = start + part.decided
    if (part.gaveUp || (!final && isOver())) return [...spans, restOf(text, decided, time)]
    if (final) return spans
    // What needs more text to be told gets it, each time twice as much.
    size = decided > from ? window : size * 2
    from = decided
    const next = Math.max(0, from - CONTEXT)
    state = moved(state, next - start)
    start = next
  }
}

function restOf(text: string, from: number, time: TextTime): Span {
  return { start: from, end: text.length, rule: '', secret: '', replacement: time.leaveOut(text.length - from) }
}

/** The same state in positions of a text that begins `by` later. */
export function moved(state: ScanState, by: number): ScanState {
  return {
    floor: state.floor - by,
    idleUntil: new Map([...state.idleUntil].map(([rule, position]) => [rule, position - by])),
  }
}
