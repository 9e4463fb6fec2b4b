import { expect, test } from 'vitest'
import { DAY_MS } from '../../shared/time-units.ts'
import { timeOf } from './line-time.ts'

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

test.each([
  [inDays(-100), true],
  [inDays(300), true],
  [inDays(500), false],
  ['1970-01-01T00:00:00Z', false],
  ['2047-05-05T00:00:00Z', false],
  ['soon', false],
])('the time %s of a line can be true: %s', (timestamp, can) => {
  expect(timeOf({ timestamp })).toBe(can ? Date.parse(timestamp) : null)
})
