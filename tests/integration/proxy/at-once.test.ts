import { expect, test } from 'vitest'
import type { IncomingMessage } from 'node:http'
import { answerTo, openRequest, passOthers } from '../../support/upstream/byte-client.ts'
import type { RawExchange } from '../../support/upstream/byte-upstream.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'

const WHOLE = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** Returns the part of a response that has arrived so far. */
function watch(answer: IncomingMessage) {
  const parts: Buffer[] = []
  answer.on('data', (part: Buffer) => parts.push(part))
  return () => Buffer.concat(parts).toString()
}

test.each(['text/event-stream', 'application/json'])(
  'a piece of a response (%s) is forwarded without waiting for the next',
  async (type) => {
    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    await using run = await startProxy(async (exchange: RawExchange) => {
      if (exchange.path === '/other') return exchange.write(WHOLE)
      await exchange.write(`HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`)
      await written.promise
      await exchange.writeChunk('first')
      await goOn.promise
      await exchange.writeChunk(', second')
      await exchange.write('0\r\n\r\n')
    })
    const outgoing = openRequest(run.port)
    outgoing.end()
    // Not awaited here: a response whose head is held back would never arrive.
    const answered = answerTo(outgoing)
    let answer: IncomingMessage | null = null
    void answered.then((came) => (answer = came))
    await passOthers(run.port)
    expect(answer).not.toBeNull()
    const came = await answered
    const soFar = watch(came)
    written.resolve()
    await passOthers(run.port)
    expect(soFar()).toBe('first')
    goOn.resolve()
    await new Promise((resolve) => came.once('end', resolve))
    expect(soFar()).toBe('first, second')
  },
)

test('a piece of a request is forwarded without waiting for the next', async () => {
  let arrived = ''
  const goOn = Promise.withResolvers<void>()
  await using run = await startProxy(async (exchange: RawExchange) => {
    if (exchange.path === '/other') return exchange.write(WHOLE)
    arrived = (await exchange.readBody(5)).toString()
    await goOn.promise
    arrived += (await exchange.readRest()).toString()
    await exchange.write(WHOLE)
  })
  const outgoing = openRequest(run.port, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
  const answered = answerTo(outgoing)
  outgoing.write('first')
  await passOthers(run.port)
  expect(arrived).toBe('first')
  goOn.resolve()
  outgoing.end(', second')
  expect((await answered).statusCode).toBe(200)
  expect(arrived).toBe('first, second')
})
