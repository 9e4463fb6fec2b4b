import { createServer, type AddressInfo, type Server, type Socket, connect } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/runner/until.ts'
import {
  askForTunnel,
  exchange,
  ownAddress,
  startTunnel,
  type TunnelUnderTest,
} from '../../support/tunnel/tunnel-under-test.ts'
import { lacks } from '../../support/runner/lacks.ts'

/** Tunnels to hosts that Aspy does not record: bytes both ways, and an end to everything. */
describe.skipIf(lacks(ownAddress !== null))('blind tunnels', () => {
  let under: TunnelUnderTest
  let server: Server
  let target = ''
  let serve: (socket: Socket) => void = () => undefined
  const LIMITS = { headMs: 300, reachMs: 500, halfOpenMs: 300 }

  beforeAll(async () => {
    server = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => socket.destroy())
      serve(socket)
    })
    server.listen(0, ownAddress ?? '')
    await once(server, 'listening')
    target = `${ownAddress ?? ''}:${(server.address() as AddressInfo).port}`
    under = await startTunnel({ limits: LIMITS })
  })
  afterAll(async () => {
    await under[Symbol.asyncDispose]()
    server.close()
  })
  const open = async () => {
    const { status, socket } = await askForTunnel(under.port, target, under.key)
    expect(status).toBe(200)
    return socket
  }

  test('pass every byte both ways, with backpressure', async () => {
    serve = (socket) => socket.pipe(socket)
    const socket = await open()
    const sent = Buffer.alloc(8 * 1024 * 1024, 'abcdefgh\0\xff')
    const received: Buffer[] = []
    socket.on('data', (chunk: Buffer) => received.push(chunk))
    socket.resume().end(sent)
    await once(socket, 'close')
    expect(Buffer.concat(received).equals(sent)).toBe(true)
  })

  test('pass on the end of one side while the other still answers', async () => {
    serve = (socket) => {
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
      socket.once('end', () => socket.end(`heard ${text}`))
    }
    const socket = await open()
    const heard = exchange(socket, 'all of it')
    socket.end()
    expect(await heard).toBe('heard all of it')
  })

  test('end when one side has ended and the other stays silent', async () => {
    serve = (socket) => void socket.resume()
    const socket = await open()
    socket.resume().end()
    await once(socket, 'close')
    await until('both sides are closed', async () => under.tunnel.stats().open === 0)
  })

  test('end for both when a side breaks off', async () => {
    serve = (socket) => socket.once('data', () => socket.resetAndDestroy())
    const socket = await open()
    socket.write('now')
    socket.on('error', () => undefined)
    await Promise.race([once(socket.resume(), 'end'), once(socket, 'close')])
    socket.destroy()
    let theirs: Socket | null = null
    serve = (other) => (theirs = other.resume())
    const leaving = await open()
    await until('it is connected', async () => theirs !== null)
    leaving.resetAndDestroy()
    await until('the other side is closed', async () => theirs?.destroyed === true || theirs?.readableEnded === true)
    await until('nothing is open', async () => under.tunnel.stats().open === 0)
  })

  test('a connection that never asks for a tunnel, or not to its end, is closed', async () => {
    for (const bytes of ['', 'CONNECT example.com:443 HT', 'CONNECT example.com:443 HTTP/1.1\r\nx: y\r\n']) {
      const socket = connect({ port: under.port, host: '127.0.0.1' })
      socket.write(bytes)
      socket.resume()
      await once(socket, 'close')
    }
  })

  test('a target that does not answer is a timeout, one that refuses an error', async () => {
    await using slow = await startTunnel({ limits: LIMITS, resolve: () => new Promise(() => undefined) })
    const silent = await askForTunnel(slow.port, 'silent.example:443', slow.key)
    expect([silent.status, silent.head]).toEqual([504, expect.stringContaining('silent.example:443')])
    const refused = await askForTunnel(under.port, `${ownAddress ?? ''}:1`, under.key)
    expect([refused.status, refused.head]).toEqual([502, expect.stringContaining('ECONNREFUSED')])
  })

  test('a thousand at once all work, and leave nothing open', async () => {
    serve = (socket) => socket.pipe(socket)
    // With the product's own time limits: the short ones of this file end tunnels on a slow machine.
    await using patient = await startTunnel()
    const openOne = async () => (await askForTunnel(patient.port, target, patient.key)).socket
    const sockets: Socket[] = []
    // In steps: a listener's queue of new connections has room for about 500, and is not what is tested.
    while (sockets.length < 1000) sockets.push(...(await Promise.all(Array.from({ length: 100 }, openOne))))
    expect(patient.tunnel.stats().open).toBe(1000)
    const texts = await Promise.all(
      sockets.map((socket, at) => {
        const answered = exchange(socket, `tunnel ${at}`)
        socket.end()
        return answered
      }),
    )
    expect(texts).toEqual(texts.map((_, at) => `tunnel ${at}`))
    await until('nothing is open', async () => patient.tunnel.stats().open === 0)
  })

  test('no more than the limit: the next is refused with a clear error, and works when one has ended', async () => {
    serve = (socket) => socket.pipe(socket)
    await using small = await startTunnel({ maxTunnels: 2 })
    const [first] = await Promise.all([1, 2].map(() => askForTunnel(small.port, target, small.key)))
    const third = await askForTunnel(small.port, target, small.key)
    expect([third.status, third.head]).toEqual([503, expect.stringContaining('too many tunnels')])
    first?.socket.destroy()
    await until('there is room', async () => {
      const { status, socket } = await askForTunnel(small.port, target, small.key)
      socket.destroy()
      return status === 200
    })
  })

  test('close with the app', async () => {
    serve = (socket) => socket.pipe(socket)
    const other = await startTunnel()
    const { socket } = await askForTunnel(other.port, target, other.key)
    const ended = once(socket.resume(), 'end')
    await other.tunnel.close(0)
    await ended
    socket.destroy()
  })
})

test.skipIf(lacks(ownAddress !== null))('without a deadline, an end leaves them to their own end', async () => {
  const server = createServer((socket) => socket.pipe(socket)).listen(0, ownAddress ?? '')
  await once(server, 'listening')
  const under = await startTunnel({})
  const target = `${ownAddress ?? ''}:${(server.address() as AddressInfo).port}`
  const { status, socket } = await askForTunnel(under.port, target, under.key)
  expect(status).toBe(200)
  await under.tunnel.close(null)
  socket.resume().write('still there')
  expect(String((await once(socket, 'data'))[0])).toBe('still there')
  socket.destroy()
  server.close()
})

test('a port that is taken is a clear error', async () => {
  await using under = await startTunnel()
  await expect(startTunnel({}, under.port)).rejects.toThrow(
    new RegExp(`port ${under.port} is taken; choose another with --tunnel-port`),
  )
})
