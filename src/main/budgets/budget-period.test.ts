import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { budgetPeriod } from './budget-period.ts'
import { HOUR_MS } from '../../shared/time-units.ts'

const zone = process.env['TZ']

function span(period: Parameters<typeof budgetPeriod>[0], now: string) {
  const { since, until } = budgetPeriod(period, new Date(now))
  return { since: since.toISOString(), until: until.toISOString(), hours: (+until - +since) / HOUR_MS }
}

describe('in Berlin, where clocks change', () => {
  beforeAll(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterAll(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  test('a day has 23 or 25 hours when clocks change', () => {
    expect(span('day', '2026-03-29T12:00:00Z')).toEqual({
      since: '2026-03-28T23:00:00.000Z',
      until: '2026-03-29T22:00:00.000Z',
      hours: 23,
    })
    expect(span('day', '2026-10-25T12:00:00Z').hours).toBe(25)
  })

  test('a week starts on Monday, even when seen from a Sunday', () => {
    expect(span('week', '2026-11-22T22:59:00Z')).toEqual({
      since: '2026-11-15T23:00:00.000Z',
      until: '2026-11-22T23:00:00.000Z',
      hours: 168,
    })
    expect(span('week', '2026-11-22T23:00:00Z').since).toBe('2026-11-22T23:00:00.000Z')
  })

  test('a month ends with its year', () => {
    expect(span('month', '2026-12-31T12:00:00Z')).toMatchObject({
      since: '2026-11-30T23:00:00.000Z',
      until: '2026-12-31T23:00:00.000Z',
    })
  })
})
