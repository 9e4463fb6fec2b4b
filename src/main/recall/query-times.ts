import { dayAround, readTypedTime } from '../../shared/typed-time.ts'

/** Names the filters by time. */
export const TIMES: { readonly [name: string]: 'after' | 'before' | 'until' | 'on' } = {
  after: 'after',
  since: 'after',
  before: 'before',
  until: 'until',
  on: 'on',
  date: 'on',
}

/** Begin and end of a time, ISO 8601; null beyond the range of dates. */
export interface Span {
  readonly from: string | null
  readonly to: string | null
}

/** A time at the beginning of a text, and its length there. */
export interface TypedSpan extends Span {
  readonly length: number
}

interface Clock {
  readonly now?: number
  readonly zone?: string | undefined
}

/** Reads a date, or a range `2026-03-01..4 March`; null if it is none. With `isDay`, a point in time is its day. */
export function readSpan(text: string, { now = Date.now(), zone }: Clock, isDay: boolean): TypedSpan | null {
  const first = readTypedTime(text, now, zone)
  if (first === null) return null
  const dots = /^\s*\.\.\s*/.exec(text.slice(first.length))?.[0] ?? ''
  const last = dots === '' ? null : readTypedTime(text.slice(first.length + dots.length), now, zone)
  const length = last === null ? first.length : first.length + dots.length + last.length
  const whole = { from: first.span.from, to: (last ?? first).span.to }
  const { from, to } = isDay && whole.to <= whole.from ? dayAround(whole.from, zone) : whole
  return { from: iso(from), to: iso(to), length }
}

/** Returns null outside the range of dates. */
const iso = (ms: number): string | null => (Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null)

/** Returns several days as the time from the first to the last, and what is between them. */
export function eitherOf(days: readonly Span[]): Span & { readonly between: readonly Span[] } {
  const [first, ...others] = days.toSorted((one, other) => ((one.from ?? '') < (other.from ?? '') ? -1 : 1))
  const between: Span[] = []
  let to = first?.to ?? null
  for (const day of others) {
    if (to !== null && day.from !== null && day.from > to) between.push({ from: to, to: day.from })
    if (to !== null && (day.to === null || day.to > to)) to = day.to
  }
  return { from: first?.from ?? null, to, between }
}
