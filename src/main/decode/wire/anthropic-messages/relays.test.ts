import { describe, expect, test } from 'vitest'
import type { AskedFor } from '../../../../shared/service-terms.ts'
import { usageAsAsked } from './asked.ts'
import { of } from '../../fixtures/drafts.ts'
import { block, decode, ended, started, text } from '../../fixtures/streams.ts'
import { assistant, decode as decodeLines, user } from '../../fixtures/transcript-lines.ts'

/** What relays and compatible endpoints write where the API writes something else. */
const call = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} }
const input = (partial_json: unknown) => ({ type: 'input_json_delta', partial_json }) as never
const kinds = (stream: string) => decode([stream]).map(({ kind }) => kind)

test.each([
  ['as an object', [input({ command: 'ls' })]],
  ['after nothing', [input(null), input(''), input('{"command":"ls"}')]],
])('the input of a call %s is its input', (_, deltas) => {
  const drafts = decode([started() + block(0, call, ...deltas) + ended('tool_use')])
  expect(of(drafts, 'tool_call')[0]?.payload.input).toEqual({ command: 'ls' })
})

test.each([
  ['thinking', { type: 'reasoning_delta', reasoning: 'hm' }],
  ['thinking', { type: 'thinking_delta', text: 'hm' }],
  ['text', { type: 'text', text: 'hm' }],
])('a %s delta under another name, %j, is read', (type, delta) => {
  const drafts = decode([started() + block(0, { type }, delta) + ended('end_turn')])
  const said = [...of(drafts, 'thinking'), ...of(drafts, 'assistant_text')].map(({ payload }) => payload.text)
  expect(said).toEqual(['hm'])
  expect(of(drafts, 'unknown')).toEqual([])
})

test.each([
  ['1h', {}, 30],
  ['mixed', {}, 0],
  ['5m', {}, 0],
  ['1h', { cache_creation: { ephemeral_5m_input_tokens: 30, ephemeral_1h_input_tokens: 0 } }, 0],
] as const)('writes that were asked for %s, told as %j, count %d tokens for an hour', (cache_ttl, split, hour) => {
  const asked = { cache_ttl } as AskedFor
  const usage = usageAsAsked({ input_tokens: 1, output_tokens: 2, cache_creation_input_tokens: 30, ...split }, asked)
  expect(usage).toMatchObject({ cache_creation_input_tokens: 30, cache_creation_1h_input_tokens: hour })
})

test.each([
  'event: ping\ndata: {}\n\n',
  'event: ping\ndata:\n\n',
  'event: keepalive\ndata: {}\n\n',
  'data: {"type":"keep_alive"}\n\n',
  'event: heartbeat\ndata: {"type":"heartbeat","at":1}\n\n',
])('%j keeps a stream open and says nothing', (alive) => {
  const plain = started() + text(0, 'Hi') + ended('end_turn')
  expect(kinds(alive + started() + alive + text(0, 'Hi') + alive + ended('end_turn'))).toEqual(kinds(plain))
})

test('events of one line, without anything between them, are taken one by one', () => {
  const events = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
  ]
  const drafts = decode([
    `${started()}data: ${events.map((data) => JSON.stringify(data)).join('')}\n\n${ended('end_turn')}`,
  ])
  expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['Hi'])
  expect(of(drafts, 'unknown')).toEqual([])
})

const said = (stream: readonly string[]) => {
  const drafts = decode(stream)
  expect(of(drafts, 'unknown')).toEqual([])
  return [...of(drafts, 'assistant_text'), ...of(drafts, 'thinking'), ...of(drafts, 'tool_call')].map(
    ({ kind, payload }) => (kind === 'tool_call' ? payload.input : payload.text),
  )
}

