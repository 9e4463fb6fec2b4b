import {
  CONTEXT,
  newScanState,
  type IsOver,
  type ScanOptions,
  type Scanner,
  type ScanState,
  type Span,
} from './scanner.ts'

/** Characters scanned between two checks of the clock; shorter texts are scanned in one go. */
const WINDOW = 256 * 1024

/** Limits the time spent on one text. */
export interface TextTime {
  /** Starts a text. Its clock starts at the first check. */
  begin(): IsOver
  /** Counts a text that timed out and returns the notice that replaces its rest. */
  leaveOut(characters: number): string
}

interface Limits extends ScanOptions {
  readonly time: TextTime
  readonly window?: number
}

/**
 * Finds the secrets of a complete text. Anything not scanned in time becomes one span to the end, which is left out, never
 * shown. The result does not depend on the window size.
 */
export function scanInTime(
  scanner: Scanner,
  text: string,
  { time, isOver = time.begin(), window = WINDOW, names = [], signs = [], only }: Limits,
): readonly Span[] {
  if (text.length <= window) {
    const { spans, decided, gaveUp } = scanner.scan(text, 0, true, undefined, { isOver, names, signs, only })
    return gaveUp ? [...spans, restOf(text, decided, time)] : spans
  }
  const spans: Span[] = []
  let state = newScanState()
  let start = 0
  for (let from = 0, size = window; ;) {
    const end = Math.min(text.length, from + size)
    const final = end === text.length
    const near: number[] = []
    const nearSigns: number[] = []
    const options = { isOver, names: near, signs: nearSigns, only }
    const part = scanner.scan(text.slice(start, end), from - start, final, state, options)
    for (const span of part.spans) spans.push({ ...span, start: span.start + start, end: span.end + start })
    names.push(...near.map((name) => name + start))
    signs.push(...nearSigns.map((sign) => sign + start))
    const decided = start + part.decided
    if (part.gaveUp || (!final && isOver())) return [...spans, restOf(text, decided, time)]
    if (final) return spans
    // If the scan needs more text to decide, the next window is twice as large.
    size = decided > from ? window : size * 2
    from = decided
    const next = Math.max(0, from - CONTEXT)
    state = moved(state, next - start)
    start = next
  }
}

const restOf = (text: string, from: number, time: TextTime): Span => ({
  start: from,
  end: text.length,
  rule: '',
  secret: '',
  replacement: time.leaveOut(text.length - from),
})

/** Shifts a state to positions of a text that starts `by` characters later. */
export function moved(state: ScanState, by: number): ScanState {
  return {
    floor: state.floor - by,
    idleUntil: new Map([...state.idleUntil].map(([rule, position]) => [rule, position - by])),
    due: state.due.map((span) => ({ ...span, start: span.start - by, end: span.end - by })),
  }
}
