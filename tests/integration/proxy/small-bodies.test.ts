import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import type { TapMessage } from '../../../src/main/proxy/protocol/tap-protocol.ts'
import { createTap } from '../../../src/main/proxy/tap.ts'
import { passOthers } from '../../support/upstream/byte-client.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const requestTo = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** A proxy whose upstream collects the bodies that it receives, and a tap that collects its messages. */
async function collectingProxy() {
  const messages: TapMessage[] = []
  const tap = createTap({
    maxQueueBytes: 1e8,
    post(parcels) {
      messages.push(...parcels.flatMap(messagesOf))
    },
  })
  const received: string[] = []
  const run = await startProxy(
    async (exchange) => {
      const body = await exchange.readRest()
      if (exchange.path !== '/other') received.push(`${exchange.path} ${body.toString()}`)
      await exchange.write(ANSWER)
    },
    { tap },
  )
  /** The captured request bodies and the kinds of messages of one exchange, in order. */
  const captured = (path: string) => {
    tap.flush()
    const opened = messages.find((message) => message.type === 'open' && message.path === path)
    const own = messages.filter(({ exchange }) => exchange === opened?.exchange)
    const body = Buffer.concat(own.flatMap((message) => (message.type === 'request_bytes' ? [message.bytes] : [])))
    return { body: body.toString(), types: [...new Set(own.map(({ type }) => type))] }
  }
  return { run, received, captured, [Symbol.asyncDispose]: () => run[Symbol.asyncDispose]() }
}

/** Reads until the heads of `count` answers have arrived. */
async function answers(socket: Socket, count: number): Promise<string> {
  let read = ''
  while (read.split('HTTP/1.1 ').length <= count) {
    const [part] = (await once(socket, 'data')) as [Buffer]
    read += part.toString('latin1')
  }
  return read
}

describe('a small body is forwarded and captured whole, and its connection is kept', () => {
  const body = 'p'.repeat(2000)
  const head = requestTo('/first', body).slice(0, -body.length)
  const ways: { readonly [arrives: string]: readonly string[] } = {
    'together with its head': [head + body],
    'after its head': [head, body],
    'in part with its head': [head + body.slice(0, 1999), body.slice(1999)],
    'in the middle of its head': [head.slice(0, 20), head.slice(20) + body],
  }
  test.each(Object.entries(ways))('it arrives %s', async (_, pieces) => {
    await using proxy = await collectingProxy()
    const { port } = proxy.run
    const socket = connect(port, '127.0.0.1').setNoDelay()
    for (const piece of pieces) {
      socket.write(piece.replace('PORT', String(port)))
      await passOthers(port)
    }
    expect(await answers(socket, 1)).toMatch(/^HTTP\/1\.1 200 OK/)
    socket.write(requestTo('/second', 'again').replace('PORT', String(port)))
    expect(await answers(socket, 1)).toMatch(/^HTTP\/1\.1 200 OK/)
    socket.destroy()
    expect(proxy.received).toEqual([`/first ${body}`, '/second again'])
    expect(proxy.captured('/first')).toEqual({
      body,
      types: ['open', 'request_bytes', 'request_end', 'response_head', 'response_bytes', 'end'],
    })
  })

  test('two requests arrive at once on one connection', async () => {
    await using proxy = await collectingProxy()
    const { port } = proxy.run
    const socket = connect(port, '127.0.0.1')
    socket.write((requestTo('/first', 'one') + requestTo('/second', 'two')).replaceAll('PORT', String(port)))
    await answers(socket, 2)
    socket.destroy()
    expect(proxy.received.toSorted()).toEqual(['/first one', '/second two'])
    expect([proxy.captured('/first').body, proxy.captured('/second').body]).toEqual(['one', 'two'])
  })
})
