import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../../shared/event.ts'
import type { ExchangeOutcome, RawHeaders } from '../../proxy/tap-protocol.ts'
import type { AnyDraft } from '../draft.ts'
import { createResponseDecoder, type ResponseContext } from './response.ts'

const exchange = {
  exchange: 'e1',
  method: 'POST',
  path: '/v1/messages',
  headers: [],
  wall: 1_790_000_000_000,
  at: 1000,
}
const event = (data: JsonObject) => `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`
const started = (usage: Json = { input_tokens: 10, output_tokens: 1 }) =>
  event({ type: 'message_start', message: { id: 'msg_1', model: 'claude-x', role: 'assistant', content: [], usage } })
const ended = (reason: string, usage: Json = { output_tokens: 7 }) =>
  event({ type: 'message_delta', delta: { stop_reason: reason }, usage }) + event({ type: 'message_stop' })
const block = (index: number, content: JsonObject, ...deltas: JsonObject[]) =>
  event({ type: 'content_block_start', index, content_block: content }) +
  deltas.map((delta) => event({ type: 'content_block_delta', index, delta })).join('') +
  event({ type: 'content_block_stop', index })
const text = (index: number, ...pieces: string[]) =>
  block(index, { type: 'text', text: '' }, ...pieces.map((piece) => ({ type: 'text_delta', text: piece })))

interface Setting {
  readonly context?: Partial<ResponseContext>
  readonly headers?: RawHeaders
  readonly outcome?: ExchangeOutcome
  readonly error?: string | null
}
const STREAM: RawHeaders = [['Content-Type', 'text/event-stream; charset=utf-8']]

function decoderFor({ context = {}, headers = STREAM }: Setting) {
  return createResponseDecoder(exchange, {
    requestKind: 'prompt',
    model: 'asked-for',
    sessionId: 's1',
    agentId: null,
    project: '/home/user/project',
    tail: ['result:t0'],
    headers: [],
    status: 200,
    responseHeaders: headers,
    responseAt: 1100,
    hash: (value) => `hash of ${value.length}`,
    ...context,
  })
}

function decode(pieces: readonly (string | Uint8Array)[], setting: Setting = {}): AnyDraft[] {
  const decoder = decoderFor(setting)
  for (const piece of pieces) decoder.push(typeof piece === 'string' ? Buffer.from(piece) : piece, 1200)
  return decoder.end(setting.outcome ?? 'complete', 2000, setting.error ?? null)
}
const of = <K extends AnyDraft['kind']>(drafts: readonly AnyDraft[], kind: K) =>
  drafts.filter((draft): draft is Extract<AnyDraft, { kind: K }> => draft.kind === kind)

