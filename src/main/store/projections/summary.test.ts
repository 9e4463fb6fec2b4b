import { expect, test } from 'vitest'
import { EVENT_KINDS, type AnyEvent, type EventKind, type Payloads } from '../../../shared/event.ts'
import { createPricing } from '../pricing/pricing.ts'
import { summarize } from './summary.ts'

const LONG = '\u0001😀 wide '.repeat(4000)
const NONE = { message_id: null, index: 0 }

/** The worst case of each kind: texts of any length, of characters that JSON escapes. */
const payloads: { readonly [K in EventKind]: Payloads[K] } = {
  session_started: { start: 'startup' },
  session_ended: { reason: LONG },
  user_prompt: { text: LONG },
  model_request: {
    exchange_id: 'x',
    request_kind: 'prompt',
    method: 'POST',
    path: LONG,
    model: LONG,
    headers: [],
    request: null,
    message_count: 1,
    body_bytes: 1,
  },
  thinking: { text: LONG, signature_only: false, ...NONE },
  assistant_text: { text: LONG, ...NONE },
  tool_call: { call_id: LONG, tool_name: LONG, input: { command: LONG }, ...NONE },
  tool_result: {
    call_id: LONG,
    tool_name: LONG,
    output: [{ type: 'text', text: LONG }],
    is_error: false,
    rejected: false,
  },
  api_usage: {
    message_id: null,
    model: 'claude-opus-5-5',
    usage: {
      input_tokens: 1000,
      output_tokens: 500,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_creation_1h_input_tokens: 0,
      thinking_tokens: null,
      web_search_requests: 0,
      service_tier: null,
      speed: null,
      inference_geo: null,
    },
    request_kind: 'prompt',
    basis: 'measured',
    ttft_ms: null,
  },
  model_response: {
    exchange_id: null,
    message_id: null,
    model: null,
    status: 200,
    stop_reason: 'end_turn',
    streamed: true,
    cut_by: 'client',
    ttft_ms: null,
    headers: [],
    body_bytes: 1,
  },
  turn_ended: { reason: null },
  rate_limit: { limits: { text: LONG } },
  compaction: { trigger: 'auto', summary: LONG, tokens_before: null, tokens_after: null },
  agent_started: { agent_id: LONG, agent_type: null, parent_agent_id: null, call_id: null },
  agent_ended: { agent_id: 'a', agent_type: LONG },
  task_update: { tasks: [{ id: '1', subject: LONG, status: 'open' }] },
  state_change: { name: 'mode', to: { mode: LONG } },
  notification: { text: LONG },
  error: { origin: 'upstream', type: null, message: LONG, status: 529 },
  file_seen: { call_id: 'call', path: LONG, at: 'after', hash: null, text: 'text', why_not: null, is_sure: true },
  guard_action: {
    action: 'held',
    cap: LONG,
    decided_by: 'rule',
    limit: 1,
    used: 1,
    guess: 1,
    agent_id: null,
    id: LONG,
  },
  unknown: { what: LONG, raw: null },
}

const eventOf = (kind: EventKind): AnyEvent =>
  ({
    id: 1,
    uuid: 'u'.repeat(36),
    session_id: 's'.repeat(200),
    turn_id: 1,
    seq: 1,
    agent_id: null,
    parent_uuid: null,
    kind,
    source: 'wire',
    ts_wall: '2026-11-20T10:00:00.000Z',
    ts_monotonic: 1,
    duration_ms: null,
    success: null,
    error_message: null,
    request_id: null,
    user_id: null,
    project: `/${'p'.repeat(4000)}`,
    schema_version: 1,
    payload: payloads[kind],
  }) as AnyEvent

test.each(EVENT_KINDS)('%s fits in 2 KB of JSON, whatever its content', (kind) => {
  const summary = summarize(eventOf(kind), createPricing())
  expect(Buffer.byteLength(JSON.stringify(summary))).toBeLessThanOrEqual(2048)
  expect(summary.text.isWellFormed()).toBe(true)
})

test('every summary of a long text says that it was cut, and no other', () => {
  const whole = EVENT_KINDS.filter((kind) => !summarize(eventOf(kind), createPricing()).truncated)
  expect(whole).toEqual(['session_started', 'api_usage', 'model_response', 'turn_ended'])
})

test('a usage shows its cost, a call the tool it called', () => {
  expect(summarize(eventOf('api_usage'), createPricing())).toMatchObject({
    model: 'claude-opus-5-5',
    tokens: 1500,
    cost_usd: expect.closeTo(0.014, 12),
  })
  const call = {
    ...eventOf('tool_call'),
    payload: { ...payloads.tool_call, tool_name: 'Bash', call_id: 'c1', input: { command: 'ls\n  -l' } },
  } as AnyEvent
  expect(summarize(call, createPricing())).toMatchObject({ tool_name: 'Bash', call_id: 'c1', text: 'ls -l' })
})

test('a block names its message and index, a response its exchange, so that they replace the live preview', () => {
  const pricing = createPricing()
  const summaryOf = (kind: EventKind, payload: object) =>
    summarize({ kind, payload, project: null } as unknown as AnyEvent, pricing)
  expect(summaryOf('thinking', { text: 'a', message_id: 'm1', index: 2 })).toMatchObject({ message_id: 'm1', index: 2 })
  expect(summaryOf('model_response', { exchange_id: 'x1', message_id: 'm1', model: null, status: 200 })).toMatchObject({
    exchange_id: 'x1',
    message_id: 'm1',
  })
})

test('an edit whose hook reports it as JSON is counted in lines', () => {
  const detail = { filePath: '/a.ts', structuredPatch: [{ oldStart: 1, newStart: 1, lines: ['-b', '+c', '+d'] }] }
  const result = {
    call_id: 'c',
    tool_name: 'Edit',
    output: JSON.stringify(detail),
    is_error: false,
    rejected: false,
    detail,
  }
  const event = { ...eventOf('tool_result'), payload: result } as AnyEvent
  expect(summarize(event, createPricing()).text).toBe('+2 −1')
  const refused = { ...event, success: false, payload: { ...result, rejected: true } } as AnyEvent
  expect(summarize(refused, createPricing())).toMatchObject({ is_refused: true })
  expect(summarize(refused, createPricing())).not.toHaveProperty('failure')
})
