import { expect, test } from 'vitest'
import { offsetMinutes, offsetSegments, rangeStart, startedIn, startOfDay } from './time-range.ts'

const at = (iso: string) => Date.parse(iso)
const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString())

test('a day starts at local midnight, also on days of 23 and 25 hours', () => {
  const berlin = 'Europe/Berlin'
  expect(iso(startOfDay(at('2026-03-29T20:00:00Z'), berlin))).toBe('2026-03-28T23:00:00.000Z')
  expect(iso(startOfDay(at('2026-03-30T20:00:00Z'), berlin))).toBe('2026-03-29T22:00:00.000Z')
  expect(iso(startOfDay(at('2026-10-25T20:00:00Z'), berlin))).toBe('2026-10-24T22:00:00.000Z')
  expect(iso(startOfDay(at('2026-10-26T20:00:00Z'), berlin))).toBe('2026-10-25T23:00:00.000Z')
  // Its clocks change between local midnight and midnight in UTC.
  expect(iso(startOfDay(at('2026-10-04T05:00:00Z'), 'Australia/Sydney'))).toBe('2026-10-03T14:00:00.000Z')
})

test('seven days are today and the six days before, across a clock change', () => {
  expect(iso(rangeStart('7d', at('2026-03-31T10:00:00Z'), 'Europe/Berlin'))).toBe('2026-03-24T23:00:00.000Z')
  expect(iso(rangeStart('7d', at('2026-11-03T15:00:00Z'), 'America/New_York'))).toBe('2026-10-28T04:00:00.000Z')
  expect(iso(rangeStart('24h', at('2026-11-03T15:20:00Z'), 'UTC'))).toBe('2026-11-02T15:00:00.000Z')
  expect(rangeStart('all', at('2026-11-03T15:20:00Z'), 'UTC')).toBeNull()
})

test('offsets support half-hour zones and zones west of Greenwich', () => {
  expect(offsetMinutes(at('2026-07-01T00:00:00Z'), 'Asia/Kolkata')).toBe(330)
  expect(offsetMinutes(at('2026-07-01T00:00:00Z'), 'America/St_Johns')).toBe(-150)
  expect(offsetMinutes(at('2026-07-01T00:00:00.999Z'), 'UTC')).toBe(0)
})

test('a span is split at the minute of the clock change', () => {
  const segments = offsetSegments(at('2026-10-20T00:00:00Z'), at('2026-10-30T12:34:56Z'), 'Europe/Berlin')
  expect(segments.map((part) => [iso(part.since), iso(part.until), part.offsetMinutes])).toEqual([
    ['2026-10-20T00:00:00.000Z', '2026-10-25T01:00:00.000Z', 120],
    ['2026-10-25T01:00:00.000Z', '2026-10-30T12:34:56.000Z', 60],
  ])
})

test('a year has three segments in zones with clock changes, else one', () => {
  const year = [at('2026-01-01T00:00:00Z'), at('2027-01-01T00:00:00Z')] as const
  expect(offsetSegments(...year, 'Europe/Berlin')).toHaveLength(3)
  expect(offsetSegments(...year, 'Asia/Tokyo')).toHaveLength(1)
})

test('sessions started today, yesterday or in the last days, by local midnights across a clock change', () => {
  const now = at('2026-03-29T20:00:00Z')
  const today = '2026-03-28T23:00:00.000Z'
  expect(startedIn('today', now, 'Europe/Berlin')).toEqual({ since: today })
  expect(startedIn('yesterday', now, 'Europe/Berlin')).toEqual({ since: '2026-03-27T23:00:00.000Z', before: today })
  expect(startedIn('7d', now, 'Europe/Berlin')).toEqual({ since: '2026-03-22T23:00:00.000Z' })
  expect(startedIn('30d', now, 'Europe/Berlin')).toEqual({ since: '2026-02-27T23:00:00.000Z' })
  expect(iso(rangeStart('30d', now, 'Europe/Berlin'))).toBe('2026-02-27T23:00:00.000Z')
  expect(iso(rangeStart('90d', now, 'Europe/Berlin'))).toBe('2025-12-29T23:00:00.000Z')
})

test('this month starts on its first day in the zone of the viewer, also across a change of the clock', () => {
  const month = (now: string, zone: string) => startedIn('month', at(now), zone)
  expect(month('2026-03-31T21:00:00Z', 'Europe/Berlin')).toEqual({ since: '2026-02-28T23:00:00.000Z' })
  expect(month('2026-03-31T23:00:00Z', 'Europe/Berlin')).toEqual({ since: '2026-03-31T22:00:00.000Z' })
  expect(month('2026-03-31T23:00:00Z', 'UTC')).toEqual({ since: '2026-03-01T00:00:00.000Z' })
})
