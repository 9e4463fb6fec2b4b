import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Dispatch } from '../../../src/main/dispatch/dispatch.ts'
import { HttpSurface } from '../../../src/main/surfaces/http/http-surface.ts'
import { OPERATIONS } from '../../../src/shared/contract/index.ts'
import { until } from '../../support/runner/until.ts'
import { temporaryFolder } from '../../support/store/folder.ts'

const LIMITS = { maxIdle: 20, maxRequests: 8, headersMs: 300, requestMs: 600, checkMs: 50 }

async function startSurface() {
  const held = Promise.withResolvers<void>()
  const dispatch = {
    async call(name: string) {
      if (name === 'tools.list') await held.promise
      return new TextEncoder().encode('{}')
    },
  } as unknown as Dispatch
  const surface = new HttpSurface({
    operations: OPERATIONS,
    dispatch,
    grants: [{ key: 'owner-key', access: 'all', opens: () => true }],
    allowedHosts: [],
    windowDir: temporaryFolder(),
    health: () => ({ id: 'this-run' }),
    version: '0',
    logger: { error: () => undefined },
    connections: LIMITS,
  })
  const port = await surface.start(0)
  return {
    port,
    release: held.resolve,
    health: async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status,
    [Symbol.asyncDispose]: () => surface.stop(0),
  }
}

async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Keeps sending until the answer begins; returns the answer. The last write may meet the close. */
async function answerWhile(socket: Socket, piece: string): Promise<string> {
  const received: Buffer[] = []
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const drip = setInterval(() => socket.write(piece), 20)
  socket.on('data', (bytes) => {
    clearInterval(drip)
    received.push(bytes)
  })
  socket.once('close', () => resolve())
  await closed
  clearInterval(drip)
  return Buffer.concat(received).toString()
}

test('two hundred connections that say nothing leave room for one that does', async () => {
  await using surface = await startSurface()
  const silent = await Promise.all(Array.from({ length: 200 }, () => opened(surface.port)))
  expect(await surface.health()).toBe(200)
  for (const socket of silent) socket.destroy()
})

test('a head that never ends is cut off, and says why', async () => {
  await using surface = await startSurface()
  const socket = await opened(surface.port)
  socket.write('POST /api/hooks HTTP/1.1\r\nHost: 127.0.0.1\r\n')
  const answer = await answerWhile(socket, 'x-slow: 1\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(await surface.health()).toBe(200)
})

test('a body that never ends is cut off, and says why', async () => {
  await using surface = await startSurface()
  const socket = await opened(surface.port)
  socket.write(
    `POST /api/hooks HTTP/1.1\r\nHost: 127.0.0.1:${surface.port}\r\nAuthorization: Bearer owner-key\r\nContent-Length: 100000\r\n\r\n{`,
  )
  const answer = await answerWhile(socket, ' ')
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(await surface.health()).toBe(200)
})

test('more calls than there is room for are refused in words, and room comes back', async () => {
  await using surface = await startSurface()
  const call = () =>
    fetch(`http://127.0.0.1:${surface.port}/api/tools.list`, {
      method: 'POST',
      headers: { authorization: 'Bearer owner-key' },
      body: '{}',
    })
  let answered = 0
  const calls = Array.from({ length: 20 }, async () => {
    const answer = await call()
    answered += 1
    return answer
  })
  const first = await Promise.race(calls)
  await until('all others are refused', async () => answered === 12)
  expect([first.status, await first.json()]).toEqual([
    503,
    { error: { code: 'busy', message: expect.stringMatching(/try again/i) } },
  ])
  surface.release()
  const statuses = (await Promise.all(calls)).map(({ status }) => status).toSorted()
  expect(statuses).toEqual([...Array.from({ length: 8 }, () => 200), ...Array.from({ length: 12 }, () => 503)])
  expect((await call()).status).toBe(200)
})
