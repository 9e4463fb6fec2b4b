import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPricing, type PricedUsage } from '../../../src/main/store/pricing/pricing.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { few, isHeavy } from '../../support/runner/heavy.ts'
import { until } from '../../support/runner/until.ts'
import { message, startResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { openWebSocket } from '../../support/upstream/web-socket-client.ts'

const MODEL = 'claude-sonnet-5-5'
const MAX_TOKENS = 20_000
const CAP_USD = 0.45
/** More than a cap lets pass, even if each counts only a quarter of its `max_tokens`. */
const REQUESTS = 14
/** The session of a request, so that the upstream knows what to bill it. */
const CASE = 'x-case'
const pricing = createPricing()

interface Shape {
  readonly path?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly encode?: (bytes: Buffer) => Buffer
  readonly isChunked?: true
  /** What the upstream says beyond its tokens. */
  readonly usage?: object
  readonly isUnnamed?: true
}

const marked = (ttl?: string) => ({
  type: 'text',
  text: 'kept',
  cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
})
const rewritten = (from: string, to: string) => (bytes: Buffer) => Buffer.from(bytes.toString().replace(from, to))

const SHAPES: Readonly<Record<string, Shape>> = {
  streamed: {},
  whole: { body: { stream: false } },
  gzip: { headers: { 'content-encoding': 'gzip' }, encode: gzipSync },
  deflate: { headers: { 'content-encoding': 'deflate' }, encode: deflateSync },
  br: { headers: { 'content-encoding': 'br' }, encode: brotliCompressSync },
  zstd: { headers: { 'content-encoding': 'zstd' }, encode: zstdCompressSync },
  'in chunks': { isChunked: true },
  'a query': { path: '/v1/messages?beta=true' },
  'two slashes': { path: '//v1/messages' },
  'an escape': { path: '/v1/%6dessages' },
  dots: { path: '/v1/x/../messages' },
  'a slash at the end': { path: '/v1/messages/' },
  'a gateway': { path: '/gateway/v1/messages' },
  'system as text': { body: { system: 'You are Claude Code.' } },
  'prompt as text': { body: { messages: [{ role: 'user', content: 'a question' }] } },
  thinking: { body: { thinking: { type: 'enabled', budget_tokens: 16_000 } } },
  'cached for five minutes': { body: { system: [marked()] } },
  'cached for an hour': { body: { system: [marked('1h')] } },
  'in the US': { body: { inference_geo: 'us' }, usage: { inference_geo: 'us' } },
  'named in the metadata only': { isUnnamed: true },
  'another service tier': { body: { service_tier: 'auto' }, usage: { service_tier: 'priority' } },
  'searches of the server': {
    body: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 10 }] },
    usage: { web_search_requests: 10 },
  },
  'a large cached prompt': {
    body: { system: [marked('1h')] },
    usage: {
      cache_read_input_tokens: 100_000,
      cache_creation_input_tokens: 8000,
      cache_creation_1h_input_tokens: 8000,
    },
  },
  'a name of the model that a cloud gives': { body: { model: `us.anthropic.${MODEL}-v1:0` } },
  'a name of the model with its window': { body: { model: `${MODEL}[1m]` } },
  'fields that nobody knows': { body: { max_completion_tokens: 1, context_management: { edits: [] }, later: [1] } },
  'max_tokens twice': { encode: rewritten('{', '{"max_tokens":1,') },
  'the model twice, a cheap one first': { encode: rewritten('{', '{"model":"claude-haiku-4-5",') },
  'an escape in a key': { encode: rewritten('"max_tokens"', String.raw`"\u006dax_tokens"`) },
  'a limit with an exponent': { encode: rewritten('"max_tokens":20000', '"max_tokens":2.0e4') },
  'space around it': { encode: (bytes) => Buffer.from(`\r\n\t ${bytes.toString()}\n\n `) },
  'encoded twice': {
    headers: { 'content-encoding': 'gzip, br' },
    encode: (bytes) => brotliCompressSync(gzipSync(bytes)),
  },
  'an encoding in capitals': { headers: { 'content-encoding': 'GZIP' }, encode: gzipSync },
  'a type of plain text': { headers: { 'content-type': 'text/plain; charset=utf-8' } },
  'half of a character': { encode: rewritten('a question', String.raw`a \ud800 question`) },
}
/** How a client leaves: once the upstream has the request, or once the answer so far has this text. */
const LEAVES = {
  'leaving before headers': null,
  'leaving at the beginning': 'message_start',
  'leaving early': '"text_delta"',
  'leaving by a reset': '"text_delta"',
  'leaving at the last byte': '"message_stop"}\n\n',
} as const
const isLeaving = (way: Way): way is keyof typeof LEAVES => way in LEAVES
const WAYS = [
  'one at a time',
  'one after another',
  'leaving before headers',
  'leaving at the beginning',
  'leaving early',
  'leaving by a reset',
  'leaving at the last byte',
  'broken off and retried',
  'in parallel',
] as const
type Way = (typeof WAYS)[number]
/** Shapes that are sent one way: all in heavy runs, otherwise each shape in one of the ways, another one if it is strict. */
const shapesOf = (way: Way, isStrict: boolean) =>
  Object.entries(SHAPES).filter((_, at) => isHeavy || WAYS[(at + (isStrict ? 1 : 3)) % WAYS.length] === way)
