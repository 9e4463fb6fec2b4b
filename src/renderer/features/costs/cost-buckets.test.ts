import { expect, test } from 'vitest'
import {
  bucketBounds,
  bucketKey,
  bucketKeys,
  clipHeight,
  type CostItem,
  costByModel,
  costColumns,
  costTotals,
  withBefore,
} from './cost-buckets.ts'

const at = (iso: string) => Date.parse(iso)
const item = (bucket: string, model: string, cost: number, change: Partial<CostItem> = {}): CostItem => ({
  bucket,
  model,
  cost_usd: cost,
  calls: 1,
  unpriced_calls: 0,
  lower_bound_calls: 0,
  input_tokens: 1,
  output_tokens: 2,
  cache_read_tokens: 3,
  cache_creation_tokens: 4,
  ...change,
})

test('every day of a range has exactly one column, across both clock changes', () => {
  const spring = bucketKeys(at('2026-03-26T23:00:00Z'), at('2026-04-01T10:00:00Z'), 'day', 'Europe/Berlin')
  expect(spring).toEqual(['2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01'])
  const autumn = bucketKeys(at('2026-10-22T22:00:00Z'), at('2026-10-28T10:00:00Z'), 'day', 'Europe/Berlin')
  expect(autumn).toEqual(['2026-10-23', '2026-10-24', '2026-10-25', '2026-10-26', '2026-10-27', '2026-10-28'])
  expect(bucketKeys(at('2025-12-15T00:00:00Z'), at('2026-03-02T00:00:00Z'), 'month', 'UTC')).toEqual([
    '2025-12',
    '2026-01',
    '2026-02',
    '2026-03',
  ])
})

test('buckets are the viewer’s, not those of UTC', () => {
  expect(bucketKey(at('2026-11-21T23:30:00Z'), 'day', 'Asia/Tokyo')).toBe('2026-11-22')
  expect(bucketKey(at('2026-11-21T03:30:00Z'), 'hour', 'America/New_York')).toBe('2026-11-20T22')
})

test('two parts of a day become one column, and a day without calls keeps its column', () => {
  const columns = costColumns(
    [item('2026-10-25', 'a', 1), item('2026-10-25', 'a', 2), item('2026-10-25', 'b', 4)],
    ['2026-10-24', '2026-10-25'],
    'day',
  )
  expect(columns).toEqual([
    { bucket: '2026-10-24', cost: {}, total: 0, tokens: 0, before: null },
    { bucket: '2026-10-25', cost: { a: 3, b: 4 }, total: 7, tokens: 30, before: null },
  ])
})

test('models are sorted by cost, and uncertain calls are counted', () => {
  const items = [
    item('1', 'cheap', 1, { lower_bound_calls: 1 }),
    item('1', 'expensive', 5),
    item('2', 'cheap', 2),
    item('2', 'new', 0, { unpriced_calls: 1 }),
  ]
  expect(costByModel(items).map(({ model }) => model)).toEqual(['expensive', 'cheap', 'new'])
  expect(costTotals(items)).toMatchObject({ cost: 8, calls: 4, unpricedCalls: 1, lowerBoundCalls: 1, cacheRead: 12 })
})

test('a bucket knows its bounds, also on days of 23 and 25 hours', () => {
  const bounds = (bucket: string, unit: 'hour' | 'day' | 'month') => {
    const { from, to } = bucketBounds(bucket, unit, 'Europe/Berlin')
    return [new Date(from).toISOString().slice(0, 16), (to - from) / 3_600_000]
  }
  expect(bounds('2026-11-21T14', 'hour')).toEqual(['2026-11-21T13:00', 1])
  expect(bounds('2026-03-29', 'day')).toEqual(['2026-03-28T23:00', 23])
  expect(bounds('2026-10-25', 'day')).toEqual(['2026-10-24T22:00', 25])
  expect(bounds('2026-12', 'month')).toEqual(['2026-11-30T23:00', 31 * 24])
})

test('columns far above the others can be cut off, and the period before is compared by place', () => {
  const keys = ['2026-11-01', '2026-11-02', '2026-11-03', '2026-11-04', '2026-11-05']
  const columns = (costs: readonly number[]) =>
    costColumns(
      costs.map((cost, day) => item(keys[day] ?? '', 'a', cost)),
      keys,
      'day',
    )
  expect(clipHeight(columns([3, 4, 36, 2, 5]))).toBe(5)
  expect(clipHeight(columns([3, 4, 9, 2, 5]))).toBeNull()
  expect(clipHeight(columns([1, 36]))).toBeNull()
  const compared = withBefore(columns([3, 4, 5, 6, 7]), columns([1, 2]).slice(0, 2))
  expect(compared.map(({ before }) => before)).toEqual([1, 2, 0, 0, 0])
})
