import { expect, test } from 'vitest'
import type { AnyDraft } from '../../draft.ts'
import { plainHash } from '../../fixtures/replay.ts'
import { createResponseDecoder } from './response.ts'

const STREAM = 'text/event-stream; charset=utf-8'

function decode(chunks: readonly string[], contentType = STREAM): readonly AnyDraft[] {
  const exchange = {
    exchange: 'e1',
    method: 'POST',
    path: '/v1/responses',
    headers: [],
    wall: 1_790_000_000_000,
    at: 5,
  }
  const decoder = createResponseDecoder(exchange, {
    requestKind: 'prompt',
    model: 'gpt-6.1-sol',
    sessionId: 's1',
    agentId: null,
    project: null,
    account: null,
    tail: [],
    headers: [],
    status: 200,
    responseHeaders: [['content-type', contentType]],
    responseAt: 6,
    hash: plainHash,
  })
  return [...chunks.flatMap((chunk) => (decoder.push(Buffer.from(chunk), 7), [])), ...decoder.end('complete', 9, null)]
}

const errorsIn = (drafts: readonly AnyDraft[]) =>
  drafts.flatMap((draft) => (draft.kind === 'error' ? [draft.payload] : []))
const textsIn = (drafts: readonly AnyDraft[]) =>
  drafts.flatMap((draft) => (draft.kind === 'assistant_text' ? [draft.payload.text] : []))

const REFUSED = { error: { type: 'server_is_overloaded', message: 'No room: try later.' } }
const ITEM = { type: 'message', role: 'assistant', id: 'm1', content: [{ type: 'output_text', text: 'Hi' }] }
const RESPONSE = { id: 'resp_1', object: 'response', status: 'completed', output: [ITEM] }
const EVENT = `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: RESPONSE })}\n\n`

test.each([
  ['in one line', [JSON.stringify(REFUSED)]],
  ['over several lines', [JSON.stringify(REFUSED, null, 2)]],
  ['byte by byte', [...`\n${JSON.stringify(REFUSED)}\n`]],
])('a JSON error under 200 and the content type of a stream keeps its words, %s', (_, chunks) => {
  const drafts = decode(chunks)
  expect(errorsIn(drafts)).toMatchObject([
    { origin: 'upstream', type: 'server_is_overloaded', message: 'No room: try later.', status: 200 },
  ])
  expect(drafts.filter(({ kind }) => kind === 'unknown')).toEqual([])
})

test('so do the error of the ChatGPT backend, a page and a whole response', () => {
  expect(errorsIn(decode([JSON.stringify({ detail: 'No plan: sign in.' })]))[0]?.message).toBe('No plan: sign in.')
  expect(errorsIn(decode(['<html><body>Log in: to continue</body></html>']))[0]?.message).toContain(
    'Log in: to continue',
  )
  const whole = decode([JSON.stringify(RESPONSE)])
  expect(textsIn(whole)).toEqual(['Hi'])
  expect(errorsIn(whole)).toEqual([])
})

test.each([STREAM, 'application/json'])('a stream under %s is one, wherever it is cut', (contentType) => {
  for (const chunks of [[EVENT], [...EVENT], [': ping\n\n', EVENT.slice(0, 30), EVENT.slice(30)]]) {
    const drafts = decode(contentType === STREAM ? chunks : [EVENT], contentType)
    expect(errorsIn(drafts)).toEqual([])
    expect(drafts.flatMap((draft) => (draft.kind === 'turn_ended' ? [draft.payload.reason] : []))).toHaveLength(1)
  }
})

test.each([': ping\n\n', 'id: 1\n', '', '\n'])('a stream of %j that never says more was cut', (text) => {
  expect(errorsIn(decode([text]))).toMatchObject([{ origin: 'connection' }])
})
