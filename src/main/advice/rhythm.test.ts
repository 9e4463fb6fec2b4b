import { expect, test } from 'vitest'
import { DAY_MS } from '../../shared/time-units.ts'
import { bandText, usdText } from './rhythm.ts'

const days = (count: number) => ({ from: 0, until: count * DAY_MS })

test('a month is only spoken of where one was recorded', () => {
  expect(usdText(4.83, days(11.8))).toBe('$4.83 in 12 recorded days')
  expect(usdText(4.83, days(0))).toBe('$4.83 in 1 recorded day')
  expect(usdText(4.83, days(30))).toBe('$4.83 a month')
  expect(usdText(9, days(90))).toBe('$3.00 a month')
})

test('a mean that promises too much is said with its band; a sum of what happened needs none', () => {
  expect(bandText(9, [0, 9.29], days(90))).toBe('$3.00 a month (between $0 and $9.29)')
  expect(bandText(9, [2, 4], days(90))).toBe('$3.00 a month')
  expect(bandText(9, [0, 20], days(12))).toBe('$9.00 in 12 recorded days')
})