test.each([
  ['text', [{ type: 'text', text: 'Hi "you"' }], '', ['Hi "you"']],
  ['one text', 'Hi', '', ['Hi']],
  ['text and a call', [{ type: 'text', text: 'Hi' }, call], '', ['Hi', {}]],
  ['what events repeat', [{ type: 'text', text: 'Hi "you"' }], text(0, 'Hi ', '"you"', '!'), ['Hi "you"!']],
  ['a call that events repeat', [call], block(0, call, input('{"command":"ls"}')), [{ command: 'ls' }]],
  ['what events do not repeat', [{ type: 'text', text: 'Hi' }], block(0, call), ['Hi', {}]],
  ['an empty block', [{ type: 'text', text: '' }], text(0, 'Hi'), ['Hi']],
] as const)('%s in the content of `message_start` is read', (_, content, rest, expected) => {
  const start = started().replace('"content":[]', `"content":${JSON.stringify(content)}`)
  expect(said([start + rest + ended('end_turn')])).toEqual(expected)
})

const answer = started() + text(0, 'data: Hi\n', ' EVENT: you') + ended('end_turn')
test.each([
  ['in upper case', answer.replaceAll(/^(?:event|data)/gm, (name) => name.toUpperCase())],
  ['with a capital, and CRLF', answer.replaceAll(/^e/gm, 'E').replaceAll(/^d/gm, 'D').replaceAll('\n', '\r\n')],
  ['behind a byte order mark', answer.replaceAll(/^event/gm, '\uFEFFevent')],
  ['behind blanks', answer.replaceAll(/^(?=event|data)/gm, '  ')],
])('fields %s are fields, wherever the stream is cut', (_, stream) => {
  const bytes = Buffer.from(stream)
  const single = [...bytes].map((byte) => Uint8Array.of(byte))
  for (const pieces of [[bytes], single]) {
    const drafts = decode(pieces)
    expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['data: Hi\n EVENT: you'])
    expect(of(drafts, 'unknown')).toEqual([])
  }
})

const figures = { input_tokens: 3, output_tokens: 7 }
test.each([
  [
    'an event that is not known',
    'event: message_stop',
    `data: ${JSON.stringify({ type: 'bill', usage: figures })}\n\n$&`,
    1,
  ],
  ['the message of the last event', '{"type":"message_stop"', `$&,"message":${JSON.stringify({ usage: figures })}`, 0],
])('figures in %s count', (_, place, told, unknown) => {
  const drafts = decode([started(null) + text(0, 'Hi') + ended('end_turn', null).replace(place, told)])
  expect(of(drafts, 'api_usage')[0]?.payload).toMatchObject({ usage: figures, basis: 'measured' })
  expect(of(drafts, 'unknown')).toHaveLength(unknown)
})

test.each([
  [{ text: 'Hi' }, { type: 'text', text: '' }],
  [{ thinking: 'Hi' }, { type: 'thinking', thinking: '' }],
  [
    { type: 'thinking_delta', reasoning_content: 'Hi' },
    { type: 'thinking', thinking: '' },
  ],
])('a piece %j is read by what it holds', (delta, start) => {
  expect(said([started() + block(0, start, delta) + ended('end_turn')])).toEqual(['Hi'])
})

const json = { headers: [['content-type', 'application/json']] } as const
const whole = {
  type: 'message',
  id: 'msg_1',
  stop_reason: 'end_turn',
  content: [{ type: 'text', text: 'Hi' }],
  usage: { input_tokens: 3 },
}
test.each([{ code: 0, data: whole }, [whole], { ...whole, content: null }])(
  'an answer that the client does not find was paid for: %j',
  (body) => {
    const drafts = decode([JSON.stringify(body)], json)
    expect(of(drafts, 'api_usage')[0]?.payload.usage).toMatchObject({ input_tokens: 3 })
    expect(of(drafts, 'error')).toHaveLength(1)
    // The client asks again.
    expect(of(drafts, 'turn_ended')).toEqual([])
  },
)

test('several events in a list are taken one by one', () => {
  const start = { type: 'message_start', message: { id: 'msg_1', model: 'm', usage: { input_tokens: 3 } } }
  const drafts = decode([`data: ${JSON.stringify([start])}\n\n${text(0, 'Hi')}${ended('end_turn')}`])
  expect(of(drafts, 'api_usage')[0]?.payload.usage).toMatchObject({ input_tokens: 3, output_tokens: 7 })
  expect(of(drafts, 'unknown')).toEqual([])
})

