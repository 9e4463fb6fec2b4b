import { expect, test } from 'vitest'
import { limitAfter } from './limit-after.ts'

const over = { cap: 'session_usd', scope: 's', limit: 20, used: 19, guess: 2 } as const

test('a cap is raised to the limit given, or to twice the present one', () => {
  expect(limitAfter(over, 'raise', 25)).toBe(25)
  expect(limitAfter(over, 'raise', undefined)).toBe(40)
  expect(limitAfter(over, 'once', undefined)).toBe(20)
})

test.each([
  ['raise', 20, over, 'must be above the present cap of 20'],
  ['once', 25, over, '"once" raises none'],
  ['stop', 25, over, '"stop" raises none'],
  ['raise', undefined, { ...over, cap: 'unpriced' as const }, 'no cap can be raised'],
] as const)('%s to %s is refused', (decision, to, held, why) => {
  expect(() => limitAfter(held, decision, to)).toThrow(why)
})
