import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAuthority, createLeaf, type Leaf } from '../../../src/main/tunnel/authority/sign.ts'
import { until } from '../../support/runner/until.ts'
import { API_HOST, askForTunnel, beginTls, exchange, startTunnel } from '../../support/tunnel/tunnel-under-test.ts'

/** Errors that a client in full mode sees if the API's host, or the way to it, is at fault. */

const DAY = 86_400_000
const servers = new Set<Server>()
const sockets = new Set<Socket>()
/** Connections that a double got. */
let connections = 0

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers) server.close()
  servers.clear()
  connections = 0
})

async function listening(server: Server): Promise<number> {
  servers.add(server)
  server.on('connection', (socket: Socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** A client's response to a request through a tunnel with this upstream, and whether anything is left open after it. */
async function answerFrom(options: Parameters<typeof startTunnel>[0]): Promise<string> {
  await using under = await startTunnel(options)
  const secure = await beginTls(await askForTunnel(under.port, `${API_HOST}:443`, under.key), { ca: under.ca })
  const answer = await exchange(
    secure,
    `POST /v1/messages HTTP/1.1\r\nhost: ${API_HOST}\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`,
  )
  await until('nothing is open', async () => under.tunnel.stats().open === 0)
  return answer
}

describe('the API’s host', () => {
  const trusted = getCACertificates('default')
  const leaves = new Map<string, Leaf>()
  beforeAll(async () => {
    const now = Date.now()
    const hosts = ['localhost', 'other.example']
    const authority = await createAuthority({ hosts, now: now - 9 * DAY, notAfter: now + 20 * DAY })
    const unknown = await createAuthority({ hosts, now, notAfter: now + DAY })
    setDefaultCACertificates([...trusted, authority.certificate])
    const make = async (name: string, from: typeof authority, host: string, at: number) =>
      void leaves.set(name, await createLeaf({ authority: from, host, now: at, notAfter: at + 2 * DAY }))
    await make('good', authority, 'localhost', now)
    await make('expired', authority, 'localhost', now - 5 * DAY)
    await make('not yet valid', authority, 'localhost', now + 5 * DAY)
    await make('of another host', authority, 'other.example', now)
    await make('of an unknown authority', unknown, 'localhost', now)
  })
  afterAll(() => setDefaultCACertificates(trusted))

  const secure = (name: string, alpn?: string[], onSocket: (socket: Socket) => void = () => undefined) => {
    const { privateKey: key, certificate: cert } = leaves.get(name) ?? { privateKey: '', certificate: '' }
    const server = createTlsServer({ key, cert, ...(alpn && { ALPNProtocols: alpn }) }, onSocket)
    return server.on('tlsClientError', () => undefined)
  }
  const answer = async (server: Server) => answerFrom({ upstream: `https://localhost:${await listening(server)}` })

  test.each([
    ['a certificate that has expired', 'expired', /CERT_HAS_EXPIRED.* check the clock/],
    ['a certificate of the future', 'not yet valid', /CERT_NOT_YET_VALID.* check the clock/],
    ['a certificate of another host', 'of another host', /ALTNAME_INVALID.* something else answers/],
    ['a certificate nobody knows', 'of an unknown authority', /UNABLE_TO_VERIFY.* NODE_EXTRA_CA_CERTS/],
  ])('with %s is one 502 that names it, and is not to be tried again', async (_what, name, said) => {
    const text = await answer(secure(name))
    expect(text).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-should-retry: false/)
    expect(text).toMatch(said)
    expect(connections).toBe(1)
  })

  test('that negotiates HTTP/2 alone, or speaks it without asking, is a 502 that says so', async () => {
    const negotiated = await answer(secure('good', ['h2']))
    expect(negotiated).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-should-retry: false[\s\S]*does not offer HTTP\/1\.1/)
    expect(connections).toBe(1)
    // The first frame of an HTTP/2 server: empty SETTINGS.
    const spoken = await answer(
      secure('good', undefined, (socket) => socket.write(Buffer.from('000000040000000000', 'hex'))),
    )
    expect(spoken).toMatch(/^HTTP\/1\.1 502 [\s\S]*does not match the HTTP\/1\.1 protocol/)
  })

  test('that does not speak TLS, or leaves during the handshake, is a 502 that says so', async () => {
    const plain = await answer(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')))
    expect(plain).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-should-retry: false[\s\S]*does not speak TLS/)
    const leaving = await answer(createServer((socket) => socket.destroy()))
    expect(leaving).toMatch(/^HTTP\/1\.1 502 [\s\S]*ECONNRESET/)
    expect(leaving).not.toContain('x-should-retry')
  })

  test('that never answers the handshake is a 502 within the time limit', async () => {
    const port = await listening(createServer())
    const text = await answerFrom({ upstream: `https://localhost:${port}`, limits: { reachMs: 500 } })
    expect(text).toMatch(/^HTTP\/1\.1 502 [\s\S]*UND_ERR_CONNECT_TIMEOUT/)
  })
})

describe('the network’s proxy, for requests to the API’s host', () => {
  const answer = async (behave: (socket: Socket) => void) => {
    const port = await listening(createServer({ allowHalfOpen: true }, behave))
    return answerFrom({
      upstream: 'https://api.example.invalid',
      network: { httpsProxy: `http://user:hidden@localhost:${port}`, noProxy: '' },
      limits: { reachMs: 500 },
    })
  }
  const saying = (text: string) => (socket: Socket) => void socket.once('data', () => socket.end(text))

  test.each([
    ['wants a login', saying('HTTP/1.1 407 Login\r\ncontent-length: 0\r\n\r\n'), /\(407\).* user name and password/],
    ['refuses', saying('HTTP/1.1 403 No\r\ncontent-length: 0\r\n\r\n'), /\(403\).* ask who runs the proxy/],
    ['leaves', (socket: Socket) => void socket.destroy(), /PRX_CONN.* closed the connection: check HTTPS_PROXY/],
    ['answers nonsense', saying('SSH-2.0-x\r\n\r\n'), /HTTP\/1\.1 protocol.*HTTPS_PROXY/],
    ['never answers', () => undefined, /did not answer in time: check HTTPS_PROXY/],
    ['connects to silence', (socket: Socket) => void socket.write('HTTP/1.1 200 OK\r\n\r\n'), /CONNECT_TIMEOUT/],
  ])(
    'that %s is a 502 that says so',
    async (_what, behave, said) => {
      const text = await answer(behave)
      expect(text).toMatch(/^HTTP\/1\.1 502 /)
      expect(text).toMatch(said)
      expect(text).not.toContain('hidden')
      expect(connections).toBeLessThanOrEqual(2)
    },
    60_000,
  )
})
