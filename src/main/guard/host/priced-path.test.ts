import { expect, test } from 'vitest'
import { isPriced } from './priced-path.ts'

test.each([
  '/v1/messages',
  '/v1/messages?beta=true',
  '/v1/messages/',
  '/gateway/anthropic/v1/messages?beta=true',
  '/responses',
  '/v1/responses?stream=true',
  '/responses/compact',
])('%s is priced', (path) => {
  expect(isPriced(path)).toBe(true)
})

test.each([
  '/v1/messages/count_tokens?beta=true',
  '/v1/messages/batches',
  '/v1/models?next=/v1/messages',
  '/v1/responses/resp_1/input_items',
  '/v1/threads/1/messages',
  '/api/hello',
])('%s is not', (path) => {
  expect(isPriced(path)).toBe(false)
})
