import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordedEvents, settled, type RecordedEvent } from '../../support/app/recorded-session.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { makeTempFolder } from '../../support/runner/temp-folder.ts'
import {
  message,
  startResponsesUpstream,
  type ResponsesAnswer,
  type ResponsesUpstream,
} from '../../support/upstream/responses-upstream.ts'
import { openWebSocket } from '../../support/upstream/web-socket-client.ts'

// Traffic that no client sends today: it is recorded as unknown or as an error, and costs nothing else.

let upstream: ResponsesUpstream
let app: TestApp
let answer: () => ResponsesAnswer | Promise<ResponsesAnswer> = () => ({})
beforeAll(async () => {
  upstream = await startResponsesUpstream(() => answer(), { websocket: 'permessage-deflate', frameBytes: 100 })
  const upstreams = { openai: upstream.url, chatgpt: upstream.url }
  app = await startApp({ upstream: 'http://127.0.0.1:9', settings: { 'proxy.upstreams': upstreams } })
})
afterAll(async () => {
  await app?.close()
  await upstream?.close()
})

const KEY = { authorization: 'Bearer sk-proj-dummy' }
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const named = (session: string) => ({ 'session-id': session, 'thread-id': session, originator: 'codex_exec' })
const eventsOf = async (session: string) => {
  await settled(app)
  return recordedEvents(app, `session_id = 'codex-${session}'`)
}
const of = (events: readonly RecordedEvent[], kind: string) => events.filter((event) => event.kind === kind)
const url = () => `${app.proxy}/openai/v1/responses`
const post = (
  session: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
) =>
  fetch(url(), { method: 'POST', headers: { ...KEY, ...named(session), ...headers }, body }).then((response) =>
    response.text(),
  )
const request = (...input: readonly object[]) => JSON.stringify({ model: 'gpt-6-sol', stream: true, input })

test('unknown items and events are kept as they are, beside what is known', async () => {
  const odd = { type: 'hologram', id: 'hol_0123456789abcdefghijklmnop', depth: 3 }
  answer = () => ({ output: [odd, message('Known.')], events: [{ type: 'response.sparkle', colour: 'blue' }] })
  await post('odd', request(user('hello'), { type: 'telegram', text: 'stop' }))
  const events = await eventsOf('odd')
  expect(of(events, 'unknown').map(({ payload }) => [payload['what'], payload['raw']])).toEqual([
    ['item:telegram', { type: 'telegram', text: 'stop' }],
    ['item:hologram', odd],
    ['event:response.sparkle', expect.objectContaining({ type: 'response.sparkle', colour: 'blue' })],
  ])
  expect(of(events, 'assistant_text').map(({ payload }) => payload['text'])).toEqual(['Known.'])
  expect(of(events, 'user_prompt').map(({ payload }) => payload['text'])).toEqual(['hello'])
})

test('a body in zstd is read; one that unpacks to gigabytes or is cut is an exchange without a request', async () => {
  answer = () => ({ output: [message('Unpacked.')] })
  // 1 GB of zeros in 32 KB.
  const bomb = new Uint8Array(zstdCompressSync(Buffer.alloc(1 << 30)))
  await post('packed', bomb, { 'content-encoding': 'zstd' })
  const cut = new Uint8Array(zstdCompressSync(request(user('cut off'))).subarray(0, 20))
  await post('packed', cut, { 'content-encoding': 'zstd' })
  await post('packed', new Uint8Array(zstdCompressSync(request(user('in zstd')))), { 'content-encoding': 'zstd' })
  const events = await eventsOf('packed')
  expect(of(events, 'user_prompt').map(({ payload }) => payload['text'])).toEqual(['in zstd'])
  expect(of(events, 'api_usage')).toHaveLength(3)
})

test('a model without a price is counted, and named in Health', async () => {
  answer = () => ({ model: 'gpt-9-nova' })
  await post('nova', request(user('hello')))
  const [usage] = of(await eventsOf('nova'), 'api_usage')
  expect(usage?.payload['model']).toBe('gpt-9-nova')
  const { items } = await app.call<{ items: { id: string; unpriced_calls: number }[] }>('sessions.list')
  expect(items.find(({ id }) => id === 'codex-nova')).toMatchObject({ unpriced_calls: 1 })
})

