import { expect, test } from 'vitest'
import type { AnyEvent, EventKind, Payloads } from '../../../../shared/event.ts'
import { turnSpans } from './turn-spans.ts'

let id = 0
function event<K extends EventKind>(kind: K, at: number, payload: Partial<Payloads[K]>, more: Partial<AnyEvent> = {}) {
  id += 1
  return {
    id,
    uuid: `${kind}-${id}`,
    session_id: 's',
    turn_id: 3,
    seq: id,
    agent_id: null,
    parent_uuid: null,
    kind,
    source: 'wire',
    ts_wall: new Date(1_800_000_000_000 + at).toISOString(),
    ts_monotonic: null,
    duration_ms: null,
    success: null,
    error_message: null,
    request_id: null,
    user_id: null,
    project: '/home/me/secret',
    schema_version: 1,
    payload,
    ...more,
  } as unknown as AnyEvent
}

const usage = {
  input_tokens: 10,
  output_tokens: 5,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
}
const request = (at: number, exchange_id: string, more = {}) =>
  event('model_request', at, { exchange_id, model: 'm', path: '/v1/messages', request_kind: 'prompt' }, more)
const tree = (events: readonly AnyEvent[], content = false) => {
  const spans = turnSpans(events, { content, client: 'claude-code' })
  const nameOf = new Map(spans.map(({ key, name }) => [key, name]))
  return spans.map(({ name, parent }) => [name, parent === null ? null : nameOf.get(parent)])
}

test('input tokens include cached tokens, as the conventions require', () => {
  const [, chat] = turnSpans(
    [
      request(0, 'x'),
      event('api_usage', 9, { message_id: 'msg', model: 'm', usage } as never),
      event('model_response', 10, { exchange_id: 'x', message_id: 'msg', status: 200, stop_reason: 'end_turn' }),
    ],
    { content: false, client: 'claude-code' },
  )
  expect(chat?.attributes).toMatchObject({
    'gen_ai.usage.input_tokens': 130,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 100,
    'gen_ai.usage.cache_creation.input_tokens': 20,
  })
  expect([chat?.start, chat?.end]).toEqual([1_800_000_000_000, 1_800_000_000_010])
})

test('each request of a turn has a span with its own usage, if a relay gives all answers one id', () => {
  const spans = turnSpans(
    [1, 2].flatMap((n) => [
      request(n * 10, `x${n}`),
      event('api_usage', n * 10 + 5, { message_id: 'msg', model: 'm', usage: { ...usage, output_tokens: n } } as never),
      event('model_response', n * 10 + 5, { exchange_id: `x${n}`, message_id: 'msg', status: 200 }),
    ]),
    { content: false, client: 'claude-code' },
  )
  expect(spans.slice(1).map(({ attributes }) => attributes['gen_ai.usage.output_tokens'])).toEqual([1, 2])
})

test('failed and unanswered requests are errors with a reason', () => {
  const spans = turnSpans(
    [
      request(0, 'x'),
      event('model_response', 5, { exchange_id: 'x', message_id: null, status: 529 }, { success: false }),
      request(6, 'y'),
    ],
    { content: false, client: 'claude-code' },
  )
  expect(spans.map(({ error }) => error)).toEqual([null, 'status 529', 'no response was recorded'])
  expect(spans[1]?.attributes['error.type']).toBe('529')
})

test('a turn known only from a transcript is nested too, with requests derived from responses', () => {
  const call = event('tool_call', 2, { call_id: 'c', tool_name: 'Read', message_id: 'msg', input: {} })
  expect(
    tree([
      event('user_prompt', 0, { text: 'hello' }),
      event('assistant_text', 1, { text: 'hm', message_id: 'msg', index: 0 }),
      call,
      event('api_usage', 2, { message_id: 'msg', model: 'm', usage } as never),
      event('tool_result', 7, { call_id: 'c', tool_name: 'Read', output: 'x', is_error: false, rejected: false }),
    ]),
  ).toEqual([
    ['invoke_agent Claude Code', null],
    ['chat m', 'invoke_agent Claude Code'],
    ['execute_tool Read', 'chat m'],
  ])
})

