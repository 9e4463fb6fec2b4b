import { expect, test } from 'vitest'
import { turnNumbers } from './turn-numbers.ts'

test('a turn that is part of another one has no number to step to', () => {
  expect(turnNumbers({ turn_count: 3, joined_turns: [] }, 1)).toEqual([1, 2, 3])
  expect(turnNumbers({ turn_count: 2, joined_turns: [2] }, 1)).toEqual([1, 3])
  expect(turnNumbers(undefined, 4)).toEqual([1, 2, 3, 4])
})
