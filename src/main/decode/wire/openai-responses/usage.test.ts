import { expect, test } from 'vitest'
import { readResponsesUsage } from './usage.ts'

const counts = (raw: Parameters<typeof readResponsesUsage>[0]) => {
  const usage = readResponsesUsage(raw)
  return [
    usage.input_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    usage.output_tokens,
    usage.thinking_tokens,
  ]
}

test('cached and newly cached tokens are part of the input, and are taken out of it', () => {
  const raw = {
    input_tokens: 1000,
    input_tokens_details: { cached_tokens: 600, cache_write_tokens: 100 },
    output_tokens: 50,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 1050,
  }
  expect(counts(raw)).toEqual([300, 600, 100, 50, 20])
})

test('a rollout names the same counts differently', () => {
  const raw = {
    input_tokens: 1000,
    cached_input_tokens: 600,
    cache_write_input_tokens: 100,
    output_tokens: 50,
    reasoning_output_tokens: 20,
  }
  expect(counts(raw)).toEqual([300, 600, 100, 50, 20])
})

test('damaged counts never make a negative one', () => {
  expect(counts({ input_tokens: 10, input_tokens_details: { cached_tokens: 600, cache_write_tokens: 7 } })).toEqual([
    0,
    10,
    0,
    0,
    null,
  ])
  expect(counts({ input_tokens: -5, output_tokens: '7 or so', input_tokens_details: null })).toEqual([0, 0, 0, 0, null])
})

test('the default tier is the standard one', () => {
  const tiers = ['default', 'auto', 'flex', 'priority', '', null, 7].map(
    (serviceTier) => readResponsesUsage({}, { serviceTier }).service_tier,
  )
  expect(tiers).toEqual(['standard', 'standard', 'flex', 'priority', null, null, null])
})
