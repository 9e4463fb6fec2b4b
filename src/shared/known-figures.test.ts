import { expect, test } from 'vitest'
import { knownCost, knownTokens } from './known-figures.ts'

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
