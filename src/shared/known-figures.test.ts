import { expect, test } from 'vitest'
import { countedFigure, isNotCaptured, knownCost, knownTokens } from './known-figures.ts'

test.each([
  ['no usage was reported', 0, 0, 0, null, null],
  ['no call has a price', 8390, 0, 2, null, 8390],
  ['one call has no price', 8390, 0.2, 1, 0.2, 8390],
  ['all calls have a price', 8390, 0.2, 0, 0.2, 8390],
  ['a model that costs nothing', 8390, 0, 0, 0, 8390],
] as const)('%s', (_, total_tokens, total_cost_usd, unpriced_calls, cost, tokens) => {
  const session = { total_tokens, total_cost_usd, unpriced_calls }
  expect([knownCost(session), knownTokens(session)]).toEqual([cost, tokens])
})

test('a figure that an import has not counted yet is unknown, not zero', () => {
  const session = { tool_calls: 0, active_ms: 1200 }
  expect([countedFigure(session, 'tool_calls'), countedFigure(session, 'active_ms')]).toEqual([0, 1200])
  const importing = { ...session, preview: true } as const
  expect([countedFigure(importing, 'tool_calls'), countedFigure(importing, 'active_ms')]).toEqual([null, 1200])
})

test('a session with prompts and no sign of a request was not captured', () => {
  const sums = { total_tokens: 0, total_cost_usd: 0, unpriced_calls: 0 }
  const byHooks = { ...sums, prompts: 1, api_errors: 0, model: null, client_version: null }
  expect(isNotCaptured(byHooks)).toBe(true)
  const others = [{ prompts: 0 }, { api_errors: 1 }, { model: 'claude-opus-5-5' }, { client_version: '2.1.330' }]
  expect(others.map((more) => isNotCaptured({ ...byHooks, ...more }))).toEqual([false, false, false, false])
})
