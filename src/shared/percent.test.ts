import { expect, test } from 'vitest'
import { percentOf } from './percent.ts'

test('a percentage is whole, and neither all nor nothing unless it is', () => {
  const shares = [0, 0.0001, 0.0095, 0.056, 0.5, 0.994, 0.996, 0.9999, 1, 1.254, -0.0001, -0.3]
  expect(shares.map(percentOf)).toEqual([0, 0.1, 1, 6, 50, 99.4, 99.6, 99.9, 100, 125, -0.1, -30])
})
