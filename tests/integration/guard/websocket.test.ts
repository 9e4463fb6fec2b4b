import { randomUUID } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { until } from '../../support/runner/until.ts'
import {
  call,
  message,
  startResponsesUpstream,
  type ResponsesAnswer,
  type ResponsesUpstream,
  type ResponsesUpstreamOptions,
} from '../../support/upstream/responses-upstream.ts'
import { openWebSocket, type WebSocketClient } from '../../support/upstream/web-socket-client.ts'
import { few, heavily } from '../../support/runner/heavy.ts'

interface GuardStatus {
  readonly held: readonly {
    readonly id: string
    readonly session_id: string
    readonly over: { readonly cap: string }
  }[]
  readonly counts: Readonly<Record<string, number>>
}
const status = (app: TestApp) => app.call<GuardStatus>('guard.get')
const PATIENT = { 'guard.decide_ms': 10_000, 'guard.fail_open': false }
const KEY = { authorization: 'Bearer sk-proj-dummy' }

async function parts(
  websocket: NonNullable<ResponsesUpstreamOptions['websocket']>,
  settings: Readonly<Record<string, unknown>>,
  answers: () => ResponsesAnswer = () => ({ output: [message('Done.')] }),
) {
  const upstream = await startResponsesUpstream(answers, { websocket })
  const upstreams = { openai: upstream.url, chatgpt: upstream.url }
  const app = await startApp({
    upstream: 'http://127.0.0.1:9',
    settings: { 'proxy.upstreams': upstreams, ...PATIENT, ...settings },
  })
  const session = randomUUID()
  const open = () => openWebSocket(`${app.proxy}/openai/v1/responses`, { ...KEY, 'session-id': session })
  const close = async () => {
    await app.close()
    await upstream.close()
  }
  return { upstream, app, session, open, [Symbol.asyncDispose]: close }
}

const request = (text: string, more: object = {}) => ({
  type: 'response.create',
  model: 'gpt-5.6-sol',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }],
  ...more,
})
const texts = (upstream: ResponsesUpstream) => upstream.calls.map(({ text }) => text)
const received = (socket: WebSocketClient, part: string) =>
  until(`the client receives ${part}`, () => Promise.resolve(socket.text().includes(part)))

