import { expect, test } from 'vitest'
import { healthSentence } from './health-line.ts'

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
    /^All 458 exchanges since .* are recorded, 99% within 280 ms\. Nothing was lost\.$/,
  )
  expect(healthSentence({ ...counters, exchanges_recorded: 400, dropped: { queue_full: 2 } })).toMatch(
    /^400 of 458 exchanges since .* 2 events were lost\.$/,
  )
})

test('says nothing of a start that nothing has passed', () => {
  const fresh = { ...counters, exchanges_seen: 0, exchanges_recorded: 0, in_flight: 0, recorder_lag_p99_ms: null }
  expect(healthSentence({ ...fresh, dropped: {} })).toBeNull()
  expect(healthSentence({ ...fresh, dropped: { queue_full: 1 } })).toBe('1 event was lost.')
})
