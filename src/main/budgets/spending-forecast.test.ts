import { describe, expect, test } from 'vitest'
import { checkSpending } from './spending-checks.ts'
import { forecastSpending } from './spending-forecast.ts'

const midnight = (day: number) => new Date(2026, 10, day).getTime()
const history = (...amounts: readonly number[]) => amounts.map((usd, at) => ({ start: midnight(2 + at), usd }))
/** Whole days after a history; by default, one. */
const after = (days: number, count = 1, part = 1) =>
  Array.from({ length: count }, (_, at) => ({
    start: midnight(2 + days + at),
    end: midnight(3 + days + at),
    part,
  }))

describe('the forecast of a period', () => {
  test('adds the means of the days that are left, in a band by Student', () => {
    // Worked out by hand: the means of weekdays are 50/3, 20 and 70/3, the others 20; the spread is 20/3.
    const made = forecastSpending(history(10, 20, 30), 5, after(3), 0.5)
    expect(made?.usd).toBeCloseTo(25, 9)
    expect(made?.high).toBeCloseTo(25 + 11.2391, 3)
    expect(made?.low).toBeCloseTo(25 - 11.2391, 3)
    // Never below the amount already spent.
    expect(forecastSpending(history(10, 20, 30), 5, after(3))?.low).toBe(5)
  })

  test('is wider if neighbouring days resemble each other', () => {
    // Likeness 1/4: the spread is the root of 160/2.7 · (5/3), and Student has 2.353 for 3 degrees of freedom.
    const made = forecastSpending(history(10, 10, 30, 30), 100, after(4))
    expect(made?.usd).toBeCloseTo(120, 9)
    expect(made?.high).toBeCloseTo(120 + 26.1442, 2)
    const mixed = forecastSpending(history(10, 30, 10, 30), 100, after(4))
    expect((mixed?.high ?? 0) - (mixed?.usd ?? 0)).toBeLessThan(26)
  })

  test('needs three complete days, and knows eight weeks', () => {
    expect(forecastSpending(history(10, 20), 5, after(2))).toBeNull()
    expect(forecastSpending(history(10, 20, 30), 5, after(3))).not.toBeNull()
    const old = Array.from({ length: 100 }, () => 1000)
    const recent = Array.from({ length: 56 }, () => 10)
    expect(forecastSpending(history(...old, ...recent), 0, after(156))?.usd).toBeCloseTo(10, 9)
    expect(forecastSpending(history(1000, ...recent.slice(1)), 0, after(56))?.usd).toBeGreaterThan(11)
  })

  test('grows evenly within what is left of each day', () => {
    const [half] = after(3, 1, 0.5)
    const made = forecastSpending(history(10, 10, 10), 5, [...(half ? [half] : []), ...after(4)])
    expect(made?.usd).toBeCloseTo(20, 9)
    const noon = midnight(5) + 12 * 3_600_000
    expect(made?.at(midnight(5))).toBeCloseTo(5, 9)
    expect(made?.at(noon)).toBeCloseTo(5, 9)
    expect(made?.at(noon + 6 * 3_600_000)).toBeCloseTo(7.5, 9)
    expect(made?.at(midnight(6))).toBeCloseTo(10, 9)
    expect(made?.at(midnight(7))).toBeCloseTo(20, 9)
    expect(made?.at(midnight(9))).toBeCloseTo(20, 9)
  })
})

describe('earlier forecasts', () => {
  const periods = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ since: midnight(2 + 4 * at), until: midnight(6 + 4 * at) }))

  test('are made as they would have been, at a quarter, half and three quarters of each period', () => {
    // The first period has three days of history only before its last quarter.
    expect(checkSpending(history(...Array.from({ length: 8 }, () => 10)), periods(2))).toEqual({
      checks: 4,
      hits: 4,
      typicalError: 0,
      widen: 1,
    })
  })

  test('miss what nothing foretold, by its share of the amount', () => {
    expect(checkSpending(history(10, 10, 10, 10, 10, 10, 10, 50), periods(2))).toEqual({
      checks: 4,
      hits: 1,
      typicalError: 0.5,
      widen: 1,
    })
  })

  test('change the band once there are ten of them, within bounds', () => {
    const steady = (days: number) => history(...Array.from({ length: days }, () => 10))
    expect(checkSpending(steady(12), periods(3))).toMatchObject({ checks: 7, widen: 1 })
    expect(checkSpending(steady(16), periods(4))).toMatchObject({ checks: 10, hits: 10, widen: 0.25 })
    const growing = history(...Array.from({ length: 24 }, (_, at) => 2 ** at))
    expect(checkSpending(growing, periods(6)).widen).toBeGreaterThan(1)
    expect(checkSpending(growing, periods(6)).widen).toBeLessThanOrEqual(4)
  })

  test('leave out periods that began before the first day', () => {
    const [first, second] = periods(2)
    const early = { since: midnight(1), until: midnight(6) }
    const days = history(...Array.from({ length: 8 }, () => 10))
    expect(checkSpending(days, [early, ...(second ? [second] : [])]).checks).toBe(3)
    expect(checkSpending(days, first ? [first] : []).checks).toBe(1)
    expect(checkSpending([], periods(2))).toEqual({ checks: 0, hits: 0, typicalError: null, widen: 1 })
  })
})
