import { expect, test } from 'vitest'
import { contextTokens, countOf, readUsage, totalTokens } from './usage.ts'

test('writes are the larger of their total and the sum of both lives', () => {
  const of = (total: number) =>
    readUsage({
      cache_creation_input_tokens: total,
      cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 20 },
    })
  expect(of(0)).toMatchObject({ cache_creation_input_tokens: 23, cache_creation_1h_input_tokens: 20 })
  expect(of(30)).toMatchObject({ cache_creation_input_tokens: 30, cache_creation_1h_input_tokens: 20 })
})

test('the totals count each class once; the context is all but the output', () => {
  const usage = readUsage({
    input_tokens: 1,
    output_tokens: 10,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 1000,
  })
  expect(totalTokens(usage)).toBe(1111)
  expect(contextTokens(usage)).toBe(1101)
})

test('a count is whole, not negative and not beyond what can be', () => {
  expect([0, 2.9, 1e9].map(countOf)).toEqual([0, 2, 1e9])
  expect([-1, 1e9 + 1, Infinity, NaN, '5', null, undefined].map(countOf)).toEqual(Array(7).fill(null))
})