/** One after another: each is sent while the cost of the answer before may not be stored. */
const ENDS_WELL: ReadonlySet<string> = new Set<Way>(['one at a time', 'one after another', 'in parallel'])

const usageOf = (shape: Shape): PricedUsage & Readonly<Record<string, unknown>> => ({
  input_tokens: 60,
  output_tokens: MAX_TOKENS,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_creation_1h_input_tokens: 0,
  web_search_requests: 0,
  service_tier: null,
  speed: null,
  inference_geo: null,
  ...shape.usage,
})
/** The usage as the API says it. */
function saidUsage(shape: Shape): object {
  const { web_search_requests: searches, cache_creation_1h_input_tokens: hour, ...usage } = usageOf(shape)
  const said = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== 0))
  return {
    ...said,
    ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } }),
    ...(hour === 0 ? {} : { cache_creation: { ephemeral_1h_input_tokens: hour, ephemeral_5m_input_tokens: 0 } }),
  }
}
const priceOf = (shape: Shape) => pricing.price(MODEL, usageOf(shape), new Date().toISOString()) ?? 0

/** An upstream that bills every request it receives as a whole answer, and ends each in the way of its case. */
class Upstream {
  readonly received = new Map<string, number>()
  readonly #server = createServer((request, response) => void this.#answer(request, response))
  readonly #released = new Map<string, PromiseWithResolvers<void>>()

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends the answers of a case. */
  release(name: string): void {
    this.#hold(name).resolve()
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #hold(name: string): PromiseWithResolvers<void> {
    const known = this.#released.get(name) ?? Promise.withResolvers<void>()
    this.#released.set(name, known)
    return known
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = String(request.headers[CASE])
    const [shapeName = '', way] = name.split('|') as [string, Way]
    const shape = SHAPES[shapeName] ?? {}
    this.received.set(name, (this.received.get(name) ?? 0) + 1)
    for await (const _ of request);
    const usage = saidUsage(shape)
    const head = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model: MODEL, stop_reason: null }
    const text = { type: 'text', text: 'an answer' }
    if (way === 'leaving before headers') return
    if (way === 'in parallel') await this.#hold(name).promise
    if (shapeName === 'whole' && ENDS_WELL.has(way)) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ ...head, stop_reason: 'end_turn', content: [text], usage }))
      return
    }
    const event = (type: string, more: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    event('message_start', { message: { ...head, content: [], usage: { ...usage, output_tokens: 1 } } })
    if (way === 'leaving at the beginning') return
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } })
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: text.text } })
    if (way === 'leaving early' || way === 'leaving by a reset') return
    if (way === 'broken off and retried') return void setTimeout(() => response.destroy(), 20)
    event('content_block_stop', { index: 0 })
    event('message_delta', { delta: { stop_reason: 'end_turn' }, usage })
    event('message_stop', {})
    response.end()
  }
}

interface Outcome {
  readonly status: number
  readonly text: string
}

