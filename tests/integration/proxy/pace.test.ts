import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { messagesOf } from '../../../src/main/proxy/protocol/parcel.ts'
import { createTap, type Tap, type TapExchange } from '../../../src/main/proxy/tap.ts'
import { answerTo, openRequest, readBytes, readWhole } from '../../support/upstream/byte-client.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'

const MIB = 1024 * 1024
const chunk = (index: number) => Buffer.from(`data: {"chunk":${index},"text":"${'é'.repeat(index)}"}\n\n`)
const sizedHead = (bytes: number) => `HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`
const CHUNKED_HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'

/** Each kind of capture is created for a test and removed after it. */
interface Capture extends AsyncDisposable {
  readonly tap: Tap | null
}

const captures: { readonly [name: string]: () => Promise<Capture> } = {
  'no capture': async () => ({ tap: null, [Symbol.asyncDispose]: async () => undefined }),
  'a recorder that acknowledges': async () => {
    const tap: Tap = createTap({
      maxQueueBytes: MIB,
      post(parcels) {
        for (const { type, exchange } of parcels.flatMap(messagesOf)) if (type === 'end') tap.acknowledge(exchange)
      },
    })
    return { tap, [Symbol.asyncDispose]: async () => undefined }
  },
  'a recorder and listeners that throw on everything': async () => {
    const fail = () => {
      throw new Error('on everything')
    }
    const tap = createTap({ maxQueueBytes: 1000, post: fail, onDrop: fail, onPostFailure: fail })
    return { tap, [Symbol.asyncDispose]: async () => expect(tap.stats().failures).toBeGreaterThan(0) }
  },
  'a recorder that is stalled': async () => {
    const worker = new Worker('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)', { eval: true })
    const tap = createTap({
      maxQueueBytes: 4 * MIB,
      post: (parcels, transfer) => worker.postMessage(parcels, transfer),
    })
    return { tap, [Symbol.asyncDispose]: async () => void (await worker.terminate()) }
  },
  'a recorder that is dead': async () => {
    const worker = new Worker('process.exit(1)', { eval: true })
    await once(worker, 'exit')
    const tap = createTap({
      maxQueueBytes: 4 * MIB,
      post: (parcels, transfer) => worker.postMessage(parcels, transfer),
    })
    return { tap, [Symbol.asyncDispose]: async () => undefined }
  },
}

describe.each(Object.entries(captures))('with %s, data arrives before more is sent', (_, startCapture) => {
  test('response: the upstream withholds each chunk until the client has the previous one', async () => {
    await using capture = await startCapture()
    const clientHas = Array.from({ length: 40 }, () => Promise.withResolvers<void>())
    await using run = await startProxy(async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      for (const [index, has] of clientHas.entries()) {
        await exchange.writeChunk(chunk(index))
        await has.promise
      }
      await exchange.write('0\r\n\r\n')
    }, capture)
    const outgoing = openRequest(run.port)
    outgoing.end()
    // The head arrives before any of the body.
    const answer = await answerTo(outgoing)
    for (const [index, has] of clientHas.entries()) {
      expect(await readBytes(answer, chunk(index).byteLength)).toEqual(chunk(index))
      has.resolve()
    }
    expect(await readWhole(answer)).toMatchObject({ failure: null, body: Buffer.alloc(0) })
  })

  test('head: it arrives while the body is withheld', async () => {
    await using capture = await startCapture()
    const clientHasHead = Promise.withResolvers<void>()
    await using run = await startProxy(async (exchange) => {
      await exchange.write(sizedHead(2))
      await clientHasHead.promise
      await exchange.write('ok')
    }, capture)
    const outgoing = openRequest(run.port)
    outgoing.end()
    const answer = await answerTo(outgoing)
    clientHasHead.resolve()
    expect((await readWhole(answer)).body.toString()).toBe('ok')
  })

  test.each(['chunked', 'sized'])(
    'request, %s: the client withholds each piece until the upstream has the previous one',
    async (framing) => {
      await using capture = await startCapture()
      const pieces = Array.from({ length: 40 }, (_, index) => chunk(index))
      const total = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
      const upstreamHas = pieces.map(() => Promise.withResolvers<Buffer>())
      await using run = await startProxy(async (exchange) => {
        for (const [index, has] of upstreamHas.entries()) has.resolve(await exchange.readBody(chunk(index).byteLength))
        expect(await exchange.readRest()).toHaveLength(0)
        await exchange.write(sizedHead(0))
      }, capture)
      const outgoing = openRequest(run.port, {
        method: 'POST',
        headers: framing === 'sized' ? { 'content-length': total } : { 'transfer-encoding': 'chunked' },
      })
      for (const [index, piece] of pieces.entries()) {
        outgoing.write(piece)
        expect(await upstreamHas[index]?.promise).toEqual(piece)
      }
      outgoing.end()
      expect(await readWhole(await answerTo(outgoing))).toMatchObject({ status: 200, failure: null })
    },
  )

  test('both at once: the response streams while the request is still being sent', async () => {
    await using capture = await startCapture()
    await using run = await startProxy(async (exchange) => {
      await exchange.write(CHUNKED_HEAD)
      for (let index = 0; index < 20; index += 1) await exchange.writeChunk(await exchange.readBody(5))
      await exchange.readRest()
      await exchange.write('0\r\n\r\n')
    }, capture)
    const outgoing = openRequest(run.port, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } })
    outgoing.write('piece')
    const answer = await answerTo(outgoing)
    for (let index = 0; index < 20; index += 1) {
      expect((await readBytes(answer, 5)).toString()).toBe('piece')
      if (index < 19) outgoing.write('piece')
    }
    outgoing.end()
    expect((await readWhole(answer)).failure).toBeNull()
  })
})

