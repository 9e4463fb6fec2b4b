import { once } from 'node:events'
import { createRequire } from 'node:module'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { Client } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createProxy } from '../../../src/main/proxy/proxy.ts'
import { answerTo, openRequest, readAnswer, readBytes, readWhole, send } from '../../support/upstream/byte-client.ts'
import { createByteUpstream, type RawExchange } from '../../support/upstream/byte-upstream.ts'
import { startTunnelProxy } from '../../support/network-proxy.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'
import { NO_TIMEOUTS, watchServers } from '../../support/upstream/watch-servers.ts'

/** undici's internal clock for request and connection timeouts. It exports `tick` for tests. */
const { tick } = createRequire(import.meta.url)('undici/lib/util/timers.js') as { tick(ms: number): void }

function minutesPass(minutes: number): void {
  for (let minute = 0; minute < minutes; minute += 1) tick(60_000)
}

function secondsPass(seconds: number): void {
  for (let second = 0; second < seconds; second += 1) tick(1000)
}

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** An upstream that pauses before its head and within its body, each time until the test resumes it. */
function silentUpstream() {
  const [asked, head, body] = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const serve = async (exchange: RawExchange) => {
    await exchange.readRest()
    asked?.resolve()
    await head?.promise
    await exchange.write(HEAD)
    await exchange.writeChunk('first')
    await body?.promise
    await exchange.writeChunk(', last')
    await exchange.write('0\r\n\r\n')
  }
  return { serve, asked: asked?.promise, sendHead: () => head?.resolve(), sendRest: () => body?.resolve() }
}

async function startByteUpstream(serve: (exchange: RawExchange) => Promise<void>) {
  const upstream = await createByteUpstream(serve)
  return { ...upstream, [Symbol.asyncDispose]: () => upstream.close() }
}

/** A proxy to a remote upstream, in an environment that names a network proxy. */
async function startProxyTo(upstream: string, environment: { readonly [name: string]: string } = {}) {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const failed = vi.fn()
  const proxy = createProxy({
    port: 0,
    upstream: new URL(upstream),
    tap: null,
    logger: { debug: () => undefined, warn: failed },
  })
  const { port } = await proxy.listen()
  return { port, failed, [Symbol.asyncDispose]: () => proxy.close(0) }
}

/** Simulates ten minutes of silence before the head and within the body. Returns the outcome. */
async function answerAfterSilence(port: number, upstream: ReturnType<typeof silentUpstream>) {
  const outgoing = openRequest(port, { method: 'POST' })
  outgoing.end('hello')
  await upstream.asked
  minutesPass(10)
  upstream.sendHead()
  const answer = await answerTo(outgoing)
  const first = await readBytes(answer, answer.statusCode === 200 ? 5 : 0)
  minutesPass(10)
  upstream.sendRest()
  const rest = await readWhole(answer)
  return [answer.statusCode, first.toString(), rest.body.toString(), rest.failure]
}
const WELL = [200, 'first', ', last', null]

describe('ten minutes of silence do not end an exchange', () => {
  test('control: with default timeouts, the simulated clock does end one', async () => {
    const { serve, asked } = silentUpstream()
    const upstream = await createByteUpstream(serve)
    const client = new Client(upstream.url)
    const answer = client.request({ method: 'GET', path: '/' })
    await asked
    minutesPass(10)
    await expect(answer).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' })
    await client.destroy()
    await upstream.close()
  })

  test('from the upstream, before its head and within its body', async () => {
    const upstream = silentUpstream()
    await using run = await startProxy(upstream.serve)
    expect(await answerAfterSilence(run.port, upstream)).toEqual(WELL)
  })

  test('from an http upstream behind a network proxy', async () => {
    const upstream = silentUpstream()
    await using network = await startByteUpstream(upstream.serve)
    await using run = await startProxyTo('http://upstream.invalid', { HTTP_PROXY: network.url.origin })
    expect(await answerAfterSilence(run.port, upstream)).toEqual(WELL)
  })

  test('from an https upstream behind a network proxy, in its tunnel', async () => {
    const upstream = silentUpstream()
    await using plain = await startByteUpstream(upstream.serve)
    await using network = await startTunnelProxy(plain.port)
    await using run = await startProxyTo('https://upstream.invalid', { HTTPS_PROXY: network.address })
    expect(await answerAfterSilence(run.port, upstream)).toEqual(WELL)
    expect(network.asked).toEqual(['upstream.invalid:443'])
  })

  test('from the client, in the middle of its request', async () => {
    const half = Promise.withResolvers<void>()
    await using run = await startProxy(async (exchange) => {
      await exchange.readBody(4)
      half.resolve()
      await exchange.readRest()
      await exchange.write(WHOLE)
    })
    const outgoing = openRequest(run.port, { method: 'POST', headers: { 'content-length': 8 } })
    outgoing.write('half')
    await half.promise
    minutesPass(10)
    outgoing.end('half')
    expect(await readAnswer(outgoing)).toMatchObject({ status: 200, failure: null, body: Buffer.from('ok') })
  })
})

test("the proxy's server has no timeouts for heads, requests or idle connections", async () => {
  using watched = watchServers()
  await using run = await startProxy((exchange) => exchange.write(WHOLE))
  expect((await send(run.port)).status).toBe(200)
  expect(watched.seen).toHaveLength(1)
  const [{ server, socket } = { server: null, socket: null }] = watched.seen
  expect(server).toMatchObject(NO_TIMEOUTS)
  // Undefined: never set.
  expect(socket?.timeout ?? 0).toBe(0)
})

test('a head of 40 KB passes in both directions, even behind a network proxy', async () => {
  const value = 'x'.repeat(40_000)
  const seen: (string | undefined)[] = []
  const serve = (exchange: RawExchange) => {
    seen.push(exchange.header('x-long'))
    return exchange.write(WHOLE.replace('\r\n', `\r\nX-Long: ${value}\r\n`))
  }
  await using upstream = await startByteUpstream(serve)
  await using network = await startTunnelProxy(upstream.port)
  const address = upstream.url.origin
  for (const [url, environment] of [
    [address, {}],
    ['http://upstream.invalid', { HTTP_PROXY: address }],
    ['https://upstream.invalid', { HTTPS_PROXY: network.address }],
  ] as const) {
    await using run = await startProxyTo(url, environment)
    const answer = await send(run.port, { maxHeaderSize: 64_000, headers: { 'x-long': value } })
    expect([answer.status, answer.headers.includes(value)]).toEqual([200, true])
    vi.unstubAllEnvs()
  }
  expect(seen).toEqual([value, value, value])
})

test('a connection attempt times out after thirty seconds, and not before', async () => {
  // Accepts the connection, but never starts TLS.
  const sockets: Socket[] = []
  const upstream = createServer((socket) => void sockets.push(socket.on('error', () => socket.destroy())))
  upstream.listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  await using run = await startProxyTo(`https://127.0.0.1:${(upstream.address() as AddressInfo).port}`)
  const connected = once(upstream, 'connection')
  const outgoing = openRequest(run.port)
  outgoing.end()
  await connected
  secondsPass(28)
  // undici gives the system two turns before it gives up.
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
  expect(run.failed).not.toHaveBeenCalled()
  const answer = readAnswer(outgoing)
  secondsPass(4)
  const { status, body } = await answer
  expect([status, body.toString()]).toEqual([502, expect.stringContaining('UND_ERR_CONNECT_TIMEOUT')])
  for (const socket of sockets) socket.destroy()
  upstream.close()
})

afterEach(() => vi.unstubAllEnvs())
