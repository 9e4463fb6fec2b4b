import { expect, test } from 'vitest'
import { of } from '../../fixtures/drafts.ts'
import { batchRequests, batchResults, isBatchCreation } from './batches.ts'
import { createResponseDecoder } from './response.ts'

const answer = (id: string, text: string) => ({
  custom_id: `ask-${id}`,
  result: {
    type: 'succeeded',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 100, output_tokens: 10 },
    },
  },
})

function decodeAt(path: string, lines: readonly object[]) {
  const open = { exchange: 'e1', wall: 0, at: 0, method: 'GET', path, headers: [] }
  const decoder = createResponseDecoder(open, {
    requestKind: 'infrastructure',
    model: null,
    sessionId: 's1',
    agentId: null,
    project: null,
    tail: [],
    headers: [],
    status: 200,
    responseHeaders: [['content-type', 'application/x-jsonl']],
    responseAt: 1,
    hash: (text) => text,
  })
  decoder.push(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
  return decoder.end('complete', 2, null)
}

test('results of a batch are answers at batch rates, and failures, in the session of the batch', () => {
  const failed = {
    custom_id: 'ask-3',
    result: {
      type: 'errored',
      error: { type: 'error', error: { type: 'invalid_request_error', message: 'too long' } },
    },
  }
  const expired = { custom_id: 'ask-4', result: { type: 'expired' } }
  const drafts = decodeAt('/v1/messages/batches/msgbatch_1/results?beta=true', [
    answer('msg_1', '{"title": "One"}'),
    answer('msg_2', 'Two'),
    failed,
    expired,
  ])
  expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['{"title": "One"}', 'Two'])
  expect(of(drafts, 'api_usage').map(({ payload, keys }) => [keys, payload.usage.service_tier])).toEqual([
    [['usage:msg_1'], 'batch'],
    [['usage:msg_2'], 'batch'],
  ])
  expect(of(drafts, 'error').map(({ payload }) => [payload.type, payload.message])).toEqual([
    ['invalid_request_error', 'too long'],
    ['expired', 'the request was expired'],
  ])
  expect(of(drafts, 'state_change')).toEqual([])
  const ofItems = drafts.filter(({ kind }) => kind !== 'model_response')
  expect(new Set(ofItems.map(({ session_id }) => session_id))).toEqual(new Set(['batch-msgbatch_1']))
})

test('the same lines at another address are not results', () => {
  expect(of(decodeAt('/v1/files/file_1/content', [answer('msg_1', 'One')]), 'api_usage')).toEqual([])
})

test('only a POST of the list creates a batch, and damaged requests in it are left out', () => {
  expect(isBatchCreation('POST', '/v1/messages/batches?beta=true')).toBe(true)
  expect(isBatchCreation('GET', '/v1/messages/batches')).toBe(false)
  expect(isBatchCreation('POST', '/v1/messages/batches/msgbatch_1/cancel')).toBe(false)
  const params = { model: 'm', messages: [] }
  const requests = [{ custom_id: 'a', params }, { custom_id: 7, params }, { custom_id: 'b' }, null, 'x']
  expect(batchRequests({ requests })).toEqual([{ customId: 'a', params }])
  for (const body of [null, [], 'x', {}, { requests: {} }]) expect(batchRequests(body)).toEqual([])
  for (const line of ['', '{', '[]', '{"result":null}', '{"result":{"type":"succeeded","message":{}}}'])
    expect(batchResults(line, 0)).toEqual([])
  const { message } = answer('msg_1', 'One').result
  expect(batchResults(JSON.stringify({ custom_id: 'a', result: { type: 'paused', message } }), 0)).toEqual([])
})