/** Sends a request as a client may, and reads its answer to the end, or until it leaves. */
function send(app: TestApp, upstream: Upstream, name: string, agent: number | null): Promise<Outcome> {
  const [shapeName = '', way] = name.split('|') as [string, Way]
  const shape = SHAPES[shapeName] ?? {}
  const session = sessionOf(name)
  const body = {
    model: MODEL,
    max_tokens: MAX_TOKENS,
    stream: true,
    metadata: { user_id: JSON.stringify({ device_id: 'd', account_uuid: 'a', session_id: session }) },
    messages: [{ role: 'user', content: [{ type: 'text', text: 'a question' }] }],
    ...shape.body,
  }
  const bytes = (shape.encode ?? ((plain) => plain))(Buffer.from(JSON.stringify(body)))
  const { origin, pathname } = new URL(app.proxy)
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'sk-ant-dummy',
    [CASE]: name,
    ...(shape.isUnnamed ? {} : { 'x-claude-code-session-id': session }),
    ...(agent === null ? {} : { 'x-claude-code-agent-id': `agent-${agent}` }),
    ...(shape.isChunked ? {} : { 'content-length': bytes.length }),
    ...shape.headers,
  }
  const path = pathname.replace(/\/$/, '') + (shape.path ?? '/v1/messages')
  return new Promise((resolve, reject) => {
    const sent = httpRequest(origin, { method: 'POST', path, headers, agent: false }, (response) => {
      let text = ''
      const end = () => resolve({ status: response.statusCode ?? 0, text })
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (!isLeaving(way) || response.statusCode !== 200 || !text.includes(LEAVES[way] ?? '')) return
        if (way === 'leaving by a reset') response.socket.resetAndDestroy()
        else sent.destroy()
      })
      response.on('close', end).on('error', end)
    })
    const before = upstream.received.get(name)
    const looking = setInterval(() => {
      if (way !== 'leaving before headers' || upstream.received.get(name) === before) return
      sent.destroy()
      resolve({ status: 200, text: '' })
    }, 5)
    sent.on('close', () => clearInterval(looking))
    sent.on('error', reject)
    sent.write(bytes.subarray(0, 20))
    sent.end(bytes.subarray(20))
  })
}

/** Waits until the cost of every answer is stored: until then it counts with its estimate. */
const allStored = (app: TestApp) =>
  until('all is stored', async () => (await app.call<{ in_flight: number }>('guard.get')).in_flight === 0)

/** A session has a uuid in the client's metadata. */
const sessions = new Map<string, string>()
function sessionOf(name: string): string {
  const known = sessions.get(name) ?? randomUUID()
  sessions.set(name, known)
  return known
}

describe.each([true, false])('a cap on a session, strict = %s', (isStrict) => {
  const upstream = new Upstream()
  let app: TestApp
  beforeAll(async () => {
    app = await startApp({
      upstream: await upstream.start(),
      settings: {
        'guard.session_usd': CAP_USD,
        'guard.strict': isStrict,
        'guard.action': 'refuse',
        'guard.decide_ms': 10_000,
        'guard.fail_open': false,
      },
    })
  })
  afterAll(async () => {
    await app.close()
    upstream.stop()
  })

  async function outcomes(name: string, way: Way): Promise<readonly Outcome[]> {
    if (way !== 'in parallel') {
      const found: Outcome[] = []
      while (found.length < REQUESTS && found.at(-1)?.status !== 402) {
        found.push(await send(app, upstream, name, null))
        if (way === 'one at a time') await allStored(app)
      }
      return found
    }
    let refused = 0
    const sent = Array.from({ length: REQUESTS }, async (_, at) => {
      const outcome = await send(app, upstream, name, at)
      if (outcome.status === 402) refused += 1
      return outcome
    })
    await until('all are decided', () => Promise.resolve((upstream.received.get(name) ?? 0) + refused === REQUESTS))
    upstream.release(name)
    return Promise.all(sent)
  }

  test.each(WAYS)('holds for requests of every shape %s', async (way) => {
    const over: string[] = []
    for (const [shapeName, shape] of shapesOf(way, isStrict)) {
      const name = `${shapeName}|${way}`
      const found = await outcomes(name, way)
      const answer = priceOf(shape)
      const billed = (upstream.received.get(name) ?? 0) * answer
      // Each answer that does not say what it costs counts a quarter of its max_tokens, or all of it: so many may be in
      // flight, whatever their input and their searches cost besides.
      const isExact = isStrict || way === 'one at a time'
      const most = isExact ? CAP_USD + answer : Math.ceil((4 * CAP_USD) / priceOf({})) * answer
      if (billed === 0 || billed > most + 1e-9) over.push(`${shapeName}: $${billed.toFixed(2)} of $${most}`)
      const refusals = found.filter(({ status }) => status !== 200)
      const isRight = ({ status, text }: Outcome) => status === 402 && /billing_error.*session_usd/.test(text)
      if (refusals.length === 0 || !refusals.every(isRight)) over.push(`${shapeName}: ${JSON.stringify(refusals)}`)
    }
    expect(over).toEqual([])
  })
})

