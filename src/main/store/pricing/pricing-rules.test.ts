import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import table from '../../../../resources/prices.json' with { type: 'json' }
import { createPricing, type PricedUsage } from './pricing.ts'

const { price: priceUsage } = createPricing()

// Checks the rules for every model of the table with random usage, without the formula that the app uses.

const AT = '2026-11-21T10:00:00.000Z'
const NOTHING: PricedUsage = {
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
const price = (model: string, usage: Partial<PricedUsage>): number => {
  const cost = priceUsage(model, { ...NOTHING, ...usage }, AT)
  if (cost === null) throw new Error(`${model} has no price`)
  return cost
}
const close = (a: number, b: number): void => expect(Math.abs(a - b)).toBeLessThan(1e-9)

/** The row that holds today: the newest of its model. */
const newest = table.models.filter(
  ({ model, from }) => !table.models.some((other) => other.model === model && other.from > from),
)
const row = fc.constantFrom(...newest)
const tokens = fc.nat(400_000)
const amounts = fc.record({
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_input_tokens: tokens,
  cache_creation_input_tokens: tokens,
})
const thresholdOf = (model: (typeof table.models)[number]): number =>
  'above_prompt_tokens' in model ? model.above_prompt_tokens.threshold : Infinity

test('the price table lists more than 20 models', () => {
  expect(table.models.length).toBeGreaterThan(20)
})

test('one kind of token alone costs its rate, whatever the model', () => {
  fc.assert(
    fc.property(row, fc.nat(90_000), (model, n) => {
      close(price(model.model, { input_tokens: n }), (n * model.input) / 1e6)
      close(price(model.model, { output_tokens: n }), (n * model.output) / 1e6)
      close(price(model.model, { cache_read_input_tokens: n }), (n * model.cache_read) / 1e6)
      close(price(model.model, { cache_creation_input_tokens: n }), (n * model.cache_write_5m) / 1e6)
      const hour = { cache_creation_input_tokens: n, cache_creation_1h_input_tokens: n }
      close(price(model.model, hour), (n * model.cache_write_1h) / 1e6)
    }),
    { numRuns: 500 },
  )
})

test('token kinds add up; above a threshold, all of them cost the higher rates', () => {
  fc.assert(
    fc.property(row, amounts, (model, usage) => {
      const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
      const isAbove = prompt > thresholdOf(model)
      const rates = isAbove && 'above_prompt_tokens' in model ? model.above_prompt_tokens : model
      const parts = [
        usage.input_tokens * rates.input,
        usage.output_tokens * rates.output,
        usage.cache_read_input_tokens * rates.cache_read,
        usage.cache_creation_input_tokens * rates.cache_write_5m,
      ]
      close(
        price(model.model, usage),
        parts.reduce((sum, part) => sum + part / 1e6, 0),
      )
    }),
    { numRuns: 500 },
  )
})

test('only the part of cache writes kept for an hour costs more', () => {
  fc.assert(
    fc.property(row, fc.nat(90_000), fc.double({ min: 0, max: 1, noNaN: true }), (model, n, share) => {
      const hour = Math.floor(n * share)
      const mixed = price(model.model, { cache_creation_input_tokens: n, cache_creation_1h_input_tokens: hour })
      const apart =
        price(model.model, { cache_creation_input_tokens: n - hour }) +
        price(model.model, { cache_creation_input_tokens: hour, cache_creation_1h_input_tokens: hour })
      close(mixed, apart)
    }),
    { numRuns: 300 },
  )
})

test('fast mode and the region multiply tokens, never searches', () => {
  fc.assert(
    fc.property(row, amounts, fc.nat(50), (model, usage, searches) => {
      const plain = price(model.model, usage)
      const found = { ...usage, web_search_requests: searches }
      close(price(model.model, found), plain + searches * 0.01)
      close(price(model.model, { ...found, speed: 'fast' }), plain * model.fast_multiplier + searches * 0.01)
      close(price(model.model, { ...found, inference_geo: 'us' }), plain * 1.1 + searches * 0.01)
      const both = { ...found, speed: 'fast', inference_geo: 'us' }
      close(price(model.model, both), plain * model.fast_multiplier * 1.1 + searches * 0.01)
    }),
    { numRuns: 300 },
  )
})

test('the sum of costs is the same in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(row, amounts), { minLength: 2, maxLength: 50 }), (calls) => {
      const costs = calls.map(([model, usage]) => price(model.model, usage))
      const sum = (list: readonly number[]) => list.reduce((total, cost) => total + cost, 0)
      expect(sum(costs.toReversed())).toBe(sum(costs))
      expect(sum(costs.toSorted((a, b) => a - b))).toBe(sum(costs))
    }),
    { numRuns: 200 },
  )
})

test("a relay's free variant of a model costs nothing, whoever made the model", () => {
  for (const model of ['anthropic/claude-sonnet-4.5:free', 'deepseek/deepseek-r1:free', 'openai/gpt-5.1:free'])
    expect(price(model, { input_tokens: 1e6, output_tokens: 1e6 })).toBe(0)
  expect(price('anthropic/claude-sonnet-4.5:beta', { input_tokens: 1e6 })).toBeGreaterThan(0)
})