describe('backpressure works both ways', () => {
  const TOTAL = 96 * MIB
  /** Maximum in transit: the buffers of four sockets, at Linux's largest, and of the proxy's streams. */
  const IN_BETWEEN = 40 * MIB
  const piece = Buffer.alloc(MIB, 'x')

  /** A tap that only counts the bytes read by the proxy. */
  function countingTap() {
    const read = { request: 0, response: 0 }
    const exchange: TapExchange = {
      id: 'counted',
      requestBytes: (bytes) => void (read.request += bytes.byteLength),
      requestEnd: () => undefined,
      responseHead: () => undefined,
      responseBytes: (bytes) => void (read.response += bytes.byteLength),
      end: () => undefined,
    }
    const tap = { ...createTap({ maxQueueBytes: 0, post: () => undefined }), open: () => exchange }
    return { tap, read }
  }

  /** Waits until the number stays the same for several looks: one look of a busy machine shows nothing. */
  async function settled(number: () => number): Promise<number> {
    let before = -1
    for (let looks = 0; looks < 5 || before === 0; looks += 1) {
      if (number() !== before) looks = 0
      before = number()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return before
  }

  test('a client that stops reading stops the upstream, and gets everything once it reads again', async () => {
    const { tap, read } = countingTap()
    let sent = 0
    await using run = await startProxy(
      async (exchange) => {
        await exchange.write(sizedHead(TOTAL))
        for (; sent < TOTAL; sent += piece.byteLength) await exchange.write(piece)
      },
      { tap },
    )
    const outgoing = openRequest(run.port)
    outgoing.end()
    const answer = await answerTo(outgoing)
    expect(await settled(() => read.response)).toBeLessThan(IN_BETWEEN)
    expect(sent).toBeLessThan(IN_BETWEEN)
    let received = 0
    for await (const part of answer) received += (part as Buffer).byteLength
    expect([received, read.response]).toEqual([TOTAL, TOTAL])
  })

  test('an upstream that stops reading stops the client, and gets everything once it reads again', async () => {
    const { tap, read } = countingTap()
    const mayRead = Promise.withResolvers<void>()
    await using run = await startProxy(
      async (exchange) => {
        await mayRead.promise
        let received = 0
        while (received < TOTAL) received += (await exchange.readBody(piece.byteLength)).byteLength
        await exchange.write(sizedHead(0))
      },
      { tap },
    )
    const outgoing = openRequest(run.port, { method: 'POST', headers: { 'content-length': TOTAL } })
    let sent = 0
    const sending = (async () => {
      for (; sent < TOTAL; sent += piece.byteLength) if (!outgoing.write(piece)) await once(outgoing, 'drain')
      outgoing.end()
    })()
    expect(await settled(() => read.request)).toBeLessThan(IN_BETWEEN)
    expect(sent).toBeLessThan(IN_BETWEEN)
    mayRead.resolve()
    await sending
    expect(await readWhole(await answerTo(outgoing))).toMatchObject({ status: 200, failure: null })
    expect(read.request).toBe(TOTAL)
  })
})