test.each([
  { code: 500, msg: 'no balance', success: false },
  { code: '1113', message: 'no balance' },
  { error: { message: 'no balance' } },
])('an error of a gateway within a stream says its words: %j', (error) => {
  const drafts = decode([`${started()}data: ${JSON.stringify(error)}\n\n`])
  expect(of(drafts, 'error').map(({ error_message: words }) => words)).toEqual(['no balance'])
  expect(of(drafts, 'unknown')).toEqual([])
})

test.each(['', 'data: [DONE]\n\n'])(
  'a stop reason and then %j, without `message_stop`, ends a whole answer',
  (rest) => {
    const whole = started() + text(0, 'Hi') + ended('end_turn')
    const drafts = decode([`${whole.slice(0, whole.indexOf('event: message_stop'))}${rest}`])
    expect(drafts.map(({ kind }) => kind)).toEqual(kinds(whole))
    expect(of(drafts, 'model_response')[0]).toMatchObject({ success: true, payload: { cut_by: null } })
  },
)

/** A stop reason, whether the answer has a call, and whether its turn ends. */
const STOPS = [
  ['tool_use', true, false],
  ['end_turn', true, false],
  ['stop', true, false],
  ['tool_calls', true, false],
  ['end_turn', false, true],
  ['stop', false, true],
] as const

test.each([...STOPS, ['tool_use', false, true] as const])(
  'a stream that stops with %s, with a call: %s, ends its turn: %s',
  (reason, hasCall, ends) => {
    const answer = text(0, 'So.') + (hasCall ? block(1, call, input('{"command":"ls"}')) : '')
    const drafts = decode([started() + answer + ended(reason)])
    expect(of(drafts, 'turn_ended')).toHaveLength(ends ? 1 : 0)
  },
)

test.each(STOPS)('lines that stop with %s, with a call: %s, end their turn: %s', (stop_reason, hasCall, ends) => {
  const line = (uuid: string, parent: string, content: object) =>
    assistant(uuid, parent, 'msg_1', [content], {}, { stop_reason })
  const lines = [
    user('u1', null, 'go'),
    line('a1', 'u1', { type: 'text', text: 'So.' }),
    ...(hasCall ? [line('a2', 'a1', { ...call, input: { command: 'ls' } })] : []),
  ]
  expect(of(decodeLines(lines), 'turn_ended')).toHaveLength(ends ? 1 : 0)
})

test('figures of later events are sums so far: the last of each counts', () => {
  const delta = (usage: object) => `data: ${JSON.stringify({ type: 'message_delta', delta: {}, usage })}\n\n`
  const start = {
    type: 'message_start',
    message: { id: 'msg_1', model: 'm', usage: { input_tokens: 25, output_tokens: 1 } },
  }
  const stream = [
    `data: ${JSON.stringify(start)}\n\n`,
    text(0, 'Hi'),
    delta({ output_tokens: 4 }),
    delta({ input_tokens: 10_682, output_tokens: 9, cache_read_input_tokens: 3 }),
    delta({ input_tokens: null, output_tokens: 15 }),
    'data: {"type":"message_stop"}\n\n',
  ]
  expect(of(decode(stream), 'api_usage').map(({ payload }) => payload.usage)).toMatchObject([
    { input_tokens: 10_682, output_tokens: 15, cache_read_input_tokens: 3 },
  ])
})

