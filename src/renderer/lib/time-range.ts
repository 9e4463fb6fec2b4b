import { HOUR_MS, MINUTE_MS } from '../../shared/time-units.ts'

/** Time ranges of views, in whole days of the viewer's zone. Handles daylight saving time. */

export const RANGES = ['24h', '7d', '30d', '90d', 'all'] as const
export type Range = (typeof RANGES)[number]

export const RANGE_LABELS: Readonly<Record<Range, string>> = {
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  '90d': '90 d',
  all: 'All',
}

/** Names of ranges within a sentence. */
export const RANGE_WORDS: Readonly<Record<Range, string>> = {
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  '90d': 'the last 90 days',
  all: 'all time',
}

/** Says when, at the end of a sentence. */
export const inRange = (range: Range): string => (range === 'all' ? 'so far' : `in ${RANGE_WORDS[range]}`)

export const isRange = (text: unknown): text is Range => RANGES.some((range) => range === text)

/** Returns the viewer's IANA time zone. */
export const viewerZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const formats = new Map<string, Intl.DateTimeFormat>()

function wallClock(time: number, zone: string): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const part: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(time)) part[type] = Number(value)
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** Returns a zone's offset in minutes east of UTC at a moment. */
export const offsetMinutes = (time: number, zone: string): number =>
  Math.round((wallClock(time, zone) - Math.floor(time / 1000) * 1000) / MINUTE_MS)

/** Returns midnight of the day `daysBack` calendar days before `time`, in a zone. */
export function startOfDay(time: number, zone: string, daysBack = 0): number {
  const wall = new Date(wallClock(time, zone))
  const midnight = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate() - daysBack)
  // The offset at midnight may differ from the offset now, so refine the guess once.
  const guess = midnight - offsetMinutes(midnight, zone) * MINUTE_MS
  return midnight - offsetMinutes(guess, zone) * MINUTE_MS
}

/** Returns the start of a range in ms, or null for all time. A range of n days is today and the n − 1 days before. */
export function rangeStart(range: Range, now: number, zone: string): number | null {
  switch (range) {
    case 'all':
      return null
    case '24h':
      return Math.floor((now - 24 * HOUR_MS) / HOUR_MS) * HOUR_MS
    case '7d':
      return startOfDay(now, zone, 6)
    case '30d':
      return startOfDay(now, zone, 29)
    case '90d':
      return startOfDay(now, zone, 89)
  }
}

export interface OffsetSegment {
  readonly since: number
  readonly until: number
  readonly offsetMinutes: number
}

/**
 * Splits a span where the zone's offset changes, so that each segment is bucketed into days by one offset. A day with a
 * clock change appears in two segments under the same date; callers add their sums.
 */
export function offsetSegments(since: number, until: number, zone: string): OffsetSegment[] {
  const segments: OffsetSegment[] = []
  let from = since
  let offset = offsetMinutes(since, zone)
  for (let time = since; time < until;) {
    const next = Math.min(time + 24 * HOUR_MS, until)
    const nextOffset = offsetMinutes(next, zone)
    if (nextOffset !== offset) {
      const change = changeBetween(time, next, zone)
      segments.push({ since: from, until: change, offsetMinutes: offset })
      from = change
      offset = nextOffset
    }
    time = next
  }
  if (from < until) segments.push({ since: from, until, offsetMinutes: offset })
  return segments
}

/** Returns the first minute after the offset change between two moments. */
function changeBetween(low: number, high: number, zone: string): number {
  const before = offsetMinutes(low, zone)
  let from = Math.floor(low / MINUTE_MS)
  let to = Math.ceil(high / MINUTE_MS)
  while (to - from > 1) {
    const middle = Math.floor((from + to) / 2)
    if (offsetMinutes(middle * MINUTE_MS, zone) === before) from = middle
    else to = middle
  }
  return to * MINUTE_MS
}

/** Returns the bounds of a session's start for a choice of days. */
export function startedIn(
  days: 'today' | 'yesterday' | '7d' | '30d' | 'month',
  now: number,
  zone: string,
): { readonly since: string; readonly before?: string } {
  const at = (daysBack: number) => new Date(startOfDay(now, zone, daysBack)).toISOString()
  switch (days) {
    case 'today':
      return { since: at(0) }
    case 'yesterday':
      return { since: at(1), before: at(0) }
    case '7d':
      return { since: at(6) }
    case '30d':
      return { since: at(29) }
    case 'month':
      return { since: at(Number(new Intl.DateTimeFormat('en', { timeZone: zone, day: 'numeric' }).format(now)) - 1) }
  }
}
