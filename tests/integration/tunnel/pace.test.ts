import { once } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { expect, test } from 'vitest'
import { createByteUpstream, type RawExchange } from '../../support/upstream/byte-upstream.ts'
import { openRequest } from '../../support/upstream/byte-client.ts'
import { startProxy } from '../../support/upstream/proxy-under-test.ts'
import { API_HOST, askForTunnel, beginTls, startTunnel } from '../../support/tunnel/tunnel-under-test.ts'

const PATH = '/v1/messages'
const EVENTS = Array.from({ length: 40 }, (_, at) => `event: delta\ndata: {"n":${at},"text":"${'é'.repeat(at)}"}\n\n`)

/** Sends one event at a time, each only when the client has the previous one. */
function inLockstep() {
  const has = EVENTS.map(() => Promise.withResolvers<void>())
  const serve = async (exchange: RawExchange): Promise<void> => {
    await exchange.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n')
    for (const [at, event] of EVENTS.entries()) {
      await exchange.writeChunk(Buffer.from(event))
      await has[at]?.promise
    }
    await exchange.write('0\r\n\r\n')
  }
  return { serve, arrived: (at: number) => has[at]?.resolve() }
}

/** The pieces in which a client receives the stream. An event that is held back ends the test's patience. */
async function piecesOf(outgoing: ClientRequest, arrived: (at: number) => void): Promise<readonly string[]> {
  outgoing.end()
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  const pieces: string[] = []
  for await (const piece of answer) {
    pieces.push(String(piece))
    arrived(pieces.length - 1)
  }
  return pieces
}

async function direct(): Promise<readonly string[]> {
  const { serve, arrived } = inLockstep()
  const upstream = await createByteUpstream(serve)
  try {
    return await piecesOf(openRequest(Number(upstream.url.port), { path: PATH }), arrived)
  } finally {
    await upstream.close()
  }
}

async function throughBaseUrl(): Promise<readonly string[]> {
  const { serve, arrived } = inLockstep()
  await using run = await startProxy(serve)
  return await piecesOf(openRequest(run.port, { path: PATH }), arrived)
}

async function throughFullMode(): Promise<readonly string[]> {
  const { serve, arrived } = inLockstep()
  const upstream = await createByteUpstream(serve)
  try {
    await using under = await startTunnel({ upstream: upstream.url.href })
    const secure = await beginTls(await askForTunnel(under.port, `${API_HOST}:443`, under.key), { ca: under.ca })
    const pieces = await piecesOf(requestSecurely({ path: PATH, createConnection: () => secure }), arrived)
    secure.destroy()
    return pieces
  } finally {
    await upstream.close()
  }
}

test.each([
  ['a base URL', throughBaseUrl],
  ['full mode', throughFullMode],
])('through %s, a stream arrives event by event, in the pieces in which it arrives directly', async (_, pieces) => {
  const alone = await direct()
  expect(alone).toEqual(EVENTS)
  expect(await pieces()).toEqual(alone)
})
