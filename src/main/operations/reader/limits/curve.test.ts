import { expect, test } from 'vitest'
import { HOUR_MS } from '../../../../shared/time-units.ts'
import { curveOf } from './curve.ts'

const readings = Array.from({ length: 3000 }, (_, n) => ({ at: 1_800_000_000_000 + n * 5_900, used: n / 3000 }))
const pointsOf = (count: number, windowMs: number) =>
  curveOf(readings.slice(0, count), windowMs).map(({ timestamp, used }) => `${timestamp} ${used}`)

test('the past of a curve stays as it was drawn when new readings come', () => {
  const whole = pointsOf(3000, 5 * HOUR_MS)
  expect(whole.length).toBeGreaterThan(250)
  expect(whole.length).toBeLessThan(600)
  for (const count of [2, 400, 1711, 2999])
    expect(whole).toEqual(expect.arrayContaining(pointsOf(count, 5 * HOUR_MS).slice(0, -1)))
})

test('a span longer than the window is thinned to points of the finer curve', () => {
  const fine = pointsOf(3000, 0)
  expect(pointsOf(3000, 40 * HOUR_MS).length).toBeLessThan(100)
  expect(fine).toEqual(expect.arrayContaining(pointsOf(3000, 20 * HOUR_MS)))
  expect(curveOf([], HOUR_MS)).toEqual([])
})