test('input of any shape reaches the log without a failure', async () => {
  const odd = [null, 7, {}, { type: 'message' }, { type: 'reasoning', summary: 7 }, { type: 'function_call' }]
  const events = odd.map((item, at) => ({ type: 'response.output_item.done', output_index: at + 1, item }))
  answer = () => ({ output: [message('Fine.')], events: [...events, { type: 'response.output_text.delta', delta: 7 }] })
  const bodies = [
    '',
    '{',
    '[]',
    'null',
    '{"input":7}',
    '{"input":"plain"}',
    request(null as never, [] as never, user('')),
  ]
  for (const body of bodies) await post('shapes', body)
  const recorded = await eventsOf('shapes')
  expect(of(recorded, 'user_prompt').map(({ payload }) => payload['text'])).toEqual(['plain'])
  expect(of(recorded, 'error')).toEqual([])
  expect(of(recorded, 'unknown').length).toBeGreaterThan(10)
})

test('a WebSocket: requests that hold only what is new are recorded whole, with the answer of each', async () => {
  answer = () => ({ output: [message('Yes.')] })
  const socket = await openWebSocket(url(), { ...KEY, ...named('socket') })
  const first = await socket.ask({ type: 'response.create', model: 'gpt-6-sol', input: [user('One?')] })
  await socket.ask({ type: 'response.create', model: 'gpt-6-sol', previous_response_id: first, input: [user('Two?')] })
  // The answer is recorded although the connection is open and silent.
  const events = await eventsBefore('socket', 2)
  expect(of(events, 'user_prompt').map(({ payload }) => payload['text'])).toEqual(['One?', 'Two?'])
  expect(of(events, 'assistant_text')).toHaveLength(2)
  const last = of(events, 'model_request').findLast(({ payload }) => payload['request_kind'] === 'prompt')
  const { body } = await app.call<{ body: { input: { role: string }[] } }>('requests.get', { uuid: last?.uuid })
  expect(body.input.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  socket.close()
})

/** Waits for this many answers, not for the end of the exchange. */
async function eventsBefore(session: string, answers: number): Promise<RecordedEvent[]> {
  await expect
    .poll(async () => of(await recordedEvents(app, `session_id = 'codex-${session}'`), 'turn_ended').length, {
      timeout: 20_000,
    })
    .toBe(answers)
  return recordedEvents(app, `session_id = 'codex-${session}'`)
}

test('a WebSocket that dies in mid-answer keeps what arrived, and says who cut it', async () => {
  answer = () => ({ output: [message('Half of a sentence')], cutAfter: 5 })
  const socket = await openWebSocket(url(), { ...KEY, ...named('dies') })
  socket.send({ type: 'response.create', model: 'gpt-6-sol', input: [user('Speak')] })
  await socket.closed
  const events = await eventsOf('dies')
  expect(of(events, 'assistant_text').map(({ payload }) => payload['text'])).toEqual(['Half of a sent'])
  expect(of(events, 'model_response').map(({ payload }) => payload['cut_by'])).toContain('upstream')
  expect(of(events, 'error')).toHaveLength(1)
})

test('a client that leaves in mid-answer keeps its request, and the answer is cut by it', async () => {
  let asked: () => void = () => undefined
  const isAsked = new Promise<void>((resolve) => (asked = resolve))
  answer = () => {
    asked()
    return new Promise<ResponsesAnswer>(() => undefined)
  }
  const socket = await openWebSocket(url(), { ...KEY, ...named('leaves') })
  socket.send({ type: 'response.create', model: 'gpt-6-sol', input: [user('Never mind')] })
  await isAsked
  socket.destroy()
  const events = await eventsOf('leaves')
  expect(of(events, 'user_prompt').map(({ payload }) => payload['text'])).toEqual(['Never mind'])
  expect(of(events, 'model_response').map(({ payload }) => payload['cut_by'])).toContain('client')
  expect(of(events, 'assistant_text')).toEqual([])
})

test('a rollout whose clock is a day ahead says the same as the wire: nothing is there twice', async () => {
  const thread = '01a205b1-d5ef-7212-bafc-c782ff70dae0'
  const prompt = { ...user('What time is it?'), id: `msg_${'a1'.repeat(16)}` }
  const said = message('Late.')
  answer = () => ({ output: [said] })
  await post(thread, request(prompt))
  const before = await eventsOf(thread)
  const response = of(before, 'model_response')[0]?.payload['message_id']
  const passthrough = { turn_id: 't1', content_item_kinds: ['user.text'] }
  const usage = { input_tokens: 1000, cached_input_tokens: 600, cache_write_input_tokens: 100, output_tokens: 50 }
  const lines = [
    ['session_meta', { id: thread, session_id: thread, cwd: '/work', cli_version: '0.169.0' }],
    ['response_item', { ...prompt, internal_chat_message_metadata_passthrough: passthrough }],
    ['response_item', { ...said, internal_chat_message_metadata_passthrough: { turn_id: 't1' } }],
    ['token_usage_record', { thread_id: thread, turn_id: 't1', response_id: response, usage }],
  ] as const
  using folder = makeTempFolder()
  const timestamp = new Date(Date.now() + 86_400_000).toISOString()
  const path = join(folder.path, `rollout-2026-11-24T00-00-00-${thread}.jsonl`)
  writeFileSync(path, lines.map(([type, payload]) => `${JSON.stringify({ timestamp, type, payload })}\n`).join(''))
  const imported = await app.run<{ sightings_added: number }>('transcripts.import', { paths: [path] })
  expect(imported.at(-1)?.sightings_added).toBeGreaterThanOrEqual(3)
  const after = await eventsOf(thread)
  expect(after.map(({ uuid }) => uuid)).toEqual(before.map(({ uuid }) => uuid))
  expect(of(after, 'user_prompt')).toHaveLength(1)
})

test('frames and messages that are damaged are errors of their exchange; forwarding goes on', async () => {
  answer = () => ({ output: [message('Still here.')] })
  const socket = await openWebSocket(url(), { ...KEY, ...named('damaged') })
  // Says that it is packed, and is not.
  socket.sendRaw(Buffer.concat([Buffer.from([0xc1, 0x84, 0, 0, 0, 0]), Buffer.from([0xff, 0xff, 0xff, 0xff])]))
  socket.destroy()
  const events = await eventsOf('damaged')
  expect(of(events, 'error').map(({ payload }) => payload['type'])).toContain('decode_failed')
  // Each one is counted.
  const failures = of(await recordedEvents(app), 'error').filter(({ payload }) => payload['type'] === 'decode_failed')
  await expect
    .poll(async () => (await app.running.health()).dropped['decode_failed'], { timeout: 20_000 })
    .toBe(failures.length)
})

test('the bytes of an image are never stored: not of a prompt, a result or a picture that the API made', async () => {
  const bytes = randomBytes(3000).toString('base64')
  const image = { type: 'input_image', image_url: `data:image/png;base64,${bytes}` }
  const made = { type: 'image_generation_call', id: `ig_${'b2'.repeat(24)}`, status: 'completed', result: bytes }
  answer = () => ({ output: [made, message('Painted.')] })
  const prompt = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] }
  const asked = { type: 'function_call', call_id: `call_${'c3'.repeat(12)}`, name: 'view_image', arguments: '{}' }
  const result = { type: 'function_call_output', call_id: asked.call_id, output: [image] }
  await post('image', request(prompt, asked, result, made))
  const events = await eventsOf('image')
  const [said] = of(events, 'user_prompt')
  expect(said?.payload).toMatchObject({
    text: 'What is this?',
    media: [{ type: 'image', media_type: 'image/png', bytes: 3000 }],
  })
  expect(of(events, 'tool_result').map(({ payload }) => payload['media'])).toMatchObject([
    [{ type: 'image', bytes: 3000 }],
    [{ type: 'image', bytes: 3000 }],
  ])
  const db = new Database(join(app.data, 'lifestats.db'), { readonly: true })
  const texts = db.prepare<[], { text: Buffer | string }>('SELECT * FROM contents').all()
  db.close()
  const all = JSON.stringify(events) + JSON.stringify(texts)
  expect(all.includes(bytes.slice(100, 160))).toBe(false)
  const { body } = await app.call<{ body: object }>('requests.get', { uuid: of(events, 'model_request')[0]?.uuid })
  expect(JSON.stringify(body)).toContain('view_image')
  expect(JSON.stringify(body).includes(bytes.slice(100, 160))).toBe(false)
})
