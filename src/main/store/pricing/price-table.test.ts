import { expect, test } from 'vitest'
import table from '../../../../resources/prices.json' with { type: 'json' }
import { createPricing, type PricedUsage } from './pricing.ts'

// The measured or published prices, row by row: a change of the table must be repeated here.
type Row = readonly [
  model: string,
  input: number,
  output: number,
  cacheRead: number,
  cacheWrite5m: number,
  cacheWrite1h: number,
  fast: number,
  window: number,
  basis: 'measured' | 'published',
]

// prettier-ignore
const ROWS: readonly Row[] = [
  ['claude-opus-5-5', 4, 20, 0.2, 5, 8, 2, 1_000_000, 'measured'],
  ['claude-opus-5', 5, 25, 0.5, 6.25, 10, 2, 1_000_000, 'measured'],
  ['claude-opus-4-8', 5, 25, 0.5, 6.25, 10, 2, 1_000_000, 'measured'],
  ['claude-opus-4-7', 5, 25, 0.5, 6.25, 10, 6, 1_000_000, 'measured'],
  ['claude-opus-4-6', 5, 25, 0.5, 6.25, 10, 6, 200_000, 'measured'],
  ['claude-opus-4-5', 5, 25, 0.5, 6.25, 10, 1, 200_000, 'measured'],
  ['claude-sonnet-5-5', 2, 10, 0.1, 2.5, 4, 1, 1_000_000, 'measured'],
  ['claude-sonnet-5', 2, 10, 0.2, 2.5, 4, 1, 1_000_000, 'measured'],
  ['claude-sonnet-4-6', 3, 15, 0.3, 3.75, 6, 1, 200_000, 'measured'],
  ['claude-sonnet-4-5', 3, 15, 0.3, 3.75, 6, 1, 200_000, 'measured'],
  ['claude-sonnet-4-0', 3, 15, 0.3, 3.75, 6, 1, 200_000, 'measured'],
  ['claude-haiku-5-5', 0.1, 0.5, 0.01, 0.125, 0.2, 1, 1_000_000, 'measured'],
  ['claude-haiku-4-5', 1, 5, 0.1, 1.25, 2, 1, 200_000, 'measured'],
  ['claude-fable-5', 10, 50, 1, 12.5, 20, 1, 1_000_000, 'measured'],
  ['claude-fable-5-1', 10, 50, 0.25, 12.5, 20, 1, 1_000_000, 'measured'],
  ['claude-fable-5-2', 8, 40, 0.2, 10, 16, 2, 1_000_000, 'measured'],
  ['claude-mythos-5', 10, 50, 1, 12.5, 20, 1, 1_000_000, 'measured'],
  ['claude-mythos-5-1', 10, 50, 0.25, 12.5, 20, 1, 1_000_000, 'published'],
  ['claude-mythos-5-2', 8, 40, 0.2, 10, 16, 2, 1_000_000, 'measured'],
  ['claude-opus-4-1', 15, 75, 1.5, 18.75, 30, 1, 200_000, 'published'],
  ['claude-opus-4-0', 15, 75, 1.5, 18.75, 30, 1, 200_000, 'published'],
  ['claude-sonnet-3-7', 3, 15, 0.3, 3.75, 6, 1, 200_000, 'published'],
  ['claude-haiku-3-5', 0.8, 4, 0.08, 1, 1.6, 1, 200_000, 'published'],
  ['claude-sonnet-3-5', 3, 15, 0.3, 3.75, 6, 1, 200_000, 'published'],
  ['claude-opus-3-0', 15, 75, 1.5, 18.75, 30, 1, 200_000, 'published'],
  ['claude-sonnet-3-0', 3, 15, 3, 3, 3, 1, 200_000, 'published'],
  ['claude-haiku-3-0', 0.25, 1.25, 0.03, 0.3, 0.5, 1, 200_000, 'published'],
  ['claude-2-1', 8, 24, 8, 8, 8, 1, 200_000, 'published'],
  ['claude-2-0', 8, 24, 8, 8, 8, 1, 100_000, 'published'],
  ['claude-instant-1-2', 0.8, 2.4, 0.8, 0.8, 0.8, 1, 100_000, 'published'],
]

const AT = '2026-11-21T10:00:00.000Z'
const MILLION = 1_000_000
const NONE: PricedUsage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
}

test('the table has these models of Anthropic and no others', () => {
  const own = table.models.filter(({ model }) => model.startsWith('claude-'))
  expect(own.map(({ model }) => model)).toEqual(ROWS.map(([model]) => model))
})

test.each(ROWS)('%s', (model, input, output, cacheRead, write5m, write1h, fast, window, basis) => {
  const { price, contextWindow } = createPricing()
  // Below every threshold; 100 such requests are a million tokens.
  const per = (field: keyof PricedUsage, more: Partial<PricedUsage> = {}) =>
    100 * (price(model, { ...NONE, ...more, [field]: 10_000 }, AT) ?? Number.NaN)
  const close = (actual: number, expected: number) => expect(Math.abs(actual - expected)).toBeLessThan(1e-9)
  close(per('input_tokens'), input)
  close(per('output_tokens'), output)
  close(per('cache_read_input_tokens'), cacheRead)
  close(per('cache_creation_input_tokens'), write5m)
  close(per('cache_creation_1h_input_tokens', { cache_creation_input_tokens: 10_000 }), write1h)
  close(per('input_tokens', { speed: 'fast' }), input * fast)
  close(per('input_tokens', { inference_geo: 'us' }), input * 1.1)
  close(per('input_tokens', { service_tier: 'batch' }), input * 0.5)
  close(per('input_tokens', { service_tier: 'priority' }), input)
  expect(price(model, { ...NONE, web_search_requests: 1000 }, AT)).toBe(10)
  expect(contextWindow(model, AT)).toBe(window)
  expect(table.models.find((row) => row.model === model)?.basis).toBe(basis)
})

test('one model of Anthropic has a lasting tier: Haiku 5.5 above 100,000 prompt tokens', () => {
  const tiers = table.models.flatMap((row) =>
    'above_prompt_tokens' in row && row.model.startsWith('claude-')
      ? [{ model: row.model, ...row.above_prompt_tokens }]
      : [],
  )
  expect(tiers).toEqual([
    {
      model: 'claude-haiku-5-5',
      threshold: 100_000,
      input: 0.5,
      output: 2.5,
      cache_read: 0.05,
      cache_write_5m: 0.625,
      cache_write_1h: 1,
    },
  ])
})

test('a tier whose price is not known is an assumption, and says so', () => {
  const { basis, price } = createPricing()
  expect(([null, 'standard', 'batch', 'priority', 'flex', '__proto__'] as const).map((tier) => basis(tier))).toEqual([
    'list',
    'list',
    'batch',
    'assumed_list',
    'assumed_list',
    'assumed_list',
  ])
  const flex = { ...NONE, input_tokens: MILLION, service_tier: 'flex' }
  expect(price('claude-opus-5-5', flex, AT)).toBe(4)
})

test('no name of another family finds a price or a window', () => {
  const { price, contextWindow } = createPricing()
  for (const model of [
    'claude-opus',
    'claude-5',
    'claude-nova-6',
    'claude-opus-5-5-5',
    'claude-opus-50',
    'gpt-4',
    'gpt-6',
    '',
  ]) {
    expect(price(model, NONE, AT), model).toBeNull()
    expect(contextWindow(model, AT), model).toBeNull()
  }
  expect(contextWindow('claude-nova-6[1m]', AT)).toBe(MILLION)
})
