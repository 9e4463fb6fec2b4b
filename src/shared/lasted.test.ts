import { expect, test } from 'vitest'
import { lasted } from './lasted.ts'

test('a time is said in the unit that people would use', () => {
  const times = [0, 1000, 119_000, 120_000, 7_199_000, 7_200_000].map(lasted)
  expect(times).toEqual(['1 second', '1 second', '119 seconds', '2 minutes', '120 minutes', '2 hours'])
})
