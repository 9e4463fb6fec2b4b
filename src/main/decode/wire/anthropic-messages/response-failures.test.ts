import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExchangeOutcome, RawHeaders } from '../../../proxy/protocol/tap-protocol.ts'
import type { JsonObject } from '../../../../shared/event.ts'
import type { AnyDraft } from '../../draft.ts'
import { of } from '../../fixtures/drafts.ts'
import { decode, event, rich, started, STREAM, text } from '../../fixtures/streams.ts'

describe('failures', () => {
  test('a stream that just ends was cut upstream', () => {
    const drafts = decode([
      started() +
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } }),
    ])
    expect(of(drafts, 'assistant_text')[0]?.payload.text).toBe('Half')
    expect(of(drafts, 'model_response')[0]?.payload.cut_by).toBe('upstream')
    expect(of(drafts, 'error')[0]?.payload.origin).toBe('connection')
    expect(of(drafts, 'turn_ended')).toEqual([])
  })

  test('an error event in mid-stream is an error, and what came before it stays', () => {
    const drafts = decode([
      started() +
        text(0, 'Half') +
        event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ])
    expect(of(drafts, 'error').map(({ payload }) => [payload.origin, payload.type, payload.message])).toEqual([
      ['stream', 'overloaded_error', 'Overloaded'],
    ])
    expect(of(drafts, 'assistant_text')).toHaveLength(1)
  })

  test.each<[string, string, string | null, string]>([
    ['without a name', 'data: {"error":{"code":529,"message":"Busy"}}', null, 'Busy'],
    ['in a word', 'data: {"error":"No quota"}\n\ndata: [DONE]', null, 'No quota'],
    ['in plain text', 'event: error\ndata: timed out', null, 'timed out'],
    ['without a type', 'event: error\ndata: {"error":{"type":"api_error","message":"Odd"}}', 'api_error', 'Odd'],
  ])('an error event %s is an error', (_, stream, type, message) => {
    const drafts = decode([`${stream}\n\n`])
    expect(of(drafts, 'error').map(({ payload }) => [payload.origin, payload.type, payload.message])).toEqual([
      ['stream', type, message],
    ])
    expect(of(drafts, 'unknown')).toEqual([])
  })

  test('an error event under the status of an error is one error', () => {
    const stream = event({ type: 'error', error: { type: 'api_error', message: 'Odd' } })
    const errors = of(decode([stream], { context: { status: 500 } }), 'error')
    expect(errors.map(({ payload }) => [payload.status, payload.message])).toEqual([[500, 'Odd']])
  })

  test('an error answer keeps its body and when to come back', () => {
    const body = { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } }
    const headers: RawHeaders = [
      ['content-type', 'application/json'],
      ['retry-after', '7'],
      ['request-id', 'req_9'],
      ['anthropic-ratelimit-unified-5h-utilization', '0.93'],
      ['Anthropic-RateLimit-Requests-Limit', '50'],
      ['anthropic-ratelimit-unified-status', 'rejected'],
    ]
    const drafts = decode([JSON.stringify(body)], { headers, context: { status: 429 } })
    expect(of(drafts, 'error')[0]).toMatchObject({
      request_id: 'req_9',
      error_message: 'Slow down',
      keys: ['exchange:e1:error', 'failure:req_9'],
      payload: { origin: 'upstream', type: 'rate_limit_error', status: 429, retry_after_s: 7, body },
    })
    expect(of(drafts, 'rate_limit')[0]?.payload.limits).toEqual({
      'unified-5h-utilization': 0.93,
      'requests-limit': 50,
      'unified-status': 'rejected',
    })
  })

  test('a 200 response whose body is not an answer is an error, not a success', () => {
    const json: RawHeaders = [['content-type', 'application/json']]
    for (const [body, headers, message] of [
      ['{"type":"error","error":{"type":"api_error","message":"Odd."}}', json, 'Odd.'],
      [
        '<!doctype html><title>Sign in to the network</title>',
        [['content-type', 'text/html']],
        'Sign in to the network',
      ],
      ['', json, 'upstream answered 200 without a message'],
    ] as const) {
      const drafts = decode([body], { headers })
      expect(of(drafts, 'error')[0]).toMatchObject({ payload: { origin: 'upstream', message, status: 200 } })
      expect(of(drafts, 'model_response')[0]?.success).toBe(false)
    }
    const count = decode(['{"input_tokens":5}'], { headers: json, context: { requestKind: 'infrastructure' } })
    expect(of(count, 'error')).toEqual([])
  })

  test('an untranslated answer of the chat API is an error whose usage counts', () => {
    const chat = { id: 'chatcmpl-1', object: 'chat.completion', model: 'gpt-x' }
    const usage = { prompt_tokens: 90, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 40 } }
    const piece = (data: JsonObject) =>
      `data: ${JSON.stringify({ ...chat, object: 'chat.completion.chunk', ...data })}\n\n`
    for (const [body, headers] of [
      [
        JSON.stringify({ ...chat, choices: [{ message: { role: 'assistant', content: 'Done.' } }], usage }),
        [['content-type', 'application/json']],
      ],
      [
        `${piece({ choices: [{ delta: { role: 'assistant', content: 'Do' } }] })}${piece({
          choices: [{ delta: { content: 'ne.' }, finish_reason: 'stop' }],
        })}${piece({ choices: [], usage })}data: [DONE]\n\n`,
        STREAM,
      ],
    ] as const) {
      const drafts = decode([body], { headers })
      expect(of(drafts, 'api_usage').map(({ payload }) => payload)).toMatchObject([
        {
          message_id: 'chatcmpl-1',
          model: 'gpt-x',
          basis: 'measured',
          usage: { input_tokens: 50, output_tokens: 7, cache_read_input_tokens: 40 },
        },
      ])
      expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['Done.'])
      expect(of(drafts, 'error')).toHaveLength(1)
      expect([...of(drafts, 'unknown'), ...of(drafts, 'turn_ended')]).toEqual([])
    }
  })

  test('a stream under another content type, or none, is read all the same', () => {
    for (const headers of [[], [['content-type', 'text/plain']]] as const) {
      const drafts = decode([`\ufeff${rich.slice(rich.indexOf('event:'))}`], { headers })
      const names = (list: readonly AnyDraft[]) => list.map(({ kind }) => kind)
      expect(names(drafts)).toEqual(names(decode([rich])))
      expect(of(drafts, 'model_response')[0]?.payload.streamed).toBe(true)
    }
  })

  test('an error page that is not JSON, an upstream that never answered', () => {
    const page = decode(['<html><style>b { top: 0 }</style><h1>Bad</h1> gateway</html>'], {
      headers: [['content-type', 'text/html']],
      context: { status: 502 },
    })
    expect(of(page, 'error')[0]?.payload).toMatchObject({
      origin: 'upstream',
      message: 'Bad gateway',
      status: 502,
    })
    const silent = decode([], {
      headers: [],
      context: { status: null, responseAt: null },
      outcome: 'upstream_unreachable',
      error: 'connect ECONNREFUSED',
    })
    expect(of(silent, 'error')[0]?.payload).toMatchObject({
      origin: 'connection',
      message: 'connect ECONNREFUSED',
      status: null,
    })
    expect(of(silent, 'model_response')[0]).toMatchObject({
      success: false,
      payload: { status: 0, cut_by: 'upstream' },
    })
  })
})

