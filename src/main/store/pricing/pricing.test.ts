import { expect, test } from 'vitest'
import table from '../../../../resources/prices.json' with { type: 'json' }
import { createPricing, withOwnPrices, type PricedUsage } from './pricing.ts'

const { price: priceUsage } = createPricing()

const usage = (fields: Partial<PricedUsage>): PricedUsage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
  ...fields,
})
const AT = '2026-11-21T10:00:00.000Z'
const million = usage({ input_tokens: 1_000_000 })

test.each([
  ['input', { input_tokens: 1_000_000 }, 4],
  ['output', { output_tokens: 1_000_000 }, 20],
  ['cache read', { cache_read_input_tokens: 1_000_000 }, 0.2],
  ['cache write, unsplit: 5 minutes', { cache_creation_input_tokens: 1_000_000 }, 5],
  [
    'cache write, all for an hour',
    { cache_creation_input_tokens: 1_000_000, cache_creation_1h_input_tokens: 1_000_000 },
    8,
  ],
  [
    'cache write, half for an hour',
    { cache_creation_input_tokens: 1_000_000, cache_creation_1h_input_tokens: 500_000 },
    6.5,
  ],
  ['web search', { web_search_requests: 3 }, 0.03],
  ['fast mode', { input_tokens: 1_000_000, speed: 'fast' }, 8],
  ['in the US only', { input_tokens: 1_000_000, inference_geo: 'us' }, 4.4],
  [
    'both, and a search, which neither multiplies',
    { input_tokens: 1_000_000, speed: 'fast', inference_geo: 'us', web_search_requests: 1 },
    8.81,
  ],
])('%s', (_, fields, cost) => {
  expect(priceUsage('claude-opus-5-5', usage(fields), AT)).toBeCloseTo(cost, 10)
})

test('above its threshold, a tier applies to the whole request; cached tokens count towards it', () => {
  const price = (fields: Partial<PricedUsage>) => priceUsage('claude-haiku-5-5', usage(fields), AT)
  expect(price({ input_tokens: 100_000, output_tokens: 1000 })).toBeCloseTo(0.0105, 10)
  expect(price({ input_tokens: 100_001, output_tokens: 1000 })).toBeCloseTo(0.0525005, 10)
  expect(price({ input_tokens: 1, cache_read_input_tokens: 60_000, cache_creation_input_tokens: 40_000 })).toBeCloseTo(
    0.5e-6 + 0.003 + 0.025,
    10,
  )
})

test('a long prompt costs more as a whole on the days when its model had a tier for it', () => {
  const long = { input_tokens: 1, cache_read_input_tokens: 150_000, cache_creation_input_tokens: 50_000 }
  const price = (model: string, day: string, fields: Partial<PricedUsage>) =>
    priceUsage(model, usage(fields), `${day}T23:59:59.999Z`)
  const standard = (3 + 150_000 * 0.3 + 50_000 * 3.75 + 1000 * 15) / 1e6
  const higher = (6 + 150_000 * 0.6 + 50_000 * 7.5 + 1000 * 22.5) / 1e6
  const at = (model: string, day: string) => price(model, day, { ...long, output_tokens: 1000 })
  expect(at('claude-sonnet-4-20250514', '2025-08-11')).toBeCloseTo(standard, 10)
  expect(at('claude-sonnet-4-20250514', '2025-08-12')).toBeCloseTo(higher, 10)
  expect(at('claude-sonnet-4-5-20250929[1m]', '2026-04-30')).toBeCloseTo(higher, 10)
  expect(at('claude-sonnet-4-5-20250929', '2026-05-01')).toBeCloseTo(standard, 10)
  expect(at('claude-sonnet-4-6', '2026-03-12')).toBeCloseTo(higher, 10)
  expect(at('claude-sonnet-4-6', '2026-03-13')).toBeCloseTo(standard, 10)
  expect(price('claude-opus-4-6', '2026-02-20', { input_tokens: 200_001 })).toBeCloseTo(2.00001, 10)
  expect(price('claude-opus-4-6', '2026-02-20', { input_tokens: 200_000 })).toBeCloseTo(1, 10)
  expect(price('claude-opus-4-5', '2026-02-20', { input_tokens: 200_001 })).toBeCloseTo(1.000005, 10)
})

test('a batch costs half, its searches as much as ever; the priority tier costs the list price', () => {
  const price = (fields: Partial<PricedUsage>) => priceUsage('claude-opus-5-5', usage(fields), AT)
  expect(price({ input_tokens: 1_000_000, output_tokens: 1000, service_tier: 'batch' })).toBeCloseTo(2.01, 10)
  expect(price({ input_tokens: 1_000_000, web_search_requests: 2, service_tier: 'batch' })).toBeCloseTo(2.02, 10)
  for (const service_tier of ['priority', 'standard', 'constructor', null])
    expect(price({ input_tokens: 1_000_000, service_tier })).toBeCloseTo(4, 10)
})

test("a person's own price replaces the table's from its day on, and no other model's", () => {
  const rates = { input: 7, output: 7, cache_read: 7, cache_write_5m: 7, cache_write_1h: 7 }
  const own = createPricing(withOwnPrices([{ model: 'claude-opus-5-5', from: '2026-11-20', ...rates }]))
  expect(own.price('claude-opus-5-5', million, '2026-11-20T00:00:00.000Z')).toBe(7)
  expect(own.price('claude-opus-5-5', million, '2026-11-19T23:59:59.999Z')).toBe(
    priceUsage('claude-opus-5-5', million, '2026-11-19T23:59:59.999Z'),
  )
  expect(own.price('claude-haiku-5-5', million, AT)).toBe(priceUsage('claude-haiku-5-5', million, AT))
})

