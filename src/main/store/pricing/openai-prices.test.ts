import { expect, test } from 'vitest'
import { createPricing, type PricedUsage } from './pricing.ts'

// Published prices, entered by hand, so that the expectations do not depend on the table.
const { price, basis, contextWindow } = createPricing()
const AT = '2026-11-22T10:00:00.000Z'
const usage = (more: Partial<PricedUsage>): PricedUsage => ({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
  ...more,
})
const close = (actual: number | null, expected: number) =>
  expect(Math.abs((actual ?? Number.NaN) - expected)).toBeLessThan(1e-9)

const CALL = usage({
  input_tokens: 300,
  output_tokens: 50,
  cache_read_input_tokens: 600,
  cache_creation_input_tokens: 100,
})

test('a cache write costs 1.25 times the input, a read a tenth', () => {
  // 300 × 4 + 50 × 20 + 600 × 0.4 + 100 × 5
  close(price('gpt-5.6-sol', CALL, AT), (1200 + 1000 + 240 + 500) / 1e6)
  // 300 × 2 + 50 × 10 + 600 × 0.2 + 100 × 2.5
  close(price('gpt-6-sol', CALL, AT), (600 + 500 + 120 + 250) / 1e6)
})

test('a price holds from its day on', () => {
  close(price('gpt-5.6-sol', usage({ output_tokens: 1000 }), '2026-08-20T23:59:59.999Z'), 0.03)
  close(price('gpt-5.6-sol', usage({ output_tokens: 1000 }), '2026-08-21T00:00:00.000Z'), 0.02)
  close(price('gpt-5.6-luna', usage({ output_tokens: 1000 }), '2026-07-29T10:00:00.000Z'), 0.006)
  close(price('gpt-5.6-luna', usage({ output_tokens: 1000 }), '2026-07-30T10:00:00.000Z'), 0.0012)
})

test('a long prompt costs double, and its answer half more, for the whole request', () => {
  const prompt = (tokens: number) =>
    usage({ input_tokens: tokens - 200_000, cache_read_input_tokens: 200_000, output_tokens: 1000 })
  // GPT-5.6: from exactly 272,000; GPT-6: above it.
  close(price('gpt-5.6-terra', prompt(271_999), AT), (71_999 * 2 + 200_000 * 0.2 + 1000 * 12) / 1e6)
  close(price('gpt-5.6-terra', prompt(272_000), AT), (72_000 * 4 + 200_000 * 0.4 + 1000 * 18) / 1e6)
  close(price('gpt-6-sol', prompt(272_000), AT), (72_000 * 2 + 200_000 * 0.2 + 1000 * 10) / 1e6)
  close(price('gpt-6-sol', prompt(272_001), AT), (72_001 * 4 + 200_000 * 0.4 + 1000 * 15) / 1e6)
})

test('flex costs half, priority a published multiple or, without one, an assumed list price', () => {
  const input = (service_tier: string) => usage({ input_tokens: 100_000, service_tier })
  close(price('gpt-6-sol', input('flex'), AT), 0.1)
  close(price('gpt-5.4', input('priority'), AT), 0.5)
  close(price('gpt-5.5', input('priority'), AT), 1.25)
  close(price('gpt-6-sol', input('priority'), AT), 0.2)
  const bases = [
    ['gpt-6-sol', 'flex'],
    ['gpt-5.4', 'priority'],
    ['gpt-6-sol', 'priority'],
    ['gpt-6-sol', 'standard'],
    ['gpt-6-sol', 'batch'],
    ['claude-opus-5-5', 'flex'],
  ] as const
  expect(bases.map(([model, tier]) => basis(tier, model, AT))).toEqual([
    'tier',
    'tier',
    'assumed_list',
    'list',
    'batch',
    'assumed_list',
  ])
})

test('a model with a date has the price of its name; no other name has one', () => {
  expect(price('gpt-5.6-sol-2026-07-09', CALL, AT)).toBe(price('gpt-5.6-sol', CALL, AT))
  expect(contextWindow('gpt-6-sol', AT)).toBe(1_050_000)
  for (const model of ['gpt-6', 'gpt-5.6-nova', 'gpt-6-sol-9', 'o9']) expect(price(model, CALL, AT)).toBeNull()
})
