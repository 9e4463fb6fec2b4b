import { createServer, type Server } from 'node:http'
import { connect, createServer as createTcp, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { networkOf } from '../../../src/main/tunnel/network.ts'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { askForTunnel, exchange, ownAddress, startTunnel } from '../../support/tunnel/tunnel-under-test.ts'
import { until } from '../../support/runner/until.ts'

/** A corporate proxy: every tunnel through it leads to an echo of this test. */
describe('the proxy of a network', () => {
  const asked: { target: string; login: string | undefined }[] = []
  const sockets = new Set<Socket>()
  let answer: (socket: Socket) => void
  let proxy: Server
  let proxyPort = 0
  const echo = createTcp({ allowHalfOpen: true }, (socket) => socket.on('error', () => socket.destroy()).pipe(socket))
  const tunnelToEcho = (socket: Socket) => {
    const other = connect({ port: (echo.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true })
    other.on('error', () => socket.destroy()).once('close', () => socket.destroy())
    // Bytes directly after the head must not be lost.
    socket.write('HTTP/1.0 200 OK\r\nx-via: corp\r\n\r\nearly ')
    other.pipe(socket).pipe(other)
  }
  beforeAll(async () => {
    proxy = createServer().on('connect', ({ url = '', headers }, socket) => {
      asked.push({ target: url, login: headers['proxy-authorization'] })
      sockets.add(socket as Socket)
      socket.on('error', () => socket.destroy())
      answer(socket as Socket)
    })
    for (const server of [proxy, echo]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
    proxyPort = (proxy.address() as AddressInfo).port
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    echo.close()
  })
  beforeEach(() => {
    asked.length = 0
    answer = tunnelToEcho
  })
  const under = (more: Parameters<typeof startTunnel>[0] = {}) =>
    startTunnel({
      network: { httpsProxy: `http://us%40er:pass@127.0.0.1:${proxyPort}`, noProxy: 'direct.example' },
      resolve: async (host) => {
        if (host === 'git.corp') throw new Error('only the proxy knows it')
        return [{ address: host === 'rebound.example' ? '127.0.0.1' : (ownAddress ?? '203.0.113.9'), family: 4 }]
      },
      limits: { reachMs: 500 },
      ...more,
    })

  test('is chained, with its login, also for names that only it can resolve', async () => {
    await using tunnel = await under()
    const { status, socket } = await askForTunnel(tunnel.port, 'git.corp:443', tunnel.key)
    expect(status).toBe(200)
    const echoed = exchange(socket, 'hello')
    socket.end()
    expect(await echoed).toBe('early hello')
    expect(asked).toEqual([{ target: 'git.corp:443', login: `Basic ${Buffer.from('us@er:pass').toString('base64')}` }])
  })

  test('is not asked for hosts of NO_PROXY, nor for addresses that no tunnel may lead to', async () => {
    await using tunnel = await under()
    const direct = await askForTunnel(tunnel.port, 'direct.example:1', tunnel.key)
    direct.socket.destroy()
    for (const host of [
      'localhost',
      'x.localhost',
      '127.0.0.1',
      '127.1',
      '0x7f000001',
      '[::1]',
      '169.254.169.254',
      'rebound.example',
    ]) {
      const { status } = await askForTunnel(tunnel.port, `${host}:443`, tunnel.key)
      expect([host, status]).toEqual([host, 403])
    }
    expect(asked).toEqual([])
  })

  test.each([
    ['refuses', (socket: Socket) => socket.end('HTTP/1.1 407 Login\r\n\r\n'), 502, /refused .* status 407.*user name/],
    ['leaves', (socket: Socket) => socket.destroy(), 502, /failed for git\.corp:443/],
    ['answers nonsense', (socket: Socket) => socket.end('SSH-2.0\r\n\r\n'), 502, /refused .* status 0/],
    ['never answers', () => undefined, 504, /did not answer in time/],
    ['never ends its answer', (socket: Socket) => socket.write(`HTTP/1.1 200 ${'x'.repeat(70_000)}`), 502, /failed/],
  ])('that %s is a clear error', async (_what, behave, wanted, said) => {
    answer = behave as (socket: Socket) => void
    await using tunnel = await under()
    const { status, head } = await askForTunnel(tunnel.port, 'git.corp:443', tunnel.key)
    expect([status, head]).toEqual([wanted, expect.stringMatching(said)])
    await until('nothing is open', async () => tunnel.tunnel.stats().open === 0)
  })

  test('that is down or no proxy at all is a clear error', async () => {
    for (const [httpsProxy, said] of [
      ['http://127.0.0.1:1', /ECONNREFUSED.*HTTPS_PROXY/],
      ['socks5://user:hidden@127.0.0.1:1080', /not the address of an HTTP proxy \(socks5:\/\/127/],
      ['nonsense', /not the address/],
    ] as const) {
      await using tunnel = await under({ network: { httpsProxy, noProxy: '' } })
      const { status, head } = await askForTunnel(tunnel.port, 'git.corp:443', tunnel.key)
      expect([status, head]).toEqual([502, expect.stringMatching(said)])
      expect(head).not.toContain('hidden')
    }
  })

  test('that dies ends its tunnels', async () => {
    await using tunnel = await under()
    const { socket } = await askForTunnel(tunnel.port, 'git.corp:443', tunnel.key)
    for (const other of sockets) other.resetAndDestroy()
    socket.on('error', () => undefined)
    await Promise.race([once(socket.resume(), 'end'), once(socket, 'close')])
    socket.destroy()
    await until('nothing is open', async () => tunnel.tunnel.stats().open === 0)
  })

  test('is never a tunnel of Aspy itself', () => {
    const own = `http://aspy:${createTunnelKey()}@127.0.0.1:2781`
    expect(networkOf({ HTTPS_PROXY: own, NO_PROXY: 'x' })).toEqual({ httpsProxy: '', noProxy: '' })
    expect(networkOf({ HTTPS_PROXY: 'http://corp:1', NO_PROXY: 'x' })).toEqual({
      httpsProxy: 'http://corp:1',
      noProxy: 'x',
    })
  })
})
