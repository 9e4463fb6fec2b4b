import { expect, test } from 'vitest'
import { of } from '../../fixtures/drafts.ts'
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

test('results of a batch are answers at batch rates; failed ones are left out', () => {
  const failed = { custom_id: 'ask-3', result: { type: 'errored', error: { type: 'invalid_request' } } }
  const drafts = decodeAt('/v1/messages/batches/msgbatch_1/results?beta=true', [
    answer('msg_1', '{"title": "One"}'),
    answer('msg_2', 'Two'),
    failed,
  ])
  expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['{"title": "One"}', 'Two'])
  expect(of(drafts, 'api_usage').map(({ payload, keys }) => [keys, payload.usage.service_tier])).toEqual([
    [['usage:msg_1'], 'batch'],
    [['usage:msg_2'], 'batch'],
  ])
  for (const kind of ['state_change', 'turn_ended', 'error'] as const) expect(of(drafts, kind), kind).toEqual([])
})

test('the same lines at another address are not results', () => {
  expect(of(decodeAt('/v1/files/file_1/content', [answer('msg_1', 'One')]), 'api_usage')).toEqual([])
})
