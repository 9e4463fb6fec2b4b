import { expect, test } from 'vitest'
import { healthSentence, yesterdaySentence } from './health-line.ts'

const counters = {
  exchanges_seen: 459,
  exchanges_recorded: 458,
  in_flight: 1,
  started_at: new Date().toISOString(),
  dropped: { filtered: 9 },
  recorder_lag_p99_ms: 280,
}

test('says how much is recorded, and what was lost, without what the settings drop', () => {
  expect(healthSentence(counters)).toMatch(
    /^All 458 requests since .* are recorded, 99% of those of the last 5 minutes within 280 ms\. Nothing was lost\.$/,
  )
  expect(healthSentence({ ...counters, exchanges_recorded: 400, dropped: { queue_full: 2 } })).toMatch(
    /^400 of 458 requests since .* 2 events were lost\.$/,
  )
})

test.each([
  [1, 1, /^The one request since .* is recorded\. /],
  [1, 0, /^0 of 1 request since .* is recorded\. /],
  [2, 2, /^All 2 requests since .* are recorded\. /],
])('of %i requests, %i recorded', (seen, recorded, said) => {
  const few = { exchanges_seen: seen, exchanges_recorded: recorded, in_flight: 0, recorder_lag_p99_ms: null }
  expect(healthSentence({ ...counters, ...few })).toMatch(said)
})

test('says nothing of a start that nothing has passed', () => {
  const fresh = { ...counters, exchanges_seen: 0, exchanges_recorded: 0, in_flight: 0, recorder_lag_p99_ms: null }
  expect(healthSentence({ ...fresh, dropped: {} })).toBeNull()
  expect(healthSentence({ ...fresh, dropped: { queue_full: 1 } })).toBe('1 event was lost.')
})

const MIDNIGHT = Date.parse('2026-11-27T23:00:00Z')
const day = (bucket: string, calls: number) => ({ bucket, calls })
const FRIDAYS = [day('2026-11-20', 90), day('2026-11-13', 100), day('2026-10-30', 300)]

test.each([
  [
    'the median of three Fridays',
    [...FRIDAYS, day('2026-11-27', 40), day('2026-11-27', 8)],
    '48 requests were answered yesterday, far fewer than your usual 100 on a Friday.',
  ],
  ['a day without any', FRIDAYS, 'No requests were answered yesterday, far fewer than your usual 100 on a Friday.'],
  ['two Fridays', [...FRIDAYS.slice(1), day('2026-11-27', 40)], null],
  ['other weekdays', [...FRIDAYS.slice(1), day('2026-11-26', 90), day('2026-11-27', 40)], null],
  ['a Friday nine weeks ago', [...FRIDAYS.slice(1), day('2026-09-25', 90), day('2026-11-27', 40)], null],
] as const)('compares yesterday with its weekday: %s', (_, days, said) => {
  expect(yesterdaySentence(days, MIDNIGHT, 60)).toBe(said)
})
