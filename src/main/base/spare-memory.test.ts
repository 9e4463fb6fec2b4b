import { expect, test } from 'vitest'
import { createSpareMemory } from './spare-memory.ts'

test('a heap with spare memory is collected once', () => {
  const spareMemory = createSpareMemory()
  expect(spareMemory.giveBack()).toBe(true)
  expect(spareMemory.giveBack()).toBe(false)
  expect(spareMemory.giveBack(true)).toBe(true)
})