describe('whatever comes', () => {
  test('a line of garbage costs no other line', () => {
    const lines = rich.split('\n\n').filter((line) => line !== '')
    const expected = decode([rich])
    fc.assert(
      fc.property(fc.nat(lines.length), fc.string({ maxLength: 60 }), (at, garbage) => {
        const noise = garbage.replace(/[\r\n]/g, ' ')
        const stream =
          [...lines.slice(0, at), `data: {"${noise.replaceAll('"', '')}`, ...lines.slice(at)].join('\n\n') + '\n\n'
        const drafts = decode([stream])
        const known = drafts
          .filter(({ kind }) => kind !== 'unknown')
          .map(({ payload }) => ({ ...payload, body_bytes: 0 }))
        expect(known).toEqual(expected.map(({ payload }) => ({ ...payload, body_bytes: 0 })))
        expect(of(drafts, 'unknown')).toHaveLength(1)
      }),
      { numRuns: 200 },
    )
  })

  test('cut, repeated, swapped or damaged streams never throw and always say how they ended', () => {
    const bytes = Buffer.from(rich)
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            how: fc.constantFrom('flip', 'cut', 'repeat', 'drop'),
            at: fc.nat(bytes.length - 1),
            n: fc.integer({ min: 1, max: 200 }),
          }),
          { minLength: 1, maxLength: 4 },
        ),
        fc.constantFrom<ExchangeOutcome>('complete', 'client_aborted', 'upstream_aborted'),
        (changes, outcome) => {
          let stream = bytes
          for (const { how, at, n } of changes) {
            const [head, rest] = [stream.subarray(0, at), stream.subarray(at)]
            if (how === 'flip')
              stream = Buffer.concat([
                head,
                Buffer.from(rest.subarray(0, n)).map((byte) => byte ^ (n & 0xff)),
                rest.subarray(n),
              ])
            if (how === 'cut') stream = Buffer.from(head)
            if (how === 'repeat') stream = Buffer.concat([head, rest.subarray(0, n), rest])
            if (how === 'drop') stream = Buffer.concat([head, rest.subarray(n)])
          }
          const drafts = decode([stream], { outcome })
          expect(of(drafts, 'model_response')).toHaveLength(1)
          expect(JSON.stringify(drafts).isWellFormed()).toBe(true)
        },
      ),
      { numRuns: 600 },
    )
  })

  test('any JSON in place of an event', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(
              'message_start',
              'content_block_start',
              'content_block_delta',
              'content_block_stop',
              'message_delta',
              'error',
              'x',
            ),
            fc.jsonValue(),
          ),
        ),
        (events) => {
          const stream = events
            .map(
              ([type, value]) =>
                `data: ${JSON.stringify(typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value, type } : value)}\n\n`,
            )
            .join('')
          expect(of(decode([stream]), 'model_response')).toHaveLength(1)
        },
      ),
      { numRuns: 300 },
    )
  })
})

