import { expect, test } from 'vitest'
import { createSpareMemory } from './spare-memory.ts'
import { trimCHeap } from './c-heap.ts'

const BLOCK_BYTES = 5000
const BLOCKS = 20_000

test.runIf(process.platform === 'linux')('the gaps between blocks in use are returned to the system', () => {
  let blocks = Array.from({ length: BLOCKS }, () => Buffer.allocUnsafeSlow(BLOCK_BYTES).fill(1))
  blocks = blocks.filter((_, at) => at % 10 === 0)
  createSpareMemory().giveBack(true)
  const before = process.memoryUsage.rss()
  trimCHeap()
  expect(before - process.memoryUsage.rss()).toBeGreaterThan((BLOCK_BYTES * BLOCKS) / 4)
  expect(blocks.every((block) => block.every((byte) => byte === 1))).toBe(true)
})
