import { expect, test } from 'vitest'
import type { JsonObject } from '../../shared/event.ts'
import { reportsCache } from './cache-verdict.ts'
import {
  contextTokens,
  countOf,
  fallbackModel,
  mergeUsage,
  omittedParts,
  readUsage,
  samplings,
  totalTokens,
} from './usage.ts'

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
  expect(['5', '0', '1,000', '1,234,567'].map(countOf)).toEqual([5, 0, 1000, 1_234_567])
  const none = [-1, 1e9 + 1, Infinity, NaN, null, undefined, '', '-1', '1,00', '1.5', '1e3', '9999999999', ',100']
  expect(none.map(countOf)).toEqual(none.map(() => null))
})

test('what a relay cached is in the prompt, or it is not known', () => {
  const relay = (usage: JsonObject) => {
    const { input_tokens: input, cache_read_input_tokens: read } = readUsage(usage)
    return [input, read, reportsCache(usage)]
  }
  const zero = { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  expect(relay({ ...zero, input_tokens: '1,000', cache_read_input_tokens: '8,000' })).toEqual([1000, 8000, true])
  expect(relay({ ...zero, input_tokens: 200, prompt_tokens: 1000, cached_tokens: 800 })).toEqual([200, 800, true])
  expect(relay({ ...zero, input_tokens: 1000, prompt_tokens: 1000, cached_tokens: 800 })).toEqual([200, 800, true])
  expect(relay({ ...zero, input_tokens: 1000, cached_tokens: 800 })).toEqual([1000, 0, false])
  expect(relay({ input_tokens: 1000, cached_tokens: 800 })).toEqual([1000, 0, false])
  expect(relay({ ...zero, input_tokens: 1000, cached_tokens: 0 })).toEqual([1000, 0, true])
})

// As Claude Code 2.1.332 merges the usage of message_start and message_delta.
test.each([
  ['a zero replaces no input', { input_tokens: 9 }, { input_tokens: 0 }, { input_tokens: 9 }],
  ['nor a cache read', { cache_read_input_tokens: 7 }, { cache_read_input_tokens: 0 }, { cache_read_input_tokens: 7 }],
  [
    'nor a cache write',
    { cache_creation_input_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 } },
    { cache_creation_input_tokens: 0, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 } },
    { cache_creation_input_tokens: 5, cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 } },
  ],
  [
    'a split with a figure counts as a whole',
    { cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 0 } },
    { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 } },
    { cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 5 } },
  ],
  ['a smaller figure replaces', { input_tokens: 9 }, { input_tokens: 4 }, { input_tokens: 4 }],
  ['nor a zero as a text', { input_tokens: '9' }, { input_tokens: '0' }, { input_tokens: '9' }],
  ['output may end at zero', { output_tokens: 3 }, { output_tokens: 0 }, { output_tokens: 0 }],
  [
    'null is not reported',
    { output_tokens: 3, speed: 'fast' },
    { output_tokens: null, speed: null },
    { output_tokens: 3, speed: 'fast' },
  ],
  ['a zero is a first figure', {}, { input_tokens: 0 }, { input_tokens: 0 }],
] as const)('merge: %s', (_, before, after, merged) => {
  expect(mergeUsage(before, after)).toEqual(merged)
})

const sampled = (type: string, input: number, read: number, output: number, more: JsonObject = {}): JsonObject => ({
  type,
  input_tokens: input,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: 0,
  output_tokens: output,
  ...more,
})

test('an advisor and a compaction are parts that the totals omit; samplings are not', () => {
  const raw = {
    ...sampled('', 5, 300, 30),
    inference_geo: 'us',
    iterations: [
      sampled('message', 2, 100, 10),
      sampled('advisor_message', 800, 0, 50, { model: 'claude-opus-5' }),
      sampled('compaction', 60, 0, 6),
      sampled('message', 3, 200, 20),
      sampled('a kind of tomorrow', 1, 1, 1),
      null,
    ],
  }
  expect(omittedParts(raw)).toMatchObject([
    { at: 1, model: 'claude-opus-5', usage: { input_tokens: 800, output_tokens: 50, inference_geo: 'us' } },
    { at: 2, model: null, usage: { input_tokens: 60 } },
  ])
  const usage = readUsage(raw)
  expect(samplings(usage, raw.iterations).map(contextTokens)).toEqual([102, 203])
  expect(totalTokens(usage)).toBe(335)
})

test.each([
  ['none', []],
  ['one', [sampled('message', 5, 300, 30)]],
  ['some that do not add up', [sampled('message', 5, 300, 30), sampled('message', 5, 300, 30)]],
  ['an empty last one', [sampled('message', 5, 300, 30), sampled('message', 0, 0, 0)]],
  ['no list', 'iterations'],
])('a usage with %s is one sampling', (_, iterations) => {
  const usage = readUsage(sampled('', 5, 300, 30))
  expect(samplings(usage, iterations)).toEqual([usage])
})

test('a fallback names the model that answered', () => {
  const iterations = [sampled('message', 1, 1, 1), sampled('fallback_message', 1, 1, 1, { model: 'claude-opus-4-8' })]
  expect(fallbackModel({ iterations })).toBe('claude-opus-4-8')
  expect(fallbackModel({ iterations: [sampled('message', 1, 1, 1, { model: 'claude-opus-5' })] })).toBeNull()
})

test.each([
  [{ prompt_tokens: 1200 }, 970],
  [{ prompt_tokens: 1200, input_tokens: 0 }, 970],
  [{ prompt_tokens: 1200, input_tokens: 1200 }, 970],
  [{ prompt_tokens: 1200, input_tokens: 970, cache_read_input_tokens: 200, cache_creation_input_tokens: 30 }, 970],
])('what a relay says of a prompt, %j, has its cached tokens in it once', (told, input) => {
  for (const written of ['cached_creation_tokens', 'cache_creation_tokens']) {
    const usage = readUsage({ ...told, prompt_tokens_details: { cached_tokens: 200, [written]: 30 }, output_tokens: 5 })
    expect(usage).toMatchObject({
      input_tokens: input,
      cache_read_input_tokens: 200,
      cache_creation_input_tokens: 30,
      output_tokens: 5,
    })
  }
})

test.each([{ cached_tokens: 200 }, { prompt_cache_hit_tokens: 200, prompt_cache_miss_tokens: 1000 }])(
  'cached tokens beside the prompt are part of it: %j',
  (told) => {
    const usage = readUsage({ ...told, prompt_tokens: 1200, completion_tokens: 5 })
    expect(usage).toMatchObject({ input_tokens: 1000, cache_read_input_tokens: 200, output_tokens: 5 })
  },
)