describe.each(few([true, false], 1))('a cap on a session over WebSockets, strict = %s', (isStrict) => {
  const OPENAI = 'gpt-5.6-sol'
  const usage = { input_tokens: 60, output_tokens: MAX_TOKENS, total_tokens: MAX_TOKENS + 60 }
  const answer = pricing.price(OPENAI, usageOf({}), new Date().toISOString()) ?? 0

  test.each(
    few(
      ['one at a time', 'one after another', 'on one connection', 'leaving early', 'in parallel'] as const,
      isStrict ? 3 : 2,
    ),
  )('holds %s', async (way) => {
    const isHeld = way === 'leaving early' || way === 'in parallel'
    const held = Promise.withResolvers<void>()
    await using upstream = await startResponsesUpstream(
      async () => {
        if (isHeld) await held.promise
        return { output: [message('Done.')], usage }
      },
      { websocket: 'permessage-deflate' },
    )
    await using app = await startApp({
      upstream: 'http://127.0.0.1:9',
      settings: {
        'proxy.upstreams': { openai: upstream.url, chatgpt: upstream.url },
        'guard.session_usd': 2.25 * answer,
        'guard.strict': isStrict,
        'guard.action': 'refuse',
        'guard.decide_ms': 10_000,
        'guard.fail_open': false,
      },
    })
    const session = randomUUID()
    const open = () =>
      openWebSocket(`${app.proxy}/openai/v1/responses`, {
        authorization: 'Bearer sk-proj-dummy',
        'session-id': session,
      })
    const request = (at: number) => ({
      type: 'response.create',
      model: OPENAI,
      max_output_tokens: MAX_TOKENS,
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: `question ${at}` }] }],
    })
    const isRefused = (text: string) => /"type":"error".*session_usd/.test(text)
    let refused = 0
    if (way === 'in parallel') {
      const sockets = await Promise.all(Array.from({ length: REQUESTS }, open))
      for (const [at, socket] of sockets.entries()) socket.send(request(at))
      const count = () => sockets.filter((socket) => isRefused(socket.text())).length
      await until('all are decided', () => Promise.resolve(count() + upstream.calls.length === REQUESTS))
      refused = count()
      for (const socket of sockets) socket.destroy()
    } else {
      const answers = (text: string) => [...text.matchAll(/"type":"response.completed"/g)].length
      let socket = await open()
      for (let at = 0; at < REQUESTS && refused === 0; at += 1) {
        const before = answers(socket.text())
        socket.send(request(at))
        await until('it is decided', () =>
          Promise.resolve(
            isRefused(socket.text()) || (isHeld ? upstream.calls.length > at : answers(socket.text()) > before),
          ),
        )
        if (isRefused(socket.text())) refused += 1
        if (way === 'on one connection') continue
        socket.destroy()
        socket = await open()
        if (way === 'one at a time') await allStored(app)
      }
    }
    const most = isStrict || way === 'one at a time' ? 2.25 : 4 * 2.25
    expect(upstream.calls.length).toBeGreaterThan(0)
    expect(upstream.calls.length).toBeLessThanOrEqual(most + 1)
    expect(refused).toBeGreaterThan(0)
    held.resolve()
  })
})
