import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { axisDollars, columnDollars, timeAxis, valueTicks } from './axis.ts'

beforeEach(() => void vi.stubGlobal('navigator', { language: 'en-GB' }))
afterEach(() => vi.unstubAllGlobals())

test('value axes step by 1, 2 or 5, and all labels of one have the same decimals', () => {
  const labels = (highest: number) => {
    const ticks = valueTicks(highest)
    return ticks.map(axisDollars(ticks)).join(' ')
  }
  expect(labels(4.4)).toBe('$0 $2 $4 $6')
  expect(labels(36)).toBe('$0 $10 $20 $30 $40')
  expect(labels(0.9)).toBe('$0 $0.50 $1.00')
  expect(labels(0.3)).toBe('$0 $0.10 $0.20 $0.30')
  expect(labels(0.00015)).toBe('$0 $0.00005 $0.00010 $0.00015')
  expect(labels(12_345)).toBe('$0 $5,000 $10,000 $15,000')
  expect(labels(0)).toBe('$0 $1')
})

test('a column has one precision, and what is smaller is not shown as zero', () => {
  const column = (amounts: readonly (number | null)[]) => amounts.map(columnDollars(amounts)).join(' ')
  expect(column([0.309, 1.11, 0.0045])).toBe('$0.31 $1.11 < $0.01')
  expect(column([0.3448, 0.015, 0.3803])).toBe('$0.34 $0.02 $0.38')
  expect(column([0.010181, 0.001044, 0.000093])).toBe('$0.010 $0.001 < $0.001')
  expect(column([0.00016, 0.0042])).toBe('$0.0002 $0.0042')
  expect(column([0.0000001])).toBe('< $0.000001')
  expect(column([250, 0.0045, null, 0])).toBe('$250.00 < $0.01 – $0.00')
  expect(column([3, 4.5])).toBe('$3.00 $4.50')
})

test('time axes fall on whole hours and days of the zone, also over a change of its offset', () => {
  const zone = 'Europe/Berlin'
  const labels = (from: string, to: string) => {
    const { ticks, format } = timeAxis(Date.parse(from), Date.parse(to), 6, zone)
    return ticks.map(format).join(' ')
  }
  expect(labels('2026-11-20T22:10:00Z', '2026-11-21T03:20:00Z')).toBe('21 Nov 01:00 02:00 03:00 04:00')
  expect(labels('2026-11-20T10:01:00Z', '2026-11-20T10:04:30Z')).toBe('11:01 11:02 11:03 11:04')
  expect(labels('2026-10-22T00:00:00Z', '2026-10-27T12:00:00Z')).toBe('23 Oct 24 Oct 25 Oct 26 Oct 27 Oct')
  const { ticks } = timeAxis(Date.parse('2026-10-22T00:00:00Z'), Date.parse('2026-10-27T12:00:00Z'), 6, zone)
  expect(new Date(ticks[3] ?? 0).toISOString()).toBe('2026-10-25T23:00:00.000Z')
  expect(timeAxis(0, 900 * 86_400_000, 6, zone).ticks.length).toBeLessThanOrEqual(7)
})
