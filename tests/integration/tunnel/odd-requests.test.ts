import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { inTime } from '../../support/runner/in-time.ts'
import { until } from '../../support/runner/until.ts'
import { API_HOST, askForTunnel, beginTls, exchange } from '../../support/tunnel/tunnel-under-test.ts'
import { message, startResponsesUpstream } from '../../support/upstream/responses-upstream.ts'
import { few } from '../../support/runner/heavy.ts'

/** Requests that servers read as one for an answer, though neither their path nor their head is the usual one. */

const answerOf = () =>
  JSON.stringify({
    id: `msg_${randomUUID()}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-5-5',
    content: [{ type: 'text', text: 'An answer.' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 5 },
  })

/** Over a cap, which the tests set later. */
const REFUSING = { 'guard.action': 'refuse', 'guard.decide_ms': 10_000, 'guard.fail_open': false }

interface Way {
  /** Host and origin of the server as the client knows it. */
  readonly host: string
  readonly origin: string
  open(): Promise<Socket>
}

/** An upstream that answers every request alike, and never upgrades. */
async function startUpstream() {
  const seen: { readonly line: string; readonly upgrade: string | undefined; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    seen.push({ line: `${method} ${url}`, upgrade: headers.upgrade, body: await text(request) })
    response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() }
}

async function fullMode(app: TestApp, signal: AbortSignal): Promise<Way> {
  const key = createTunnelKey()
  const lease = app.running.dispatch.stream('tunnel.lease', { tunnel_key: key }, { access: 'all' }, signal)
  const batches = lease[Symbol.asyncIterator]()
  const first = await inTime('the lease is granted', batches.next())
  const { ca } = JSON.parse(new TextDecoder().decode(first.value?.json)) as { ca: string }
  void batches.next()
  const port = Number(new URL(app.tunnel).port)
  const open = async () => beginTls(await askForTunnel(port, `${API_HOST}:443`, key), { ca })
  return { host: API_HOST, origin: `https://${API_HOST}`, open }
}

async function baseUrl(app: TestApp): Promise<Way> {
  const { host, hostname, port, origin } = new URL(app.proxy)
  return { host, origin, open: async () => connect({ host: hostname, port: Number(port) }) }
}

const bodyOf = (session: string) =>
  JSON.stringify({
    model: 'claude-sonnet-5-5',
    max_tokens: 100,
    system: 'You are Claude Code.',
    metadata: { user_id: JSON.stringify({ session_id: session }) },
    messages: [{ role: 'user', content: 'A question.' }],
  })

const UPGRADES: readonly (readonly [string, readonly string[]])[] = [
  ['h2c', ['Connection: Upgrade, HTTP2-Settings, close', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA']],
  ['another protocol', ['Connection: upgrade, close', 'Upgrade: x']],
  ['several protocols', ['Connection: close, UPGRADE', 'UPGRADE: h2c, TLS/1.0', 'upgrade: x']],
  [
    'a WebSocket, which a POST cannot be',
    ['Connection: Upgrade, close', 'Upgrade: WebSocket', 'Sec-WebSocket-Key: AAAA'],
  ],
  ['a WebSocket among others', ['Connection: Upgrade, close', 'Upgrade: h2c, websocket']],
]

const PATHS = [
  '/v1/%6dessages',
  '/v1/%6D%65ssages?beta=true',
  '//messages',
  '//v1/messages',
  '/v1//messages',
  '/V1/MESSAGES',
  '/v1/./messages',
  '/v1/x/../messages',
  '/v1/x/%2e%2e/messages',
  '/v1/messages/',
  '/v1/messages//',
  '/v1/messages;a=b',
  '/v1/messages?x=/../y',
  'ORIGIN/v1/messages?x=1',
  'ORIGIN//v1/messages',
]

const QUESTIONS = [
  ...PATHS.map((path) => [path, 'plainly', ['Connection: close']] as const),
  ...UPGRADES.map(([offer, headers]) => ['/v1/messages', `with an offer of ${offer}`, headers] as const),
]

describe.each(['full mode', 'the base URL'] as const)('through %s', (name) => {
  let upstream: Awaited<ReturnType<typeof startUpstream>>
  let app: TestApp
  let way: Way
  const leaving = new AbortController()
  beforeAll(async () => {
    upstream = await startUpstream()
    app = await startApp({
      upstream: upstream.url,
      settings: REFUSING,
    })
    way = name === 'full mode' ? await fullMode(app, leaving.signal) : await baseUrl(app)
  })
  afterAll(async () => {
    leaving.abort()
    await app.close()
    upstream.close()
  })

  /** Posts a question and returns the answer as it came. */
  const post = async (target: string, session: string, headers: readonly string[]) => {
    const body = bodyOf(session)
    const head = [
      `POST ${target} HTTP/1.1`,
      `Host: ${way.host}`,
      'Content-Type: application/json',
      `X-Claude-Code-Session-Id: ${session}`,
      `Content-Length: ${body.length}`,
      ...headers,
    ]
    return inTime(`${target} is answered`, exchange(await way.open(), `${head.join('\r\n')}\r\n\r\n${body}`))
  }

  const absolute = (origin: string, target: string) => target.replace('ORIGIN', origin)

  test.each(few(QUESTIONS, 12))(
    'a question to %s, %s, is recorded, and its path forwarded as it is',
    async (target, _, headers) => {
      const session = randomUUID()
      const before = upstream.seen.length
      expect(await post(absolute(way.origin, target), session, headers)).toMatch(/^HTTP\/1\.1 200 [\s\S]*An answer\./)
      const line = `POST ${absolute('', target)}`
      expect(upstream.seen.slice(before)).toEqual([{ line, body: bodyOf(session) }])
      for (const kind of ['user_prompt', 'model_response', 'api_usage'] as const) {
        await until(`${kind} is recorded`, async () => (await app.count({ kind, session_id: session })) === 1)
      }
    },
  )

  test.each(['http://elsewhere.example/v1/messages', 'https://user@127.0.0.1/v1/messages', 'v1/messages', '*'])(
    'the target %s reaches nobody',
    async (target) => {
      const before = upstream.seen.length
      expect(await post(target, randomUUID(), ['Connection: close'])).toMatch(/^HTTP\/1\.1 400 /)
      expect(upstream.seen).toHaveLength(before)
    },
  )

  describe('over a cap', () => {
    beforeAll(() => app.call('config.set', { key: 'guard.request_tokens', value: 1 }))

    test.each(QUESTIONS)('a question to %s, %s, is refused', async (target, _, headers) => {
      const before = upstream.seen.length
      expect(await post(absolute(way.origin, target), randomUUID(), headers)).toMatch(/^HTTP\/1\.1 402 /)
      expect(upstream.seen).toHaveLength(before)
    })
  })
})

test('in full mode, a WebSocket that the upstream does not open ends with its answer: nothing follows it unseen', async () => {
  const upstream = await startUpstream()
  await using app = await startApp({ upstream: upstream.url })
  const leaving = new AbortController()
  const way = await fullMode(app, leaving.signal)
  for (const path of ['/v1/sessions/ws', '/v1/messages']) {
    const [before, seen] = [upstream.seen.length, (await app.running.health()).exchanges_seen]
    const asked = `GET ${path} HTTP/1.1\r\nHost: ${API_HOST}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`
    const hidden = `POST /v1/messages HTTP/1.1\r\nHost: ${API_HOST}\r\nContent-Length: 2\r\n\r\n{}`
    const answer = await inTime(`${path} is answered`, exchange(await way.open(), `${asked}${hidden}`))
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(1)
    expect(upstream.seen.slice(before).map(({ line }) => line)).toEqual([`GET ${path}`])
    expect((await app.running.health()).exchanges_seen - seen).toBe(path === '/v1/messages' ? 1 : 0)
  }
  leaving.abort()
  upstream.close()
})

test('below the prefix of the Responses API, too, a question is recorded and guarded however its path is written', async () => {
  await using upstream = await startResponsesUpstream(() => ({ output: [message('Done.')] }))
  await using app = await startApp({
    upstream: 'http://127.0.0.1:9',
    settings: {
      'proxy.upstreams': { openai: upstream.url, chatgpt: upstream.url },
      ...REFUSING,
    },
  })
  const ask = (path: string) =>
    fetch(`${app.proxy}/openai/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer sk-proj-dummy',
        'content-type': 'application/json',
        'session-id': randomUUID(),
      },
      body: JSON.stringify({ model: 'gpt-5.6-sol', input: 'A question.' }),
    }).then(async (response) => (await response.text(), response.status))
  const paths = ['//responses', '///responses', '/responses?x=1']
  expect(await Promise.all(paths.map(ask))).toEqual([200, 200, 200])
  await until('all are recorded', async () => (await app.count({ kind: 'model_response' })) === paths.length)
  await app.call('config.set', { key: 'guard.request_tokens', value: 1 })
  expect(await Promise.all(paths.map(ask))).toEqual([400, 400, 400])
  expect(upstream.calls).toHaveLength(paths.length)
})
