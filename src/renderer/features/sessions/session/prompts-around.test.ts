import { expect, test } from 'vitest'
import { promptsAround } from './prompts-around.ts'

test('the menu offers the prompts around the current one', () => {
  expect(promptsAround(30, -1)).toEqual({ from: 0, until: 30 })
  expect(promptsAround(3000, -1)).toEqual({ from: 0, until: 200 })
  expect(promptsAround(3000, 1500)).toEqual({ from: 1400, until: 1600 })
  expect(promptsAround(3000, 2999)).toEqual({ from: 2800, until: 3000 })
  expect(promptsAround(0, -1)).toEqual({ from: 0, until: 0 })
})