const EVENT_STREAM = { headers: [['content-type', 'text/event-stream; charset=utf-8']] as [string, string][] }
const REFUSED = { type: 'error', error: { type: 'overloaded_error', message: 'No room: try later.' } }

test.each([
  ['in one line', [JSON.stringify(REFUSED)]],
  ['over several lines', [JSON.stringify(REFUSED, null, 2)]],
  ['byte by byte', [...`\n${JSON.stringify(REFUSED)}\n`]],
])('a JSON error under 200 and the content type of a stream keeps its words, %s', (_, chunks) => {
  const drafts = decode(chunks, EVENT_STREAM)
  expect(of(drafts, 'error')).toMatchObject([
    { payload: { origin: 'upstream', type: 'overloaded_error', message: 'No room: try later.', status: 200 } },
  ])
  expect(of(drafts, 'unknown')).toEqual([])
})

test('so do a page and a whole message', () => {
  const page = of(decode(['<html><body>Log in: to continue</body></html>'], EVENT_STREAM), 'error')
  expect(page[0]?.payload.message).toContain('Log in: to continue')
  const message = { id: 'msg_1', type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }
  const drafts = decode([JSON.stringify(message)], EVENT_STREAM)
  expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['Hi'])
  expect(of(drafts, 'error')).toEqual([])
})

test.each([': ping\n\n', 'id: 1\n', '', '\n'])('a stream of %j that never says more was cut', (text) => {
  expect(of(decode([text], EVENT_STREAM), 'error')).toMatchObject([{ payload: { origin: 'connection' } }])
})
