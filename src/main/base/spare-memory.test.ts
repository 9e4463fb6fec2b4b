import { expect, test } from 'vitest'
import { createSpareMemory } from './spare-memory.ts'

test('a heap is collected whole when it may hold something to spare, and then left alone', () => {
  const spareMemory = createSpareMemory()
  expect(spareMemory.giveBack()).toBe(true)
  expect(spareMemory.giveBack()).toBe(false)
  expect(spareMemory.giveBack(true)).toBe(true)
})
