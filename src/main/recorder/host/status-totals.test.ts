import { expect, test } from 'vitest'
import { createStatusTotals } from './status-totals.ts'

test('what a recorder counted after its last status is kept when it dies', () => {
  const totals = createStatusTotals()
  totals.update({ ...totals.status(), exchanges: 3, events: 30, dropped: { decode_failed: 1 } })
  totals.count({ exchanges: 5, events: 52, sightings: 7, commit_lag_ms: 12 })
  totals.closeRun()
  totals.count({ exchanges: 1, events: 9, sightings: 0, commit_lag_ms: 4 })
  expect(totals.status()).toMatchObject({
    exchanges: 6,
    events: 61,
    sightings: 7,
    commit_lag_ms: 4,
    dropped: { decode_failed: 1 },
  })
})
