import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOUR_MS } from '../../../shared/time-units.ts'
import { ClockSpans, spanOf } from './clock-spans.ts'

const zone = process.env['TZ']
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin'
})
afterEach(() => {
  if (zone === undefined) delete process.env['TZ']
  else process.env['TZ'] = zone
})

const at = (time: string) => Date.parse(time)
const text = (period: 'hour' | 'day', time: string) => {
  const { since, until } = spanOf(period, at(time))
  return [since.toISOString(), (until.getTime() - since.getTime()) / HOUR_MS]
}

test('an hour that comes twice is two hours, and a day has 23 or 25 when clocks change', () => {
  // 02:30 twice.
  expect(text('hour', '2026-10-25T00:30:00Z')).toEqual(['2026-10-25T00:00:00.000Z', 1])
  expect(text('hour', '2026-10-25T01:30:00Z')).toEqual(['2026-10-25T01:00:00.000Z', 1])
  expect(text('day', '2026-10-25T12:00:00Z')).toEqual(['2026-10-24T22:00:00.000Z', 25])
  expect(text('day', '2026-03-29T12:00:00Z')).toEqual(['2026-03-28T23:00:00.000Z', 23])
  process.env['TZ'] = 'Asia/Kolkata'
  expect(text('hour', '2026-11-28T12:40:59.999Z')).toEqual(['2026-11-28T12:30:00.000Z', 1])
})

const NOW = '2026-11-28T12:00:00Z'
const days = (clock: ClockSpans, time = NOW) => clock.of('day', at(time)).map(({ since }) => since.toISOString())
const TODAY = '2026-11-27T23:00:00.000Z'

test('what was spent before the clock was set back counts in the day that it shows then, and in no other', () => {
  const clock = new ClockSpans()
  for (const time of [NOW, '2027-05-05T12:00:00Z', NOW]) clock.follow(at(time))
  expect(days(clock)).toEqual([TODAY, '2027-05-04T22:00:00.000Z'])
  expect(days(clock, '2026-11-29T12:00:00Z')).toEqual(['2026-11-28T23:00:00.000Z'])
  expect(clock.of('hour', at(NOW))).toHaveLength(2)
})

test('a correction, a change within the day and a sleep change no day', () => {
  const clock = new ClockSpans()
  for (const time of ['2026-11-28T12:00:00Z', '2026-11-28T11:59:30Z', '2026-11-28T09:00:00Z', '2026-11-30T12:00:00Z'])
    clock.follow(at(time))
  expect(days(clock)).toEqual([TODAY])
  expect(days(clock, '2026-11-30T12:00:00Z')).toEqual(['2026-11-29T23:00:00.000Z'])
})

test('a change before the start shows in what is recorded, answers that overlap are none', () => {
  const recalled = (...recorded: readonly string[]) => {
    const clock = new ClockSpans()
    clock.recall(recorded.map(at))
    clock.follow(at(NOW))
    return days(clock)
  }
  const ahead = [TODAY, '2027-05-04T22:00:00.000Z']
  expect(recalled('2026-11-28T09:00:00Z', '2027-05-05T12:00:00Z', '2027-05-05T13:00:00Z')).toEqual(ahead)
  expect(recalled('2027-05-05T12:00:00Z', '2026-11-28T11:00:00Z')).toEqual(ahead)
  expect(recalled('2026-01-01T00:10:00Z', '2026-11-28T11:00:00Z')).toEqual([TODAY, '2025-12-31T23:00:00.000Z'])
  expect(recalled('2026-01-01T00:10:00Z')).toEqual([TODAY, '2025-12-31T23:00:00.000Z'])
  expect(recalled('2026-11-27T23:10:00Z', '2026-11-27T22:50:00Z', '2026-11-28T11:00:00Z')).toEqual([TODAY])
  expect(recalled()).toEqual([TODAY])
})

test('what was spent before the clock was set at all counts in the day on which it is set', () => {
  const clock = new ClockSpans()
  clock.follow(at('2026-01-01T00:10:00Z'))
  clock.follow(at(NOW))
  expect(days(clock)).toEqual([TODAY, '2025-12-31T23:00:00.000Z'])
})
