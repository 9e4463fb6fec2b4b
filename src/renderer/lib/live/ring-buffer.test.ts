import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRingBuffer } from './ring-buffer.ts'

test('a ring buffer keeps the newest items, in order and within its capacity', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (items, capacity) => {
      const ring = createRingBuffer<number>(capacity)
      for (const item of items) ring.push(item)
      const kept = items.slice(-capacity)
      expect(ring.filter(() => true)).toEqual(kept)
      expect(ring.length).toBe(kept.length)
      expect(ring.total).toBe(items.length)
      expect(ring.at(0)).toBe(kept[0])
      expect(ring.at(kept.length)).toBeUndefined()
    }),
  )
})

test('a cleared ring buffer is empty', () => {
  const ring = createRingBuffer<string>(2)
  for (const item of ['a', 'b', 'c']) ring.push(item)
  ring.clear()
  ring.push('d')
  expect(ring.filter(() => true)).toEqual(['d'])
})