test("a person's own price without a date replaces all of the table's, newer ones too", () => {
  const rates = { input: 7, output: 7, cache_read: 7, cache_write_5m: 7, cache_write_1h: 7 }
  const own = createPricing(withOwnPrices([{ model: 'claude-opus-5-5', ...rates }]))
  for (const at of ['2020-01-01', AT, '2030-01-01']) expect(own.price('claude-opus-5-5', million, at)).toBe(7)
})

test("a person's own price from the day of a row of the table replaces that row", () => {
  const rates = { input: 7, output: 7, cache_read: 7, cache_write_5m: 7, cache_write_1h: 7 }
  const from = '2025-01-01'
  const { models } = withOwnPrices([{ model: 'claude-opus-5-5', from, ...rates }])
  expect(models.filter((row) => row.model === 'claude-opus-5-5' && row.from === from)).toMatchObject([{ input: 7 }])
})

test('a response that names no tier pays for the standard one', () => {
  const twice = createPricing({ ...table, service_tier_multipliers: { standard: 2 } })
  expect(twice.price('claude-opus-5-5', million, AT)).toBeCloseTo(8, 10)
})

test('a tier of a model without prices is assumed to cost the list price', () => {
  expect(createPricing().basis('priority', 'no-such-model', AT)).toBe('assumed_list')
})

test('a region other than the US costs nothing more, and writes for an hour are no more than all writes', () => {
  const price = (fields: Partial<PricedUsage>) => priceUsage('claude-opus-5-5', usage(fields), AT)
  expect(price({ input_tokens: 1_000_000, inference_geo: 'global' })).toBe(price({ input_tokens: 1_000_000 }))
  expect(price({ cache_creation_input_tokens: 10, cache_creation_1h_input_tokens: 1_000_000 })).toBe(
    price({ cache_creation_input_tokens: 10, cache_creation_1h_input_tokens: 10 }),
  )
})

test('the parts of a price add up to it, whatever multiplies it', () => {
  const { price, parts } = createPricing()
  const all = usage({
    input_tokens: 1000,
    output_tokens: 2000,
    cache_read_input_tokens: 3000,
    cache_creation_input_tokens: 4000,
    cache_creation_1h_input_tokens: 1500,
    web_search_requests: 2,
    speed: 'fast',
    inference_geo: 'us',
  })
  const sum = Object.values(parts('claude-opus-5-5', all, AT) ?? {}).reduce((total, part) => total + part, 0)
  expect(sum).toBeCloseTo(price('claude-opus-5-5', all, AT) ?? 0, 12)
})

test('the context window is that of the model, of its name and of the betas that the request asks for', () => {
  const { contextWindow } = createPricing()
  const beta = ['claude-code-20250219', 'context-1m-2025-08-07']
  expect(contextWindow('claude-sonnet-4-5-20250929', AT)).toBe(200_000)
  expect(contextWindow('claude-sonnet-4-5-20250929', AT, beta)).toBe(1_000_000)
  expect(contextWindow('claude-sonnet-4-5-20250929[1m]', AT)).toBe(1_000_000)
  expect(contextWindow('claude-opus-5-5', AT)).toBe(1_000_000)
  expect(contextWindow('claude-haiku-4-5-20251001', AT, beta)).toBe(200_000)
  expect(contextWindow('gpt-7', AT)).toBeNull()
})

test('each row and each factor names its source', () => {
  for (const row of table.models) expect(row.source, row.model).toMatch(/2026-11-2[127]/)
  const longContexts = table.models.flatMap((row) => ('long_context' in row ? [row.long_context] : []))
  expect(longContexts.length).toBeGreaterThan(0)
  for (const { source } of longContexts) expect(source).toMatch(/^https:.*20\d\d-\d\d-\d\d/)
  expect(Object.keys(table.sources)).toEqual(
    expect.arrayContaining(Object.keys(table).filter((key) => /usd|multi/.test(key))),
  )
})

test('a row applies from its date on; a model without a price is reported once', () => {
  const row = { fast_multiplier: 1, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 }
  const pricing = createPricing({
    web_search_usd_per_1000: 10,
    inference_geo_us_multiplier: 1.1,
    models: [
      { ...row, model: 'm', from: '2026-03-01', input: 2 },
      { ...row, model: 'm', from: '2026-01-01', input: 1 },
    ],
  })
  const at = (day: string) => pricing.price('m', million, `${day}T00:00:00.000Z`)
  expect([at('2026-02-28'), at('2026-03-01'), at('2026-12-31'), at('2025-12-31')]).toEqual([1, 2, 2, null])
  pricing.price('other', million, AT)
  pricing.price('other', million, AT)
  expect(pricing.unpricedModels()).toEqual(['m', 'other'])
})

test('the sum of costs is the same in any order', () => {
  const costs = Array.from(
    { length: 2000 },
    (_, at) => priceUsage('claude-opus-5-5', usage({ input_tokens: at * 7 + 1, output_tokens: at }), AT) ?? 0,
  )
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
  expect(sum(costs.toReversed())).toBe(sum(costs))
  expect(sum(costs) - sum(costs.slice(1))).toBe(costs[0])
})
