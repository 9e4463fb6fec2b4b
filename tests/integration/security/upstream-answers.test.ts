import { describe, expect, test } from 'vitest'
import { openRequest, readAnswer, send } from '../../support/upstream/byte-client.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'

/** An upstream, or whoever answers in its name, sends what no client should ever be denied its answer for. */

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('a reason phrase', () => {
  test.each([
    ['control characters', 'O\u0001K\u001b[31m', 'O K [31m'],
    ['a DEL', 'O\u007fK', 'O K'],
    ['a tab', 'O\tK', 'O\tK'],
    ['UTF-8', 'd\u00c3\u00a9j\u00c3\u00a0', 'd\u00c3\u00a9j\u00c3\u00a0'],
    ['nothing', '', ''],
  ])('with %s arrives as far as HTTP can carry it', async (_name, reason, seen) => {
    await using run = await startProxy(async (exchange) => {
      await exchange.readRest()
      await exchange.write(Buffer.from(`HTTP/1.1 200 ${reason}\r\nContent-Length: 2\r\n\r\nok`, 'latin1'))
    })
    const answer = await send(run.port, { method: 'POST' }, 'hello')
    expect([answer.status, answer.reason, answer.body.toString(), answer.failure]).toEqual([200, seen, 'ok', null])
  })
})

describe('informational answers that nobody asked for', () => {
  const INFORMATIONAL = {
    'a 100 Continue': 'HTTP/1.1 100 Continue\r\n\r\n',
    'a 100 with headers': 'HTTP/1.1 100 Continue\r\nX-One: 1\r\nX-Two: 2\r\n\r\n',
    'a 102': 'HTTP/1.1 102 Processing\r\n\r\n',
    'a 103 with links': 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n',
    'a 103, then a 100': 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    'a thousand of them': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000),
  }
  const CUTS = { 'at once': (text: string) => [text], 'byte by byte': (text: string) => text.slice(0, 400).split('') }

  test.each(Object.entries(INFORMATIONAL))(
    '%s: the final answer arrives, on a kept connection too',
    async (_name, text) => {
      await using run = await startProxy(async (exchange) => {
        await exchange.readRest()
        await exchange.write(text + ANSWER)
      })
      for (let round = 0; round < 3; round += 1) {
        const answer = await send(run.port, { method: 'POST' }, `hello ${round}`)
        expect([answer.status, answer.body.toString(), answer.failure]).toEqual([200, 'ok', null])
      }
    },
  )

  test.each(Object.entries(CUTS))('a 100 that arrives %s', async (_name, cut) => {
    await using run = await startProxy(async (exchange) => {
      exchange.socket.setNoDelay()
      await exchange.readRest()
      for (const piece of cut(INFORMATIONAL['a 100 with headers'] + ANSWER)) {
        await exchange.write(piece)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    const answer = await send(run.port, { method: 'POST' }, 'hello')
    expect([answer.status, answer.body.toString(), answer.failure]).toEqual([200, 'ok', null])
  })

  test('a 100 while the body is still being sent: the body arrives whole, then the answer', async () => {
    await using run = await startProxy(async (exchange) => {
      expect((await exchange.readBody(4)).toString()).toBe('half')
      await exchange.write('HTTP/1.1 100 Continue\r\n\r\n')
      half.resolve()
      expect((await exchange.readRest()).toString()).toBe('rest')
      await exchange.write(ANSWER)
    })
    const half = Promise.withResolvers<void>()
    const outgoing = openRequest(run.port, { method: 'POST', headers: { 'content-length': 8 } })
    outgoing.write('half')
    await half.promise
    outgoing.end('rest')
    expect(await readAnswer(outgoing)).toMatchObject({ status: 200, body: Buffer.from('ok'), failure: null })
  })

  test('a body that looks like one is not touched', async () => {
    const body = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)
    await using run = await startProxy(async (exchange) => {
      await exchange.readRest()
      await exchange.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`)
      for (const line of body.split(/(?<=\n\r\n)/)) {
        await exchange.write(line)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    for (let round = 0; round < 2; round += 1)
      expect((await send(run.port, { method: 'POST' }, 'hello')).body.toString()).toBe(body)
  })

  test('an upstream that sends nothing else and leaves is a failure that names it', async () => {
    await using run = await startProxy(async (exchange) => {
      await exchange.readRest()
      await exchange.write('HTTP/1.1 100 Continue\r\n\r\n')
      exchange.cut()
    })
    const answer = await send(run.port, { method: 'POST' }, 'hello')
    expect(answer.status).toBe(502)
    expect(answer.body.toString()).toContain('the connection closed before a response arrived')
  })
})

describe('an answer that HTTP does not allow', () => {
  test.each([
    ['a control character in a header', 'HTTP/1.1 200 OK\r\nX-A: a\u0001b\r\nContent-Length: 2\r\n\r\nok'],
    ['a header of 200 KB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(200_000)}\r\nContent-Length: 2\r\n\r\nok`],
    ['ten thousand headers', `HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(10_000)}Content-Length: 2\r\n\r\nok`],
    ['a NUL', 'HTTP/1.1 200 OK\r\n\0: b\r\n\r\n'],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
    ['a status of 99', 'HTTP/1.1 099 Odd\r\nContent-Length: 2\r\n\r\nok'],
    ['a status of 999', 'HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok'],
  ])('%s: the client gets an answer, and the next request works', async (_name, text) => {
    let isFirst = true
    await using run = await startProxy(async (exchange) => {
      await exchange.readRest()
      if (!isFirst) return exchange.write(ANSWER)
      isFirst = false
      await exchange.write(Buffer.from(text, 'latin1'))
    })
    const answer = await send(run.port, { method: 'POST', maxHeaderSize: 256 * 1024 }, 'hello')
    expect([200, 502, 999]).toContain(answer.status)
    expect((await send(run.port, { method: 'POST' }, 'again')).body.toString()).toBe('ok')
  })
})
