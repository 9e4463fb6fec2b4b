import { expect, test } from 'vitest'
import { apiPathOf, modelApiOf } from './api-path.ts'

test.each([
  '/v1/messages',
  '/v1/messages?beta=true',
  '/v1/messages/',
  '/messages',
  '/gateway/anthropic/v1/messages?beta=true',
  '/v1/%6dessages',
  '/v1/%4D%45ssages',
  '/v1/%256dessages',
  '/v1%2fmessages',
  '/v1\\messages',
  '//messages',
  '//v1/messages',
  '/v1//messages//',
  '///v1///messages?x=1',
  '/V1/MESSAGES',
  '/v1/./messages',
  '/v1/x/../messages',
  '/v1/x/%2e%2E/messages',
  '/v1/messages/x/..',
  '/v1/messages/x%2f..',
  '/v1/x%2fy/../messages',
  '/v1//../messages',
  '/../v1/messages',
  '/v1/messages;a=b',
  '/v1;a=b/messages;c?x',
  '/v1/x/..;/messages',
  '/v1/messages%3Fbeta=true',
  '/v1/messages#x/y',
  '/x#/../v1/messages',
])('%s asks the Messages API for an answer', (path) => {
  expect(modelApiOf(path)).toBe('messages')
})

test.each([
  '/responses',
  '/v1/responses?stream=true',
  '/openai/v1/responses',
  '/backend-api/codex/responses',
  '/responses/compact',
  '//responses/',
  '/openai/v1//Responses',
  '/openai//backend-api/codex/%72esponses',
  '/v1/responses/./COMPACT',
])('%s asks the Responses API for an answer', (path) => {
  expect(modelApiOf(path)).toBe('responses')
})

test.each([
  ['/v1/messages/count_tokens?beta=true', 'count_tokens'],
  ['/v1//messages/count%5ftokens/', 'count_tokens'],
  ['/v1/messages/batches', 'batches'],
  ['/V1/messages/batches/msgbatch_01Ab/results', 'batches/msgbatch_01Ab/results'],
  ['/v1/responses/resp_1/input_items', 'resp_1/input_items'],
])('%s belongs to an API, and asks for no answer', (path, below) => {
  expect(apiPathOf(path)?.below).toBe(below)
  expect(modelApiOf(path)).toBe(null)
})

test.each([
  '/v1/models?next=/v1/messages',
  '/v1/%6dodels',
  '/v1/messagesque',
  '/v1/threads/1/messages',
  '/v1/messages/../models',
  '/v1/code/sessions',
  '/v1/x//messages',
  '/v1/%zz/messages',
  '/api/hello',
  '/',
  '//',
  '/%',
  '',
])('%s belongs to no API', (path) => {
  expect(apiPathOf(path)).toBe(null)
})

test('a long path is read in no time', () => {
  expect(apiPathOf(`${'/v1/%25'.repeat(8000)}/x`)).toBe(null)
  expect(apiPathOf(`${'/a/..'.repeat(12_000)}/v1/messages`)).toEqual({ api: 'messages', below: '' })
})