test('messages of one stream are counted one by one', () => {
  const named = (id: string | null) => started().replace('"msg_1"', JSON.stringify(id))
  const streams = [
    named('msg_1') + text(0, 'One') + ended('end_turn') + named('msg_2') + text(0, 'Two') + ended('end_turn'),
    named(null) + text(0, 'One') + ended('tool_use') + named(null) + text(0, 'Two') + ended('end_turn'),
  ]
  for (const stream of streams) {
    const drafts = decode([stream])
    expect(of(drafts, 'api_usage').map(({ payload }) => payload.usage.output_tokens)).toEqual([7, 7])
    expect(of(drafts, 'assistant_text').map(({ payload }) => payload.text)).toEqual(['One', 'Two'])
    expect(new Set(drafts.flatMap(({ keys }) => keys)).size).toBe(drafts.flatMap(({ keys }) => keys).length)
    expect(of(drafts, 'turn_ended').map(({ payload }) => payload.last_text)).toEqual(['Two'])
  }
})

const events = answer.split('\n\n').flatMap((each) => /^data: (.*)/m.exec(each)?.[1] ?? [])
const bytesOf = (data: string) => Buffer.from(data).toString('base64')
const sent = (datas: readonly object[], name = 'chunk') =>
  datas.map((data) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('')

test.each([
  ['as base64', sent(events.map((data) => ({ bytes: bytesOf(data), p: 'abc' })))],
  ['as base64 of a chunk', sent(events.map((data) => ({ chunk: { bytes: bytesOf(data) } })))],
  ['behind a doubled name', answer.replaceAll('data: {', 'data: data: {') + 'data: data: [DONE]\n\n'],
])('data that is written %s is read', (_, stream) => {
  expect(said([stream])).toEqual(said([answer]))
  expect(of(decode([stream]), 'api_usage')).toEqual(of(decode([answer]), 'api_usage'))
})

describe("Amazon's frames", () => {
  const header = (name: string, value: string) =>
    Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7, 0, value.length), Buffer.from(value)])
  const frame = (payload: object, headers: readonly (readonly [string, string])[]) => {
    const [head, body] = [Buffer.concat(headers.map(([name, value]) => header(name, value))), JSON.stringify(payload)]
    const prelude = Buffer.alloc(12)
    prelude.writeUInt32BE(16 + head.length + Buffer.byteLength(body), 0)
    prelude.writeUInt32BE(head.length, 4)
    return Buffer.concat([prelude, head, Buffer.from(body), Buffer.alloc(4)])
  }
  const chunks = events.map((data) => frame({ bytes: bytesOf(data) }, [[':event-type', 'chunk']]))
  const headers = [['content-type', 'application/vnd.amazon.eventstream']] as const
  const split = (bytes: Buffer, size: number) =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) => bytes.subarray(n * size, (n + 1) * size))

  test.each([1, 7, 1000])('are read, cut into pieces of %d bytes', (size) => {
    const drafts = decode(split(Buffer.concat(chunks), size), { headers })
    const plain = decode([answer])
    for (const kind of ['assistant_text', 'api_usage', 'turn_ended', 'unknown', 'error'] as const)
      expect(of(drafts, kind)).toEqual(of(plain, kind))
  })

  test('tell of an error, and what is broken is counted', () => {
    const failure = frame({ message: 'Too many.' }, [
      [':message-type', 'exception'],
      [':exception-type', 'throttled'],
    ])
    const drafts = decode([Buffer.concat([...chunks.slice(0, 3), failure])], { headers })
    expect(of(drafts, 'error').map(({ payload }) => [payload.type, payload.message])).toEqual([
      ['throttled', 'Too many.'],
    ])
    const cut = decode([Buffer.concat(chunks).subarray(0, -9)], { headers })
    expect(of(cut, 'unknown').map(({ payload }) => payload.what)).toEqual(['stream:broken'])
    const odd = decode([...chunks.slice(0, 3), Buffer.alloc(50)], { headers })
    expect(of(odd, 'unknown').map(({ payload }) => payload.what)).toEqual(['stream:broken'])
  })
})

test('a file that was uploaded to a container is a change of it', () => {
  const drafts = decode([started() + block(0, { type: 'container_upload', file_id: 'file_1' }) + ended('end_turn')])
  expect(of(drafts, 'state_change').map(({ payload }) => payload)).toEqual([{ name: 'container_upload', to: 'file_1' }])
  expect(of(drafts, 'unknown')).toEqual([])
})
