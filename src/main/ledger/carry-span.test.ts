import { expect, test } from 'vitest'
import { costsInSpan, type SpanRequest } from './carry-span.ts'

const free = { tokens: 0, usd: 0 }
const each = { tokens: 1, usd: 2 }
const rates = { read: free, written_1h: free, written_5m: free, uncached: free }

/**
 * Three requests: 10 tokens are written, then read together with 4 new ones, then both are written again after a miss.
 */
const requests: readonly SpanRequest[] = [
  {
    number: 1,
    kept: 0,
    split: { read: 0, written1h: 0, cached: 1 },
    rates: { ...rates, written_5m: each },
    isIn: true,
  },
  {
    number: 2,
    kept: 1,
    split: { read: 1, written1h: 1, cached: 1 },
    rates: { ...rates, read: { tokens: 1, usd: 0.5 }, uncached: each },
    isIn: true,
  },
  {
    number: 3,
    kept: 2,
    split: { read: 0, written1h: 2, cached: 2 },
    rates: { ...rates, written_1h: each },
    isIn: true,
  },
]
const blocks = [
  { tokens: 10, first: 1 },
  { tokens: 4, first: 2 },
]

test('a block is written, read and written again; a new one is uncached, then written', () => {
  expect(costsInSpan(requests, blocks)).toMatchObject([
    { requests: 3, read_tokens: 10, read_usd: 5, written_tokens: 20, written_usd: 40, uncached_usd: 0 },
    {
      requests: 2,
      read_tokens: 0,
      read_usd: 0,
      written_tokens: 4,
      written_usd: 8,
      uncached_tokens: 4,
      uncached_usd: 8,
    },
  ])
})

test('a span from the second request on counts a block that was carried before', () => {
  expect(costsInSpan(requests.slice(1), blocks)).toMatchObject([
    { requests: 2, read_usd: 5, written_usd: 20 },
    { requests: 2, read_usd: 0, written_usd: 8, uncached_usd: 8 },
  ])
})

test('a request outside of the span, such as one before the clock was set back, costs nothing', () => {
  const [one, two, three] = requests
  const gap = [one, two === undefined ? two : { ...two, isIn: false }, three].flatMap((request) => request ?? [])
  expect(costsInSpan(gap, blocks)).toMatchObject([
    { requests: 2, read_usd: 0, written_usd: 40 },
    { requests: 1, read_usd: 0, written_usd: 8, uncached_usd: 0 },
  ])
})

test('a dropped block ends; no requests cost nothing', () => {
  const cut = { ...requests[2], number: 3, kept: 1, split: { read: 1, written1h: 1, cached: 1 }, rates, isIn: true }
  expect(costsInSpan([...requests.slice(0, 2), cut], blocks)).toMatchObject([{ requests: 3 }, { requests: 1 }])
  expect(costsInSpan([], [])).toEqual([])
})