const rich =
  ': a comment\n\n' +
  started({
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 5,
    cache_creation: { ephemeral_1h_input_tokens: 2, ephemeral_5m_input_tokens: 3 },
  }) +
  event({ type: 'ping' }) +
  block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Grün 😀 ' },
    { type: 'thinking_delta', thinking: '考え' },
    { type: 'signature_delta', signature: 'c2ln' },
  ) +
  block(1, { type: 'redacted_thinking', data: 'xx' }) +
  text(2, 'Zeile eins\r\n', '日本語', ' end') +
  block(
    3,
    { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
    { type: 'input_json_delta', partial_json: '{"command":"echo ' },
    { type: 'input_json_delta', partial_json: 'ü"}' },
  ) +
  ended('tool_use', { output_tokens: 40, output_tokens_details: { thinking_tokens: 12 } })

describe('a streamed answer', () => {
  test('becomes its blocks, usage and response, each with its keys and parents', () => {
    const drafts = decode([rich])
    expect(drafts.map(({ kind }) => kind)).toEqual([
      'thinking',
      'thinking',
      'assistant_text',
      'tool_call',
      'api_usage',
      'model_response',
    ])
    expect(drafts.map(({ keys }) => keys)).toEqual([
      ['block:msg_1:0'],
      ['block:msg_1:1'],
      ['block:msg_1:2'],
      ['call:toolu_1', 'block:msg_1:3'],
      ['usage:msg_1'],
      ['exchange:e1:response', 'response:msg_1'],
    ])
    expect(drafts.map(({ parents }) => parents[0])).toEqual([
      'result:t0',
      'block:msg_1:0',
      'block:msg_1:1',
      'block:msg_1:2',
      'block:msg_1:3',
      'exchange:e1:request',
    ])
    expect(
      of(drafts, 'thinking').map(({ payload }) => [payload.text, payload.signature_only, payload.withheld]),
    ).toEqual([
      ['Grün 😀 考え', false, undefined],
      ['', false, true],
    ])
    expect(of(drafts, 'tool_call')[0]?.payload.input).toEqual({ command: 'echo ü' })
    expect(of(drafts, 'api_usage')[0]?.payload).toMatchObject({
      basis: 'measured',
      ttft_ms: 200,
      usage: {
        input_tokens: 10,
        output_tokens: 40,
        cache_creation_input_tokens: 5,
        cache_creation_1h_input_tokens: 2,
        thinking_tokens: 12,
      },
    })
    expect(of(drafts, 'model_response')[0]).toMatchObject({
      duration_ms: 1000,
      success: true,
      payload: { cut_by: null, stop_reason: 'tool_use', streamed: true },
    })
  })

  test('is the same wherever it is cut', () => {
    const bytes = Buffer.from(rich)
    const whole = decode([bytes])
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    }
    expect(decode([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole)
    expect(decode([rich.replaceAll('\n', '\r\n')]).map(({ payload }) => ({ ...payload, body_bytes: 0 }))).toEqual(
      whole.map(({ payload }) => ({ ...payload, body_bytes: 0 })),
    )
  })

  test('shows its words as they come', () => {
    const decoder = decoderFor({})
    const deltas = [...Buffer.from(rich)].flatMap((byte) => decoder.push(Uint8Array.of(byte), 1200))
    const joined = (kind: string) =>
      deltas
        .filter(({ block: of }) => of === kind)
        .map(({ text: piece }) => piece)
        .join('')
    expect(joined('thinking')).toBe('Grün 😀 考え')
    expect(joined('text')).toBe('Zeile eins\r\n日本語 end')
    expect(joined('tool_input')).toBe('{"command":"echo ü"}')
    expect(deltas.filter(({ done }) => done).map(({ index }) => index)).toEqual([0, 2, 3])
    expect(deltas.find(({ block: of }) => of === 'tool_input')?.tool_name).toBe('Bash')
  })

  test('ends the turn where the model is done', () => {
    const done = decode([started() + text(0, 'Done.') + ended('end_turn')])
    expect(of(done, 'turn_ended')[0]).toMatchObject({
      keys: ['turn-end:msg_1'],
      payload: { reason: 'end_turn', last_text: 'Done.' },
    })
    const agent = decode([started() + text(0, 'Done.') + ended('end_turn')], {
      context: { agentId: 'a1', requestKind: 'subagent' },
    })
    expect(of(agent, 'turn_ended')).toEqual([])
  })

  test('keeps stop details of a refusal', () => {
    const refused =
      started() +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'refusal', stop_details: { category: 'cyber' } },
        usage: null,
      }) +
      event({ type: 'message_stop' })
    expect(of(decode([refused]), 'model_response')[0]?.payload).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { category: 'cyber' },
    })
  })

  test('says what the API took out of the context by itself', () => {
    const edits = [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 3, cleared_input_tokens: 9000 }]
    const edited =
      started() +
      event({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn' },
        usage: { output_tokens: 3 },
        context_management: { applied_edits: edits },
      }) +
      event({ type: 'message_stop' })
    expect(of(decode([edited]), 'model_response')[0]?.payload.applied_edits).toEqual(edits)
    expect(of(decode([started() + ended('end_turn')]), 'model_response')[0]?.payload).not.toHaveProperty(
      'applied_edits',
    )
  })

  test('signatures without text are thinking that was not asked for', () => {
    const drafts = decode([
      started() +
        block(0, { type: 'thinking', thinking: '' }, { type: 'signature_delta', signature: 'c2ln' }) +
        ended('end_turn'),
    ])
    expect(of(drafts, 'thinking')[0]?.payload).toMatchObject({ text: '', signature_only: true })
  })
})