test('a call without its response is a child of its agent, and an agent without its call a child of the turn', () => {
  expect(
    tree([
      event('tool_call', 0, { call_id: 'c', tool_name: 'Bash', message_id: 'gone', input: {} }),
      event('tool_call', 1, { call_id: 'd', tool_name: 'Grep', message_id: null, input: {} }, { agent_id: 'a' }),
    ]),
  ).toEqual([
    ['invoke_agent Claude Code', null],
    ['execute_tool Bash', 'invoke_agent Claude Code'],
    ['invoke_agent subagent', 'invoke_agent Claude Code'],
    ['execute_tool Grep', 'invoke_agent subagent'],
  ])
})

test('an agent that claims to be started by its own call is a child of the turn', () => {
  const started = { agent_id: 'a', agent_type: 'loop', parent_agent_id: null, call_id: 'c' }
  const spans = tree([
    event('agent_started', 0, started, { agent_id: 'a' }),
    event('tool_call', 1, { call_id: 'c', tool_name: 'Agent', message_id: null, input: {} }, { agent_id: 'a' }),
  ])
  expect(spans.map(([name]) => name).toSorted()).toEqual([
    'execute_tool Agent',
    'invoke_agent Claude Code',
    'invoke_agent loop',
  ])
  expect(spans.filter(([, parent]) => parent === 'invoke_agent Claude Code')).toHaveLength(1)
})

test('without the content option, neither texts nor the path of the project are sent', () => {
  const events = [
    event('user_prompt', 0, { text: 'a word' }),
    event('assistant_text', 1, { text: 'another word', message_id: 'msg', index: 0 }),
    event('tool_call', 2, { call_id: 'c', tool_name: 'Read', message_id: 'msg', input: { path: 'a word' } }),
  ]
  expect(JSON.stringify(turnSpans(events, { content: false, client: 'claude-code' }))).not.toMatch(/word|home/)
  expect(JSON.stringify(turnSpans(events, { content: true, client: 'claude-code' }))).toMatch(/a word.*another word/)
})

test('spans say what they cost and whom they belong to; what is unpriced has no cost', () => {
  const events = [
    request(0, 'x', { user_id: 'u1' }),
    event('api_usage', 9, { message_id: 'msg', model: 'm', usage } as never),
    event('model_response', 10, { exchange_id: 'x', message_id: 'msg', status: 200 }),
    request(11, 'y', { user_id: 'u1' }),
    event('api_usage', 19, { message_id: 'msg2', model: 'm', usage } as never),
    event('model_response', 20, { exchange_id: 'y', message_id: 'msg2', status: 200 }),
  ]
  const [priced, unpriced] = events.filter(({ kind }) => kind === 'api_usage')
  const costs = new Map([
    [priced?.id ?? 0, 0.25],
    [unpriced?.id ?? 0, null],
  ])
  const team = { url: 'https://team.example:2790/aspy', member: 'ann' }
  const spans = turnSpans(events, { content: false, client: 'claude-code', clientVersion: '2.1.332', team, costs })
  const owner = {
    'aspy.client': 'claude-code',
    'aspy.client.version': '2.1.332',
    'aspy.project': 'secret',
    'aspy.team': 'team.example:2790',
    'aspy.team.member': 'ann',
    'user.hash': 'u1',
  }
  expect(spans.map(({ attributes }) => attributes)).toEqual(spans.map(() => expect.objectContaining(owner)))
  expect(spans.map(({ attributes: { 'aspy.cost_usd': usd } }) => usd)).toEqual([undefined, 0.25, undefined])
  expect(spans[0]?.attributes['aspy.turn.cost_usd']).toBe(0.25)
})

test('a trace names the client of its session and who serves its models', () => {
  const named = (client: string) => {
    const events = [request(0, 'x'), request(1, 'y', { agent_id: 'a' })]
    const spans = turnSpans(events, { content: false, client })
    return [
      spans[0]?.name,
      spans[0]?.service,
      ...new Set(spans.map(({ attributes }) => attributes['gen_ai.provider.name'])),
    ]
  }
  expect(named('claude-code')).toEqual(['invoke_agent Claude Code', 'claude-code', 'anthropic'])
  expect(named('codex')).toEqual(['invoke_agent Codex', 'codex', 'openai'])
  expect(named('unknown')).toEqual(['invoke_agent Claude Code', 'claude-code', 'anthropic'])
})
