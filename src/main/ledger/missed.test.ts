import { expect, test } from 'vitest'
import { missedTokens, promptTokens } from './missed.ts'

const usage = (input: number, read: number, written: number, written1h = 0) => ({ input, read, written, written1h })

test('what was left and not read is missed: written again, the longer life first, or paid as input', () => {
  expect(missedTokens(1000, usage(10, 200, 900, 300))).toEqual({
    couldRead: 1000,
    tokens: 800,
    withoutMiss: usage(10, 1000, 100, 0),
  })
  expect(missedTokens(1000, usage(10, 200, 900, 850))).toMatchObject({ withoutMiss: usage(10, 1000, 100, 50) })
  // 300 of the 800 were not written again.
  expect(missedTokens(1000, usage(400, 200, 500))).toMatchObject({ tokens: 800, withoutMiss: usage(100, 1000, 0) })
})

test('a request misses no more than its own prompt, and nothing if it read more than was left', () => {
  const short = usage(5, 0, 95)
  expect(promptTokens(short)).toBe(100)
  expect(missedTokens(1000, short)).toEqual({ couldRead: 100, tokens: 100, withoutMiss: usage(0, 100, 0) })
  const more = usage(5, 500, 95)
  expect(missedTokens(400, more)).toEqual({ couldRead: 500, tokens: 0, withoutMiss: more })
})
