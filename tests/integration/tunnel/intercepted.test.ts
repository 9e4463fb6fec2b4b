import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fetch as fetchThrough, ProxyAgent } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { startApp, type TestApp } from '../../support/app/start-app.ts'
import { heavily } from '../../support/runner/heavy.ts'
import { until } from '../../support/runner/until.ts'
import { makeTempFolder, type TempFolder } from '../../support/runner/temp-folder.ts'
import { secretsIn } from '../../support/store/byte-scan.ts'
import {
  API_HOST,
  askForTunnel,
  beginTls,
  exchange,
  startTunnel,
  type TunnelUnderTest,
} from '../../support/tunnel/tunnel-under-test.ts'
import { startMessagesUpstream, type MessagesUpstream } from '../../support/upstream/messages-upstream.ts'
import { NO_TIMEOUTS, watchServers } from '../../support/upstream/watch-servers.ts'
import { inTime } from '../../support/runner/in-time.ts'

/** The hosts whose TLS the tunnel ends, in the whole app. */
describe('a client in full mode', () => {
  let upstream: MessagesUpstream
  let app: TestApp
  let agent: ProxyAgent
  let key: string
  const leaving = new AbortController()

  beforeAll(async () => {
    upstream = await startMessagesUpstream(() => ({ steps: [{ text: 'An answer.' }] }))
    app = await startApp({ upstream: upstream.url, settings: { 'session_log.enabled': true } })
    key = createTunnelKey()
    const lease = app.running.dispatch.stream('tunnel.lease', { tunnel_key: key }, { access: 'all' }, leaving.signal)
    const batches = lease[Symbol.asyncIterator]()
    const first = await inTime('the lease is granted', batches.next())
    const { ca } = JSON.parse(new TextDecoder().decode(first.value?.json)) as { ca: string }
    void batches.next()
    agent = new ProxyAgent({
      uri: app.tunnel,
      token: `Basic ${Buffer.from(`aspy:${key}`).toString('base64')}`,
      requestTls: { ca },
    })
  })
  afterAll(async () => {
    await agent.close()
    leaving.abort()
    await app.close()
    await upstream.close()
  })

  const ask = (prompt: string, session = randomUUID(), path = '/v1/messages?beta=true') =>
    fetchThrough(`https://${API_HOST}${path}`, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'x-api-key': 'sk-ant-dummy',
        'anthropic-version': '2023-06-01',
        'x-app': 'cli',
        'x-claude-code-session-id': session,
      },
      body: JSON.stringify({
        model: 'claude-sonnet-5-5',
        max_tokens: 100,
        stream: true,
        messages: [{ role: 'user', content: prompt }],
      }),
    })

  test('has its Messages requests recorded, and the key redacted', async () => {
    const session = randomUUID()
    const login = Buffer.from(`aspy:${key}`).toString('base64')
    const response = await ask(
      `HTTPS_PROXY=http://aspy:${key}@127.0.0.1:1 and Proxy-Authorization: Basic ${login}`,
      session,
    )
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('An answer.')])
    await until('it is recorded', async () => (await app.count({ kind: 'model_response', session_id: session })) === 1)
    const exported = JSON.stringify(await app.call('events.export', { session_id: session }))
    expect(exported).toMatch(/HTTPS_PROXY=http:\/\/aspy:\[redacted:aspy-tunnel-key:[0-9a-f]{4}\]@127/)
    expect(exported).not.toContain(login)
    expect(secretsIn(app.data, [key, login])).toEqual([])
    expect(await app.call('sessions.unproven')).toEqual({ count: 0 })
  })

  test('has every other path of the host passed on unread', async () => {
    const seen = (await app.running.health()).exchanges_seen
    for (const path of ['/api/oauth/token', '/v1/code/sessions', '/v1/messagesque', '/v1/models', '/']) {
      const response = await fetchThrough(`https://${API_HOST}${path}`, {
        method: 'POST',
        dispatcher: agent,
        headers: { authorization: 'Bearer of-the-client' },
        body: 'grant_type=refresh_token',
      })
      await response.text()
      const last = upstream.requests.at(-1)
      expect([last?.path, last?.headers['authorization'], last?.bytes.toString()]).toEqual([
        path,
        'Bearer of-the-client',
        'grant_type=refresh_token',
      ])
    }
    expect((await app.running.health()).exchanges_seen).toBe(seen)
  })

  test('keeps its authority and keys to the owner, and Health counts its tunnels', async () => {
    for (const name of ['ca.pem', 'ca.key']) expect(statSync(join(app.data, name)).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(app.data, 'ca.key'), 'utf8')).toContain('PRIVATE KEY')
    const { tunnel, tunnels } = await app.running.health()
    expect(tunnel).toBe(app.tunnel)
    expect(tunnels).toMatchObject({ hosts: [API_HOST], intercepted: expect.any(Number), refused: {} })
    expect(tunnels.intercepted).toBeGreaterThan(0)
    await app.run('store.backup', { path: join(app.data, 'copy.db') })
    expect(existsSync(join(app.data, 'copy.db'))).toBe(true)
    expect(secretsIn(app.data, ['PRIVATE KEY']).filter((hit) => !hit.startsWith('ca.key:'))).toEqual([])
  })

  test('is refused once its run has ended', async () => {
    leaving.abort()
    await until('the key opens nothing', async () => {
      const { status, socket } = await askForTunnel(Number(new URL(app.tunnel).port), `${API_HOST}:443`, key)
      socket.destroy()
      return status === 407
    })
  })
})

