import { expect, test } from 'vitest'
import { capsOf, fullest, guardSentences, nearlyFull } from './cap-words.ts'

const COUNTS = { checked: 0, unpriced: 0, notified: 0, held: 0, allowed: 0, refused: 0, gave_up: 0 }
const STATUS = {
  enabled: true,
  action: 'hold' as const,
  caps: [],
  project_caps: [],
  held: [],
  counts: COUNTS,
  in_flight: 0,
  most_in_flight: 0,
  strict: false,
  lower_bound: { requests: 0, usd: 0, tokens: 0 },
  passed: [],
}
const DAY = { cap: 'day_usd' as const, limit: 20, used: 5 }
const SHOP = { project: '/home/me/shop', cap: 'hour_usd' as const, limit: 2, used: 1.5 }
const CALLS = { cap: 'repeat_calls' as const, limit: 5, used: null }

test('without a cap it says that nothing is stopped', () => {
  expect(guardSentences(STATUS, 240)[0]).toMatch(/^No cap is set, so nothing is stopped\./)
})

test('says what happens at a cap, which is fullest, and what was stopped', () => {
  const counts = { ...COUNTS, checked: 1200, held: 3, refused: 1 }
  expect(guardSentences({ ...STATUS, counts, caps: [DAY, CALLS], project_caps: [SHOP] }, 240)).toEqual([
    'A request that would exceed a cap waits 4 m for your decision, and is then refused.',
    'Closest to its limit is the cap per hour of shop: $1.50 of $2.00.',
    'Since Aspy started, 1,200 requests were checked; 3 waited, 1 refused.',
  ])
})

test('names a cap that is exceeded, and no fullest one if none is summed up', () => {
  expect(guardSentences({ ...STATUS, action: 'refuse', caps: [{ ...DAY, used: 21 }] }, 240)).toEqual([
    'A request that would exceed a cap is refused.',
    'The cap per day is exceeded: $21.00 of $20.00, because you let requests pass, or it was set later.',
  ])
  expect(fullest(capsOf({ ...STATUS, caps: [CALLS] }))).toBeNull()
  expect(nearlyFull([SHOP])).toBeNull()
  expect(nearlyFull([SHOP, { ...DAY, project: null, used: 16 }])?.cap).toBe('day_usd')
  expect(guardSentences({ ...STATUS, action: 'notify', caps: [CALLS] }, 240)).toEqual([
    'A request that would exceed a cap is sent all the same, and reported once.',
  ])
})
