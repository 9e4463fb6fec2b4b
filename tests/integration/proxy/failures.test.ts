import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import { createProxy } from '../../../src/main/proxy/proxy.ts'
import { createTap } from '../../../src/main/proxy/tap.ts'
import type { TapMessage } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import {
  answerTo,
  openRequest,
  passOthers,
  readAnswer,
  readBytes,
  readWhole,
  send,
} from '../../support/upstream/byte-client.ts'
import type { RawExchange } from '../../support/upstream/byte-upstream.ts'
import { silentLogger, startProxy } from '../../support/upstream/proxy-under-test.ts'
import { freePort } from '../../support/runner/free-port.ts'

const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
const EMPTY_ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** A tap whose exchanges can be awaited: `ended` resolves with the last message of the first one. */
function watchedTap() {
  const messages: TapMessage[] = []
  const ended = Promise.withResolvers<TapMessage & { readonly type: 'end' }>()
  const tap = createTap({
    maxQueueBytes: 1e8,
    post(parcels) {
      const batch = parcels.flatMap(messagesOf)
      messages.push(...batch)
      for (const message of batch) if (message.type === 'end') ended.resolve(message)
    },
  })
  const requestText = () =>
    Buffer.concat(messages.flatMap((message) => (message.type === 'request_bytes' ? [message.bytes] : []))).toString()
  return { tap, messages, ended: ended.promise, requestText }
}

