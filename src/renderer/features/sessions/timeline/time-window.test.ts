import { expect, test } from 'vitest'
import { elapsedTicks, panned, zoomed } from './time-window.ts'

const bounds = { from: 0, to: 1000 }

test('zooming keeps the moment under the pointer, and a window stays within its bounds', () => {
  expect(zoomed(bounds, 0.5, 500, bounds)).toEqual({ from: 250, to: 750 })
  expect(zoomed({ from: 250, to: 750 }, 0.5, 300, bounds)).toEqual({ from: 275, to: 525 })
  expect(zoomed({ from: 0, to: 500 }, 4, 100, bounds)).toEqual(bounds)
  expect(zoomed({ from: 0, to: 20 }, 0.01, 0, bounds)).toEqual({ from: 0, to: 10 })
  expect(panned({ from: 100, to: 300 }, 0.5, bounds)).toEqual({ from: 200, to: 400 })
  expect(panned({ from: 700, to: 900 }, 3, bounds)).toEqual({ from: 800, to: 1000 })
})

test('ticks are at 1, 2 or 5 of a unit after the origin', () => {
  const ticks = (from: number, to: number, count = 6) => elapsedTicks({ from, to }, 1000, count).map((at) => at - 1000)
  expect(ticks(1000, 55_000)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000])
  expect(ticks(1000, 1054)).toEqual([0, 10, 20, 30, 40, 50])
  expect(ticks(1000, 1000 + 13 * 60_000)).toEqual([0, 5, 10].map((minutes) => minutes * 60_000))
  expect(ticks(900, 1100)).toEqual([-100, -50, 0, 50, 100])
  expect(ticks(0, 90 * 3_600_000, 4).length).toBeLessThanOrEqual(5)
})