describe('blocks of every kind', () => {
  test('server tools, hosted MCP, citations, compaction, fallback', () => {
    const drafts = decode([
      started() +
        block(
          0,
          { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} },
          { type: 'input_json_delta', partial_json: '{"query":"q"}' },
        ) +
        block(1, {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_1',
          content: [{ type: 'web_search_result', url: 'https://example.org', title: 'T', encrypted_content: 'zz' }],
        }) +
        block(2, { type: 'mcp_tool_use', id: 'mcp_1', name: 'find', server_name: 's', input: { a: 1 } }) +
        block(3, {
          type: 'mcp_tool_result',
          tool_use_id: 'mcp_1',
          is_error: true,
          content: [{ type: 'text', text: 'not found' }],
        }) +
        block(4, {
          type: 'web_search_tool_result',
          tool_use_id: 'srv_2',
          content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
        }) +
        block(
          5,
          { type: 'text', text: '', citations: [] },
          { type: 'text_delta', text: 'It is so.' },
          { type: 'citations_delta', citation: { url: 'https://example.org' } },
        ) +
        block(
          6,
          { type: 'compaction', content: '' },
          { type: 'compaction_delta', content: '<summary>Short.</summary>' },
        ) +
        block(7, { type: 'fallback', from: { model: 'big' }, to: { model: 'small' } }) +
        ended('end_turn'),
    ])
    expect(
      of(drafts, 'tool_call').map(({ payload }) => [payload.tool_name, payload.input, payload.server_side]),
    ).toEqual([
      ['web_search', { query: 'q' }, true],
      ['find', { a: 1 }, true],
    ])
    expect(of(drafts, 'tool_result').map((draft) => [draft.keys, draft.parents, draft.success])).toEqual([
      [['result:srv_1', 'block:msg_1:1'], ['call:srv_1'], true],
      [['result:mcp_1', 'block:msg_1:3'], ['call:mcp_1'], false],
      [['result:srv_2', 'block:msg_1:4'], ['call:srv_2'], false],
    ])
    expect(of(drafts, 'assistant_text')[0]?.payload.citations).toEqual([{ url: 'https://example.org' }])
    expect(of(drafts, 'compaction')[0]?.payload.summary).toBe('Short.')
    expect(of(drafts, 'state_change')[0]?.payload).toEqual({ name: 'model_fallback', from: 'big', to: 'small' })
  })

  test('what no one knows stays, raw, and costs nothing else', () => {
    const odd = { type: 'hologram', rays: [1, 2] }
    const drafts = decode([
      started() +
        block(0, odd) +
        event({ type: 'content_block_delta', index: 1, delta: { type: 'smell_delta', smell: 'x' } }) +
        event({ type: 'weather', sky: 'blue' }) +
        'data: {"type":"content_block_del\n\n' +
        'event: odd\ndata: 17\n\n' +
        text(2, 'Still here.') +
        ended('end_turn'),
    ])
    expect(
      of(drafts, 'unknown')
        .map(({ payload }) => payload.what)
        .sort(),
    ).toEqual(['block:hologram', 'block:none', 'delta:smell_delta', 'event:odd', 'event:weather', 'stream:broken'])
    expect(of(drafts, 'unknown')[0]?.payload.raw).toEqual(odd)
    expect(of(drafts, 'assistant_text')[0]?.payload.text).toBe('Still here.')
  })

  test('a tool input that breaks off stays as it came', () => {
    const cut =
      started() +
      event({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't1', name: 'Bash', input: {} },
      }) +
      event({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"command":"ec' },
      })
    const drafts = decode([cut], { outcome: 'client_aborted' })
    expect(of(drafts, 'tool_call')[0]?.payload.input).toBe('{"command":"ec')
    expect(of(drafts, 'model_response')[0]).toMatchObject({ success: false, payload: { cut_by: 'client' } })
    expect(of(drafts, 'error')).toEqual([])
    expect(of(drafts, 'api_usage')[0]?.payload.basis).toBe('lower_bound')
  })
})

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

  test('what is no answer under a good status is an error, and no success', () => {
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

  test('a stream under another content type, or none, is read all the same', () => {
    for (const headers of [[], [['content-type', 'text/plain']]] as const) {
      const drafts = decode([`\ufeff${rich.slice(rich.indexOf('event:'))}`], { headers })
      const names = (list: readonly AnyDraft[]) => list.map(({ kind }) => kind)
      expect(names(drafts)).toEqual(names(decode([rich])))
      expect(of(drafts, 'model_response')[0]?.payload.streamed).toBe(true)
    }
  })

  test('an error page that is no JSON, an upstream that never answered', () => {
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

describe('answers beside the conversation', () => {
  test('a message in one piece', () => {
    const message = {
      id: 'msg_2',
      type: 'message',
      model: 'claude-x',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: null,
        service_tier: 'standard',
        iterations: [{ type: 'compaction', input_tokens: 9 }],
      },
    }
    const drafts = decode([JSON.stringify(message)], { headers: [['content-type', 'application/json']] })
    expect(drafts.map(({ kind }) => kind)).toEqual(['assistant_text', 'tool_call', 'api_usage', 'model_response'])
    expect(of(drafts, 'api_usage')[0]?.payload).toMatchObject({
      basis: 'measured',
      iterations: [{ type: 'compaction', input_tokens: 9 }],
      usage: { cache_read_input_tokens: 0, service_tier: 'standard' },
    })
  })

  test('a summary becomes a compaction, its analysis kept beside it', () => {
    const drafts = decode(
      [started() + text(0, '<analysis>hm</analysis>\n<summary>\n1. All of it.\n</summary>') + ended('end_turn')],
      { context: { requestKind: 'compaction' } },
    )
    expect(of(drafts, 'assistant_text')).toEqual([])
    expect(of(drafts, 'compaction')[0]).toMatchObject({
      payload: { summary: '1. All of it.', tokens_before: 10 },
      parents: [],
      sighting: { analysis: 'hm' },
    })
    expect(of(drafts, 'turn_ended')).toEqual([])
  })

  test('a side call hangs from its own request; count_tokens says nothing of a message', () => {
    const side = decode([started() + text(0, '{"title":"x"}') + ended('end_turn')], {
      context: { requestKind: 'side_call' },
    })
    expect(of(side, 'assistant_text')[0]?.parents).toEqual(['exchange:e1:request'])
    const count = decode(['{"input_tokens":5}'], {
      headers: [['content-type', 'application/json']],
      context: { requestKind: 'infrastructure' },
    })
    expect(count.map(({ kind }) => kind)).toEqual(['model_response'])
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
