import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import { createTap } from '../../../src/main/proxy/tap.ts'
import type { TapMessage } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import { answerTo, openRequest, readAnswer, readBytes, readWhole, send } from '../../support/upstream/byte-client.ts'
import type { RawExchange } from '../../support/upstream/byte-upstream.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'

/** A tap that collects its posts and acknowledges them immediately. */
function recordingTap() {
  const posted: TapMessage[] = []
  const tap = createTap({
    maxQueueBytes: 256 * 1024 * 1024,
    post(parcels, transfer) {
      const messages = structuredClone(parcels, { transfer }).flatMap(messagesOf)
      posted.push(...messages)
      for (const message of messages) if (message.type === 'end') tap.acknowledge(message.exchange)
    },
  })
  const bytesOf = (type: 'request_bytes' | 'response_bytes') =>
    Buffer.concat(posted.flatMap((message) => (message.type === type ? [message.bytes] : [])))
  return { tap, posted, bytesOf }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const head = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`

describe('a response is the same with and without the proxy', () => {
  const KIB = 1024
  const sizes = [0, 1, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, 3_000_000, 32 * KIB * KIB]
  test.each(sizes.flatMap((size) => [`${size} chunked`, `${size} sized`]))('%s bytes, both ways', async (name) => {
    const [size, framing] = name.split(' ')
    const payload = randomBytes(Number(size))
    const received: string[] = []
    const serve = async (exchange: RawExchange) => {
      received.push(sha256(await exchange.readRest()))
      if (framing === 'sized') {
        await exchange.write(head('HTTP/1.1 200 OK', `Content-Length: ${payload.byteLength}`))
        await exchange.write(payload)
        return
      }
      await exchange.write(head('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'))
      for (let at = 0; at < payload.byteLength; at += 100_000)
        await exchange.writeChunk(payload.subarray(at, at + 100_000))
      await exchange.write('0\r\n\r\n')
    }
    const { tap, bytesOf } = recordingTap()
    await using run = await startProxy(serve, { tap })
    const options = {
      method: 'POST',
      headers: framing === 'sized' ? { 'content-length': payload.byteLength } : { 'transfer-encoding': 'chunked' },
    }
    const direct = await send(run.upstream.port, options, payload)
    const through = await send(run.port, options, payload)
    expect(direct.failure).toBeNull()
    expect({ ...through, body: sha256(through.body) }).toEqual({ ...direct, body: sha256(direct.body) })
    expect(sha256(through.body)).toBe(sha256(payload))
    expect(received).toEqual([sha256(payload), sha256(payload)])
    tap.flush()
    expect(sha256(bytesOf('request_bytes'))).toBe(sha256(payload))
    expect(sha256(bytesOf('response_bytes'))).toBe(sha256(payload))
    expect(tap.stats()).toMatchObject({
      queue_bytes: 0,
      in_flight: 0,
      acknowledged: 1,
      copied_bytes: 2 * payload.byteLength,
    })
  })

  test('split at every position of a character and of an event-stream line', async () => {
    const whole = Buffer.from('event: x\ndata: {"text":"é€😀"}\r\n\r\nevent: y\ndata: 日本\n\n')
    const clientHas: { [at: string]: PromiseWithResolvers<void> } = {}
    await using run = await startProxy(async (exchange) => {
      const at = Number(exchange.path.slice(1))
      await exchange.write(head('HTTP/1.1 200 OK', 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked'))
      if (at > 0) await exchange.writeChunk(whole.subarray(0, at))
      await clientHas[at]?.promise
      if (at < whole.byteLength) await exchange.writeChunk(whole.subarray(at))
      await exchange.write('0\r\n\r\n')
    })
    for (let at = 0; at <= whole.byteLength; at += 1) {
      const clientHasIt = Promise.withResolvers<void>()
      clientHas[at] = clientHasIt
      const outgoing = openRequest(run.port, { path: `/${at}` })
      outgoing.end()
      const answer = await answerTo(outgoing)
      const first = await readBytes(answer, at)
      clientHasIt.resolve()
      const rest = await readWhole(answer)
      expect(first).toEqual(whole.subarray(0, at))
      expect(rest.body).toEqual(whole.subarray(at))
      expect(rest.failure).toBeNull()
    }
  })

  test('compressed bodies pass unchanged', async () => {
    const packed = gzipSync('data: compressed\n\n')
    await using run = await startProxy(async (exchange) => {
      expect(exchange.header('accept-encoding')).toBe('gzip, br')
      expect(await exchange.readRest()).toEqual(packed)
      await exchange.write(head('HTTP/1.1 200 OK', 'Content-Encoding: gzip', `Content-Length: ${packed.byteLength}`))
      await exchange.write(packed)
    })
    const headers = { 'accept-encoding': 'gzip, br', 'content-encoding': 'gzip', 'content-length': packed.byteLength }
    const answer = await send(run.port, { method: 'POST', headers }, packed)
    expect(answer.body).toEqual(packed)
    expect(answer.headers).toEqual(['Content-Encoding', 'gzip', 'Content-Length', String(packed.byteLength)])
  })
})

describe('heads pass unchanged', () => {
  test('status, reason and headers keep case, order and repetitions, except for hop-by-hop headers', async () => {
    await using run = await startProxy(async (exchange) => {
      await exchange.write(
        head(
          'HTTP/1.1 529 Überlastet und Müde'.normalize(),
          'X-First: é€',
          'Set-Cookie: a=1',
          'x-first: 2',
          'Set-Cookie: b=2',
          'X-Private: of this hop',
          'Connection: keep-alive, X-Private',
          'Keep-Alive: timeout=7',
          'anthropic-ratelimit-unified-5h-utilization: 0.5',
          'Content-Length: 0',
        ),
      )
    })
    const answer = await send(run.port)
    expect([answer.status, Buffer.from(answer.reason, 'latin1').toString()]).toEqual([529, 'Überlastet und Müde'])
    const flat =
      'X-First: é€|Set-Cookie: a=1|x-first: 2|Set-Cookie: b=2|anthropic-ratelimit-unified-5h-utilization: 0.5|Content-Length: 0'
    expect(answer.headers.map((part) => Buffer.from(part, 'latin1').toString())).toEqual(flat.split(/: |\|/))
  })

  test('an empty reason stays empty', async () => {
    await using run = await startProxy((exchange) => exchange.write('HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n'))
    expect(await send(run.port)).toMatchObject({ status: 200, reason: '', headers: ['Content-Length', '0'] })
  })

  test('request headers keep case, order and repetitions; Host becomes the upstream', async () => {
    const { tap, posted } = recordingTap()
    const seen: RawExchange['headers'][] = []
    await using run = await startProxy(
      async (exchange) => {
        seen.push(exchange.headers)
        await exchange.write(head('HTTP/1.1 200 OK', 'Content-Length: 0'))
      },
      { tap },
    )
    const headers =
      `Host: 127.0.0.1:${run.port}|X-Api-Key: k|anthropic-beta: a|Anthropic-Beta: b|X-Twice: 1|X-Twice: 2|Proxy-Authorization: p|TE: trailers|X-Mine: m|Connection: X-Mine, close`.split(
        /: |\|/,
      )
    await send(run.port, { headers })
    expect(seen).toEqual([
      [
        ['host', run.upstream.url.host],
        ['connection', 'keep-alive'],
        ['X-Api-Key', 'k'],
        ['anthropic-beta', 'a'],
        ['Anthropic-Beta', 'b'],
        ['X-Twice', '1'],
        ['X-Twice', '2'],
      ],
    ])
    tap.flush()
    expect(posted[0]).toMatchObject({
      type: 'open',
      method: 'GET',
      path: '/',
      headers: expect.arrayContaining([['X-Api-Key', 'k']]),
    })
  })

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK', 'Content-Length: 1234'],
    ['HEAD', 'HTTP/1.1 200 OK', 'X-No: length'],
    ['POST', 'HTTP/1.1 204 No Content', 'X-No: body'],
    ['GET', 'HTTP/1.1 304 Not Modified', 'ETag: "1"'],
  ])('%s, %s, %s: no body, and the connection stays open', async (method, status, header) => {
    await using run = await startProxy((exchange) => exchange.write(head(status, header)))
    const direct = await send(run.upstream.port, { method })
    expect(await send(run.port, { method })).toEqual(direct)
    expect(direct.headers).toEqual(header.split(': '))
  })

  test('response trailers arrive', async () => {
    await using run = await startProxy((exchange) =>
      exchange.write(
        `${head('HTTP/1.1 200 OK', 'Trailer: X-Sum', 'Transfer-Encoding: chunked')}2\r\nhi\r\n0\r\nX-Sum: 42\r\n\r\n`,
      ),
    )
    const answer = await send(run.port)
    expect([answer.body.toString(), answer.trailers]).toEqual(['hi', ['X-Sum', '42']])
  })

  test('a response that ends with its connection arrives whole', async () => {
    await using run = await startProxy(async (exchange) => {
      await exchange.write(head('HTTP/1.1 200 OK', 'Connection: close'))
      await exchange.write('until the end')
      exchange.cut()
    })
    expect(await send(run.port)).toMatchObject({ status: 200, failure: null, body: Buffer.from('until the end') })
  })

  test("the upstream's path is prefixed; queries and unusual paths are unchanged", async () => {
    const paths: string[] = []
    await using run = await startProxy(
      async (exchange) => {
        paths.push(exchange.path)
        await exchange.write(head('HTTP/1.1 200 OK', 'Content-Length: 0'))
      },
      { path: '/gateway/v9/' },
    )
    const asked = ['/v1/messages?beta=true', '//evil.example/x', '/a%2Fb/../c;d?e=%00&f', '/?']
    for (const path of asked) await send(run.port, { path })
    expect(paths).toEqual(asked.map((path) => `/gateway/v9${path}`))
  })

  test('100 Continue is sent once the upstream is ready for the body', async () => {
    await using run = await startProxy(async (exchange) => {
      expect(exchange.header('expect')).toBeUndefined()
      const body = await exchange.readRest()
      await exchange.write(head('HTTP/1.1 200 OK', `Content-Length: ${body.byteLength}`))
      await exchange.write(body)
    })
    const outgoing = openRequest(run.port, { method: 'POST', headers: { expect: '100-continue', 'content-length': 5 } })
    outgoing.flushHeaders()
    await new Promise<void>((resolve) => outgoing.once('continue', resolve))
    outgoing.end('hello')
    expect((await readAnswer(outgoing)).body.toString()).toBe('hello')
  })
})
