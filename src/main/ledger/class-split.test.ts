import { describe, expect, test } from 'vitest'
import { chargesOf } from './class-rates.ts'
import { splitByClass } from './class-split.ts'

const mark = (position: number, ttl: '5m' | '1h' = '5m') => ({ position, pointer: '', ttl, value: '' })
/** Five blocks of 100 tokens, by the estimate. */
const before = [0, 100, 200, 300, 400, 500]
const usage = (read: number, written: number, input: number, written1h = 0) => ({ read, written, input, written1h })
const split = (of: ReturnType<typeof usage>, marks = [mark(1), mark(4)], entries: readonly number[] = []) =>
  splitByClass({ usage: of, marks, entries, last: null, before })

describe('the classes of a request end at breakpoints', () => {
  test.each([
    ['all written', usage(0, 500, 0), { read: 0, written1h: 0, cached: 5 }],
    ['all read', usage(500, 0, 0), { read: 5, written1h: 5, cached: 5 }],
    ['the beginning read', usage(190, 310, 0), { read: 2, written1h: 2, cached: 5 }],
    ['nothing cached', usage(0, 0, 500), { read: 0, written1h: 0, cached: 0 }],
    ['all for an hour', usage(0, 500, 0, 500), { read: 0, written1h: 5, cached: 5 }],
    ['a few tokens after the last breakpoint', usage(200, 300, 3), { read: 2, written1h: 2, cached: 5 }],
  ])('%s', (_, of, expected) => {
    expect(split(of)).toEqual(expected)
  })

  test('what is written for an hour precedes what is written for five minutes', () => {
    const marks = [mark(1, '1h'), mark(4)]
    expect(split(usage(0, 500, 0, 210), marks)).toEqual({ read: 0, written1h: 2, cached: 5 })
  })

  test('an entry of the request before is nearer than a breakpoint of this one', () => {
    expect(split(usage(300, 200, 0), [mark(4)], [3])).toEqual({ read: 3, written1h: 3, cached: 5 })
  })

  test('the tokens of the last entry are known exactly, whatever the estimate', () => {
    const last = { end: 1, tokens: 300 }
    const of = { usage: usage(300, 200, 0), marks: [mark(2), mark(4)], entries: [1], last, before }
    expect(splitByClass(of)).toEqual({ read: 1, written1h: 1, cached: 5 })
  })

  test('a last entry beyond what is cached now is not where the reads end', () => {
    const last = { end: 4, tokens: 100 }
    const of = { usage: usage(100, 100, 300), marks: [mark(0), mark(1)], entries: [], last, before }
    expect(splitByClass(of)).toEqual({ read: 1, written1h: 1, cached: 2 })
  })

  test('without breakpoints the estimate decides', () => {
    expect(split(usage(100, 200, 200), [])).toEqual({ read: 1, written1h: 1, cached: 3 })
  })
})

describe('the price of each class is shared by its blocks', () => {
  const usd = { input: 1, cache_read: 2, cache_write_5m: 4, cache_write_1h: 8 }

  test('each class by its own blocks', () => {
    const { rates, rest } = chargesOf({ read: 1, written1h: 2, cached: 3 }, before, usage(50, 300, 100, 200), usd)
    expect(rates).toEqual({
      read: { tokens: 0.5, usd: 0.02 },
      written_1h: { tokens: 2, usd: 0.08 },
      written_5m: { tokens: 1, usd: 0.04 },
      uncached: { tokens: 0.5, usd: 0.005 },
    })
    expect(rest).toEqual({ tokens: 0, usd: 0 })
  })

  test('a class without blocks: writes go to the other writes, all else is overhead', () => {
    const { rates, rest } = chargesOf({ read: 0, written1h: 0, cached: 5 }, before, usage(50, 300, 3, 200), usd)
    expect(rates.written_5m).toEqual({ tokens: 0.6, usd: 0.024 })
    expect(rest).toEqual({ tokens: 53, usd: 3 })
    const hours = chargesOf({ read: 0, written1h: 5, cached: 5 }, before, usage(0, 300, 0, 200), usd)
    expect(hours.rates.written_1h).toEqual({ tokens: 0.6, usd: 0.024 })
  })
})