/** Runs curl, a client that is not Node, without the settings of whoever runs the tests. */
function curl(args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(
      'curl',
      ['-q', '--max-time', '60', ...args],
      { env: { PATH: process.env['PATH'] } },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

describe('the TLS of an intercepted host', () => {
  let under: TunnelUnderTest
  let folder: TempFolder
  const http = createServer({ maxHeaderSize: 64 * 1024 }, (request, response) => response.end(`plain ${request.url}`))
  beforeAll(async () => {
    // Echoes after the head, as a WebSocket's server would.
    http.on('upgrade', (request, socket, head) => {
      const { upgrade, host } = request.headers
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nupgrade: ${upgrade}\r\nx-host: ${host}\r\nconnection: upgrade\r\n\r\n`,
      )
      socket.write(head)
      socket.pipe(socket)
    })
    folder = makeTempFolder('aspy-curl-')
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    under = await startTunnel({ upstream: `http://127.0.0.1:${(http.address() as AddressInfo).port}` })
  })
  afterAll(async () => {
    await under[Symbol.asyncDispose]()
    http.close()
    folder.remove()
  })
  const tunnel = () => askForTunnel(under.port, `${API_HOST}:443`, under.key)
  const failed = (code: string) =>
    until(`${code} is counted`, async () => (under.tunnel.stats().handshakes_failed[code] ?? 0) > 0)

  test('offers HTTP/1.1 alone, with an elliptic key and a name that is verified', async () => {
    const secure = await beginTls(await tunnel(), { ca: under.ca, ALPNProtocols: ['h2', 'http/1.1'] })
    const { subjectaltname, asn1Curve } = secure.getPeerCertificate()
    expect([secure.authorized, secure.alpnProtocol, subjectaltname, asn1Curve]).toEqual([
      true,
      'http/1.1',
      `DNS:${API_HOST}`,
      'prime256v1',
    ])
    const answer = await exchange(secure, `GET /x HTTP/1.1\r\nhost: ${API_HOST}\r\nconnection: close\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*plain \/x/)
  })

  test('has no timeouts for heads, requests or idle connections, and takes a head of 40 KB', async () => {
    using watched = watchServers()
    const secure = await beginTls(await tunnel(), { ca: under.ca })
    const long = `x-long: ${'x'.repeat(40_000)}`
    const answer = await exchange(
      secure,
      `GET /x HTTP/1.1\r\nhost: ${API_HOST}\r\n${long}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 200 OK/)
    const own = watched.seen.filter(({ server }) => server !== http)
    expect(own).toHaveLength(1)
    expect(own[0]?.server).toMatchObject(NO_TIMEOUTS)
    expect(own[0]?.socket.timeout ?? 0).toBe(0)
  })

  test('refuses a client that speaks HTTP/2 only, and bytes of it without negotiation', async () => {
    await expect(beginTls(await tunnel(), { ca: under.ca, ALPNProtocols: ['h2'] })).rejects.toThrow(
      /no.application.protocol/i,
    )
    const secure = await beginTls(await tunnel(), { ca: under.ca })
    expect(await exchange(secure, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 .*[\s\S]*HTTP\/1\.1 here/,
    )
  })

  test('is not trusted without our authority, and Health knows', async () => {
    const url = `http://aspy:${under.key}@127.0.0.1:${under.port}`
    const { code, stderr } = await curl(['-sS', '-x', url, `https://${API_HOST}/`])
    // 60: the certificate is not trusted.
    expect([code, stderr]).toEqual([60, expect.stringMatching(/certificate/)])
    await failed('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA')
    const file = join(folder.path, 'ca.pem')
    writeFileSync(file, under.ca)
    expect(await curl(['-sS', '-x', url, '--cacert', file, `https://${API_HOST}/y`])).toMatchObject({
      stdout: 'plain /y',
    })
  })

  heavily(test)('ends with bytes that are not TLS, and with a client that leaves', async () => {
    const { socket } = await tunnel()
    await exchange(socket, 'GET / HTTP/1.1\r\n\r\n').catch(() => undefined)
    const { socket: leaving } = await tunnel()
    leaving.destroy()
    await until('nothing is open', async () => under.tunnel.stats().open === 0)
  })

  test('relays a WebSocket, with the host of the upstream and every byte', async () => {
    const secure = await beginTls(await tunnel(), { ca: under.ca })
    let text = ''
    secure.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    secure.write(
      `GET /v1/sessions/ws HTTP/1.1\r\nHost: ${API_HOST}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\nfirst',
    )
    await until('the echo begins', async () => text.endsWith('\r\n\r\nfirst'))
    expect(text).toMatch(
      new RegExp(`^HTTP/1.1 101 [\\s\\S]*x-host: 127.0.0.1:${(http.address() as AddressInfo).port}\r`),
    )
    secure.write('\x81\x05hello')
    await until('it goes on', async () => text.endsWith('\x81\x05hello'))
    secure.end()
    await until('nothing is open', async () => under.tunnel.stats().open === 0)
  })
})