/** Sends raw bytes and reads until the connection ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('latin1')
}

describe('the client disconnects', () => {
  const beginnings: { readonly [when: string]: (exchange: RawExchange) => Promise<void> } = {
    'before the head': async () => undefined,
    'in mid-answer': async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      await exchange.writeChunk('first words')
    },
  }
  test.each(Object.entries(beginnings))('%s: the upstream request is aborted', async (when, begin) => {
    const { tap, ended } = watchedTap()
    let upstreamSawIt = false
    const arrived = Promise.withResolvers<void>()
    await using run = await startProxy(
      async (exchange) => {
        if (exchange.path === '/other') return exchange.write(EMPTY_ANSWER)
        await begin(exchange)
        arrived.resolve()
        await exchange.closed
        upstreamSawIt = true
      },
      { tap },
    )
    const outgoing = openRequest(run.port)
    outgoing.end()
    if (when === 'in mid-answer') await readBytes(await answerTo(outgoing), 11)
    await arrived.promise
    outgoing.destroy()
    expect(await ended).toMatchObject({ outcome: 'client_aborted', error: null })
    await passOthers(run.port)
    expect(upstreamSawIt).toBe(true)
    expect(run.proxy.inFlight()).toBe(0)
  })

  test('mid-request: the upstream request is aborted, and the bytes sent so far are recorded', async () => {
    const { tap, ended, requestText } = watchedTap()
    const upstreamHasIt = Promise.withResolvers<void>()
    let upstreamSawIt = false
    await using run = await startProxy(
      async (exchange) => {
        if (exchange.path === '/other') return exchange.write(EMPTY_ANSWER)
        expect((await exchange.readBody(4)).toString()).toBe('half')
        upstreamHasIt.resolve()
        await exchange.closed
        upstreamSawIt = true
      },
      { tap },
    )
    const outgoing = openRequest(run.port, { method: 'POST', headers: { 'content-length': 8 } })
    outgoing.write('half')
    await upstreamHasIt.promise
    outgoing.destroy()
    expect(await ended).toMatchObject({ outcome: 'client_aborted' })
    await passOthers(run.port)
    expect(upstreamSawIt).toBe(true)
    expect(requestText()).toBe('half')
  })
})

describe('the upstream disconnects mid-response', () => {
  const heads = { chunked: CHUNKED_HEAD, sized: 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n' }
  test.each([
    ['chunked', 'cut'],
    ['chunked', 'reset'],
    ['sized', 'cut'],
    ['sized', 'reset'],
  ] as const)(
    '%s, %s: the client gets the data so far and sees the disconnect, as without the proxy',
    async (framing, way) => {
      const { tap, ended } = watchedTap()
      const clientHasIt: PromiseWithResolvers<void>[] = []
      await using run = await startProxy(
        async (exchange) => {
          await exchange.write(heads[framing])
          if (framing === 'chunked') await exchange.writeChunk('data: {"half')
          else await exchange.write('data: {"half')
          const has = Promise.withResolvers<void>()
          clientHasIt.push(has)
          await has.promise
          exchange[way]()
          await exchange.closed
        },
        { tap },
      )
      const brokenAnswer = async (port: number) => {
        const outgoing = openRequest(port)
        outgoing.end()
        const answer = await answerTo(outgoing)
        const first = await readBytes(answer, 12)
        clientHasIt.at(-1)?.resolve()
        const { failure, body } = await readWhole(answer)
        return { first: first.toString(), failure, body: body.toString() }
      }
      const direct = await brokenAnswer(run.upstream.port)
      expect(await brokenAnswer(run.port)).toEqual(direct)
      expect(direct).toEqual({ first: 'data: {"half', failure: 'aborted', body: '' })
      expect(await ended).toMatchObject({ outcome: 'upstream_aborted', error: expect.any(String) })
    },
  )

  test('a slow client still receives everything sent before', async () => {
    const megabyte = Buffer.alloc(1_000_000, 'y')
    await using run = await startProxy(async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      for (let index = 0; index < 30; index += 1) await exchange.writeChunk(megabyte)
      exchange.cut()
    })
    const outgoing = openRequest(run.port)
    outgoing.end()
    const answer = await answerTo(outgoing)
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { body, failure } = await readWhole(answer)
    expect([body.byteLength, failure]).toEqual([30_000_000, 'aborted'])
  })
})

describe('the upstream does not respond', () => {
  const shape = { type: 'error', error: { type: 'api_error', message: expect.any(String) } }

  test.each([
    ['a long prompt', 3_000_000],
    ['a prompt that comes whole before the connection is refused', 2000],
  ])('it cannot be reached: 502 in the shape of the Messages API, and %s is recorded', async (_, length) => {
    const { tap, ended, requestText, messages } = watchedTap()
    const upstreamPort = await freePort()
    const upstream = new URL(`http://127.0.0.1:${upstreamPort}`)
    const proxy = createProxy({ port: 0, upstream, tap, logger: silentLogger })
    const { port } = await proxy.listen()
    const prompt = 'p'.repeat(length)
    const answer = await send(port, { method: 'POST', headers: { 'content-length': prompt.length } }, prompt)
    expect(answer).toMatchObject({ status: 502, failure: null })
    const body: unknown = JSON.parse(answer.body.toString())
    expect(body).toEqual(shape)
    expect(answer.body.toString()).toContain(`could not reach http://127.0.0.1:${upstreamPort} (ECONNREFUSED`)
    expect(await ended).toMatchObject({
      outcome: 'upstream_unreachable',
      error: expect.stringContaining('ECONNREFUSED'),
    })
    expect(requestText()).toBe(prompt)
    expect(messages.map((message) => message.type)).not.toContain('response_head')
    await proxy.close(0)
  })

  test('its host name is unknown: the message says what to check', async () => {
    const upstream = new URL('http://no-such-host.invalid')
    const proxy = createProxy({ port: 0, upstream, tap: null, logger: silentLogger })
    const { port } = await proxy.listen()
    const answer = await send(port)
    expect(answer.status).toBe(502)
    expect(answer.body.toString()).toMatch(
      /could not reach http:\/\/no-such-host\.invalid \((ENOTFOUND|EAI_AGAIN).*--upstream|DNS/,
    )
    await proxy.close(0)
  })

  test('it disconnects before it responds: a 502 says so, and the next request uses a new connection', async () => {
    const { tap, ended } = watchedTap()
    let isFirst = true
    await using run = await startProxy(
      async (exchange) => {
        await exchange.readRest()
        if (!isFirst) return exchange.write(EMPTY_ANSWER)
        isFirst = false
        exchange.cut()
        await exchange.closed
      },
      { tap },
    )
    const answer = await send(run.port, { method: 'POST' }, 'hello')
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([502, shape])
    expect(await ended).toMatchObject({ outcome: 'upstream_aborted' })
    expect((await send(run.port)).status).toBe(200)
  })

  test('it disconnects mid-request: the client can finish sending and reads the 502', async () => {
    const { tap, ended, requestText } = watchedTap()
    await using run = await startProxy(
      async (exchange) => {
        await exchange.readBody(1_000_000)
        exchange.reset()
        await exchange.closed
      },
      { tap },
    )
    const prompt = 'p'.repeat(20_000_000)
    const answer = await send(run.port, { method: 'POST', headers: { 'content-length': prompt.length } }, prompt)
    expect([answer.status, JSON.parse(answer.body.toString())]).toEqual([502, shape])
    expect(await ended).toMatchObject({ outcome: 'upstream_aborted' })
    expect(requestText()).toBe(prompt)
  })

  test('it responds and disconnects without reading the request: the client gets that response', async () => {
    await using run = await startProxy(async (exchange) => {
      await exchange.write('HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nbig')
      await exchange.readRest()
    })
    const prompt = Buffer.alloc(20_000_000)
    const answer = await send(run.port, { method: 'POST', headers: { 'content-length': prompt.byteLength } }, prompt)
    expect([answer.status, answer.body.toString(), answer.failure]).toEqual([413, 'big', null])
  })

  test('its response is not HTTP: a 502, not a crash', async () => {
    await using run = await startProxy((exchange) => exchange.write('SSH-2.0-OpenSSH_9.9\r\n\r\n'))
    expect((await send(run.port)).status).toBe(502)
    expect((await send(run.port)).status).toBe(502)
  })

  test('a client waiting for 100 Continue gets the error immediately, and its connection is closed', async () => {
    const upstream = new URL(`http://127.0.0.1:${await freePort()}`)
    const proxy = createProxy({ port: 0, upstream, tap: null, logger: silentLogger })
    const { port } = await proxy.listen()
    const answer = await raw(
      port,
      `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 502 /)
    await proxy.close(0)
  })
})

describe('the proxy serves only its own clients and its own upstream', () => {
  const get = (port: number, target: string, ...headers: readonly string[]) =>
    [`GET ${target} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers, '', ''].join('\r\n')
  const refusals: { readonly [what: string]: readonly [number, (port: number) => string] } = {
    'a foreign Host': [403, (port) => `GET / HTTP/1.1\r\nHost: evil.example:${port}\r\nConnection: close\r\n\r\n`],
    'a Host without the port': [403, () => 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
    'a foreign Origin': [403, (port) => get(port, '/', 'Origin: https://evil.example')],
    'its own Origin': [403, (port) => get(port, '/', `Origin: http://127.0.0.1:${port}`)],
    'Origin null': [403, (port) => get(port, '/', 'Origin: null')],
    'Sec-Fetch-Site': [403, (port) => get(port, '/', 'Sec-Fetch-Site: none')],
    'an absolute target': [400, (port) => get(port, 'http://evil.example/')],
    'an asterisk': [400, (port) => get(port, '*').replace('GET', 'OPTIONS')],
    'a tunnel': [405, (port) => get(port, 'evil.example:443').replace('GET', 'CONNECT')],
    'a WebSocket': [501, (port) => get(port, '/', 'Upgrade: websocket').replace('close', 'upgrade, close')],
  }
  test.each(Object.entries(refusals))(
    '%s is refused, in the shape of the Messages API, and not recorded',
    async (_, [status, text]) => {
      const { tap } = watchedTap()
      await using run = await startProxy((exchange) => exchange.write(EMPTY_ANSWER), { tap })
      const answer = await raw(run.port, text(run.port))
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      const body: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
      expect(body).toEqual({
        type: 'error',
        error: { type: expect.any(String), message: expect.stringContaining('Aspy') },
      })
      expect(run.upstream.requests()).toBe(0)
      expect(tap.stats().seen).toBe(0)
    },
  )

  test('a refused client that sends a large body still receives the reason', async () => {
    await using run = await startProxy((exchange) => exchange.write(EMPTY_ANSWER))
    const headers = { origin: 'https://evil.example', 'content-length': 5_000_000 }
    expect((await send(run.port, { method: 'POST', headers }, Buffer.alloc(5_000_000))).status).toBe(403)
  })

  test('an allowed host name is served', async () => {
    await using run = await startProxy((exchange) => exchange.write(EMPTY_ANSWER), { allowedHosts: ['box.internal:1'] })
    expect((await send(run.port, { headers: { host: 'box.internal:1' } })).status).toBe(200)
    expect((await send(run.port, { headers: { host: 'box.internal:2' } })).status).toBe(403)
  })

  test('an offered protocol upgrade is ignored', async () => {
    await using run = await startProxy(async (exchange) => {
      expect(exchange.header('upgrade')).toBeUndefined()
      await exchange.write(EMPTY_ANSWER)
    })
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
    }
    expect((await send(run.port, { headers })).status).toBe(200)
  })

  test('a request that is not HTTP is refused without affecting others', async () => {
    await using run = await startProxy((exchange) => exchange.write(EMPTY_ANSWER))
    expect(await raw(run.port, 'EHLO there\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
    expect((await send(run.port)).status).toBe(200)
  })
})

describe('life cycle', () => {
  test('a taken port is an error that names the setting to change', async () => {
    await using run = await startProxy(async () => undefined)
    const second = createProxy({
      port: run.port,
      upstream: run.upstream.url,
      tap: null,
      logger: silentLogger,
    })
    await expect(second.listen()).rejects.toMatchObject({
      code: 'port_taken',
      message: `port ${run.port} is taken; choose another with --proxy-port N or [proxy] port in config.toml`,
    })
  })

  test('closing refuses new requests and waits for responses in progress', async () => {
    const goOn = Promise.withResolvers<void>()
    await using run = await startProxy(async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      await exchange.writeChunk('begun')
      await goOn.promise
      await exchange.writeChunk(', done')
      await exchange.write('0\r\n\r\n')
    })
    const outgoing = openRequest(run.port)
    outgoing.end()
    const answer = await answerTo(outgoing)
    const first = await readBytes(answer, 5)
    const closing = run.proxy.close(30_000)
    await expect(readAnswer(openRequest(run.port).end())).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    goOn.resolve()
    const rest = await readWhole(answer)
    expect([first.toString(), rest.body.toString(), rest.failure]).toEqual(['begun', ', done', null])
    await closing
  })

  test('the deadline cuts requests in progress; idle connections do not delay closing', async () => {
    await using run = await startProxy(async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      await exchange.closed
    })
    const idle = connect(run.port, '127.0.0.1')
    await once(idle, 'connect')
    const outgoing = openRequest(run.port)
    outgoing.end()
    const answer = await answerTo(outgoing)
    expect(run.proxy.inFlight()).toBe(1)
    await run.proxy.close(10)
    expect((await readWhole(answer)).failure).toBe('aborted')
    expect(run.proxy.inFlight()).toBe(0)
  })
})
