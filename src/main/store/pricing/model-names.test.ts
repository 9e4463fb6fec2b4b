import { expect, test } from 'vitest'
import { modelNames } from '../../decode/wire/model-names.ts'
import { createPricing, type PricedUsage } from './pricing.ts'

const AT = '2026-11-21T10:00:00.000Z'
const MILLION: PricedUsage = {
  input_tokens: 1_000_000,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
}
const { price, contextWindow } = createPricing()
const inputPrice = (model: string) => price(model, MILLION, AT)

test.each([
  ['claude-haiku-4-5-20251001', 1],
  ['claude-sonnet-5-5[1m]', 2],
  ['claude-sonnet-4-5-20250929[1m]', 3],
  ['claude-opus-5', 5],
  ['claude-opus-4-20250514', 15],
  ['claude-3-7-sonnet-20250219', 3],
  // Bedrock: regions, revisions, ARNs of inference profiles.
  ['us.anthropic.claude-opus-4-6-v1', 5],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
  ['apac.anthropic.claude-3-5-sonnet-20241022-v2:0', 3],
  ['us-gov.anthropic.claude-3-haiku-20240307-v1:0:48k', 0.25],
  ['arn:aws:bedrock:eu-west-1:123456789012:inference-profile/global.anthropic.claude-opus-4-5-20251101-v1:0', 5],
  ['arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-v2:1', 8],
  ['anthropic.claude-v2:1:200k', 8],
  ['anthropic.claude-instant-v1', 0.8],
  // Vertex.
  ['claude-opus-4-1@20250805', 15],
  ['claude-3-5-sonnet-v2@20241022', 3],
  ['claude-sonnet-4-6@default', 3],
  // OpenRouter, LiteLLM, Databricks, Copilot.
  ['anthropic/claude-3.7-sonnet:thinking', 3],
  ['anthropic/claude-opus-4.8', 5],
  ['openrouter/anthropic/claude-sonnet-4.5:beta', 3],
  ['bedrock/converse/us.anthropic.claude-haiku-4-5-20251001-v1:0', 1],
  ['vertex_ai/claude-opus-4@20250514', 15],
  ['databricks-claude-opus-4-6', 5],
  ['Claude-Sonnet-4.5', 3],
  ['openai/gpt-5.1:nitro', 1.25],
  ['azure/gpt-5.1-2025-11-13', 1.25],
  // Older names.
  ['claude-3-5-haiku-latest', 0.8],
  ['claude-opus-4-5-20251101-thinking', 5],
  ['claude-3-7-sonnet-latest-thinking', 3],
  ['claude-3-opus-20240229', 15],
  ['claude-4-opus-20250514', 15],
  ['claude-2.1', 8],
  ['claude-instant-1.2', 0.8],
])('%s is found under its name', (model, cost) => {
  expect(inputPrice(model)).toBeCloseTo(cost, 10)
})

const MODELS = ['opus-5-5', 'opus-5', 'opus-4-6', 'sonnet-4-5', 'haiku-4-5', 'fable-5-1', 'sonnet-4-0', 'haiku-3-5']
const HOSTS = ['', 'us.anthropic.', 'global.anthropic.', 'anthropic/', 'vertex_ai/', 'bedrock/invoke/jp.anthropic.']
const RELEASES = ['', '-20251101', '@20251101', '-20251101-v1:0', '-v1:0', '-latest', ':beta', '-2025-11-01']

test('each model has one price and one window under every host, spelling and release', () => {
  for (const model of MODELS) {
    const [family, major, minor] = model.split('-')
    const version = minor === undefined ? [major] : [`${major}-${minor}`, `${major}.${minor}`]
    const names = version.flatMap((number) => [`claude-${family}-${number}`, `claude-${number}-${family}`])
    for (const name of names)
      for (const host of HOSTS)
        for (const release of RELEASES)
          for (const window of ['', '[1m]']) {
            const spelled = `${host}${name}${release}${window}`
            expect(inputPrice(spelled), spelled).toBe(inputPrice(`claude-${model}`))
            expect(contextWindow(spelled, AT), spelled).toBe(contextWindow(`claude-${model}${window}`, AT))
            expect(modelNames(spelled).at(-1), spelled).toBe(modelNames(`claude-${model}`).at(-1))
          }
  }
})

test.each([
  'claude-opus-5-6',
  'claude-opus-6',
  'claude-haiku',
  'claude-opus-5-5-preview',
  'anthropic/claude-opus-4.9',
  'claude-4.6-opus-distill-7b',
  'us.anthropic.claude-opus-5-50',
  'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6',
  'arn:aws:bedrock:us-east-1:123456789012:provisioned-model/claude',
  'moonshotai/kimi-k2',
  'glm-4.6',
  'my-deployment',
  'claude-v3',
  '<synthetic>',
  'gpt-7',
  'openai/gpt-6.2-sol',
  '',
  '/',
  '__proto__',
])('%s is not in the table, and its price is never guessed', (model) => {
  expect(inputPrice(model)).toBeNull()
})

test('a model name falls back to its other forms, never to another version', () => {
  expect(modelNames('claude-opus-5-5-20260301[1m]')).toEqual([
    'claude-opus-5-5-20260301[1m]',
    'claude-opus-5-5-20260301',
    'claude-opus-5-5',
  ])
})