describe.each(['plain', 'permessage-deflate'] as const)('messages on a WebSocket, %s', (websocket) => {
  test('one over the cap is refused with an error event, the connection ends, and the next one is judged too', async () => {
    // The first response has 1,050 tokens. One without history is taken as 1,000 and its input, the second as 50.
    await using all = await parts(websocket, { 'guard.session_tokens': 1060, 'guard.action': 'refuse' })
    const { upstream, app, open } = all
    const socket = await open()
    await socket.ask(request('one'))
    await until('its cost is stored', async () => (await app.count({ kind: 'api_usage' })) === 1)
    socket.send(request('two'))
    await received(socket, '"type":"error"')
    const event = /\{"type":"error".*\}/.exec(socket.text())?.[0] ?? ''
    expect(JSON.parse(event)).toEqual({
      type: 'error',
      status: 400,
      error: {
        message: expect.stringMatching(/^Aspy's guard stopped this request: .*session_tokens/),
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_prompt',
      },
    })
    await socket.closed
    expect(texts(upstream)).toEqual([JSON.stringify(request('one'))])
    const next = await open()
    next.send(request('three'))
    await received(next, '"type":"error"')
    await next.closed
    expect((await status(app)).counts).toMatchObject({ checked: 3, unpriced: 0, refused: 2 })
    expect(upstream.calls).toHaveLength(1)
  })

  test('an allowed one arrives with every byte, and so does what follows; a ping passes meanwhile', async () => {
    await using all = await parts(websocket, { 'guard.request_tokens': 10 })
    const { upstream, app, session, open } = all
    const socket = await open()
    const long = request('é'.repeat(300_000))
    const answered = socket.ask(long)
    await until('it waits', async () => (await status(app)).held.length === 1)
    socket.sendRaw(Buffer.from([0x89, 0x80, 1, 2, 3, 4]))
    expect((await status(app)).held[0]).toMatchObject({
      session_id: `codex-${session}`,
      over: { cap: 'request_tokens' },
    })
    expect(upstream.calls).toEqual([])
    const [held] = (await status(app)).held
    await app.call('guard.release', { id: held?.id, decision: 'raise', to: 1_000_000 })
    await answered
    await socket.ask(request('next'))
    expect(texts(upstream)).toEqual([JSON.stringify(long), JSON.stringify(request('next'))])
    socket.close()
    await socket.closed
    await until('both are recorded', async () => (await app.count({ kind: 'api_usage' })) === 2)
  })
})

test('what a message continues counts too, and a message that warms up passes', async () => {
  await using all = await parts('permessage-deflate', { 'guard.request_tokens': 5000, 'guard.action': 'refuse' })
  const { upstream, app, open } = all
  const socket = await open()
  const id = await socket.ask(request('word '.repeat(20_000), { generate: false }))
  socket.send(request('short', { previous_response_id: id }))
  await received(socket, 'request_tokens')
  expect(upstream.calls).toHaveLength(1)
  expect((await status(app)).counts).toMatchObject({ checked: 1, unpriced: 0, refused: 1 })
})

test('the wait ends when the client leaves: nothing is sent', async () => {
  await using all = await parts('plain', { 'guard.request_tokens': 10 })
  const { upstream, app, open } = all
  const socket = await open()
  socket.send(request('one'))
  await until('it waits', async () => (await status(app)).held.length === 1)
  socket.destroy()
  await until('nothing waits', async () => (await status(app)).held.length === 0)
  expect(upstream.calls).toEqual([])
})

test('a compressed body of a plain request is priced, and refused in the shape of the Responses API', async () => {
  await using all = await parts('refuse', { 'guard.request_tokens': 10, 'guard.action': 'refuse' })
  const { upstream, app } = all
  const send = (body: Uint8Array<ArrayBuffer>) =>
    fetch(`${app.proxy}/openai/v1/responses`, {
      method: 'POST',
      headers: { ...KEY, 'content-type': 'application/json', 'content-encoding': 'zstd' },
      body,
    })
  const refused = await send(new Uint8Array(zstdCompressSync(JSON.stringify(request('one')))))
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({
    error: { code: 'invalid_prompt', message: expect.stringContaining('request_tokens') },
  })
  // It cannot be unpacked, so it cannot be priced: with fail_open off, it is refused.
  expect((await send(new Uint8Array([1, 2, 3]))).status).toBe(400)
  expect(upstream.calls).toEqual([])
  expect((await status(app)).counts).toMatchObject({ checked: 1, unpriced: 1, refused: 2 })
})

describe.each(few(['permessage-deflate', 'plain'] as const, 1))('what continues on a WebSocket, %s', (websocket) => {
  const listing = () => call('shell', { command: ['ls'] })
  const result = (output: string) => ({ type: 'function_call_output', call_id: 'call', output })

  test('a call that is repeated within a turn is counted, although each message has only its result', async () => {
    const answers = () => ({ output: [call('read', { file: randomUUID() }), listing()] })
    const settings = { 'guard.repeat_calls': 3, 'guard.action': 'refuse' }
    await using all = await parts(websocket, settings, answers)
    const { upstream, app, open } = all
    const socket = await open()
    let id = await socket.ask(request('one'))
    for (const output of ['1', '2'])
      id = await socket.ask(request('', { previous_response_id: id, input: [result(output)] }))
    // A prompt begins another turn, with its own calls.
    id = await socket.ask(request('two', { previous_response_id: id }))
    for (const output of ['1', '2', '3'])
      id = await socket.ask(request('', { previous_response_id: id, input: [result(output)] }))
    expect(upstream.calls).toHaveLength(7)
    socket.send(request('', { previous_response_id: id, input: [result('4')] }))
    await received(socket, 'repeat_calls')
    await socket.closed
    expect(upstream.calls).toHaveLength(7)
    expect((await status(app)).counts).toMatchObject({ checked: 8, unpriced: 0, refused: 1 })
  })

  test('the first cap holds for a connection that was already open', async () => {
    await using all = await parts(websocket, { 'guard.action': 'refuse' })
    const { upstream, app, open } = all
    const socket = await open()
    await socket.ask(request('word '.repeat(100)))
    await socket.ask(request('word '.repeat(101)))
    await app.call('config.set', { key: 'guard.request_tokens', value: 1500 })
    await until('the guard runs', async () => (await app.call<{ enabled: boolean }>('guard.get')).enabled)
    // Packed, it is little more than a reference to earlier bytes.
    socket.send(request('word '.repeat(2000)))
    await received(socket, 'request_tokens')
    await socket.closed
    expect(upstream.calls).toHaveLength(2)
    expect((await status(app)).counts).toMatchObject({ checked: 1, unpriced: 0, refused: 1 })
  })
})

heavily(test)(
  'on WebSockets, each turn that starts more agents than the one before makes the fan-out grow',
  async () => {
    await using all = await parts('plain', { 'guard.growing_fan_out': 1, 'guard.action': 'refuse' })
    const { app, open, session } = all
    const main = await open()
    let id = ''
    const agents = async (count: number) => {
      const more = id === '' ? {} : { previous_response_id: id }
      id = await main.ask(request('go', more))
      return Promise.all(
        Array.from({ length: count }, async () => {
          const socket = await open()
          const client_metadata = { session_id: session, thread_id: randomUUID() }
          socket.send(request('work', { client_metadata }))
          await until('it is answered or refused', () =>
            Promise.resolve(/response\.completed|growing_fan_out/.test(socket.text())),
          )
          socket.destroy()
          return socket.text().includes('growing_fan_out')
        }),
      )
    }
    const stopped = []
    for (const count of [1, 2, 3]) stopped.push((await agents(count)).filter(Boolean).length)
    expect(stopped).toEqual([0, 0, 1])
    expect((await status(app)).counts).toMatchObject({ unpriced: 0, refused: 1 })
  },
)
