import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { askForTunnel, API_HOST, startTunnel, type TunnelUnderTest } from '../../support/tunnel/tunnel-under-test.ts'

/** Nobody gets through the tunnel without a key, and a key ends with its run. */
describe('the keys of the tunnel', () => {
  let under: TunnelUnderTest
  beforeAll(async () => {
    under = await startTunnel({ upstream: 'http://127.0.0.1:9' })
  })
  afterAll(() => under[Symbol.asyncDispose]())

  const login = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`

  test.each([
    ['none', () => ''],
    ['another key', () => login(`aspy:${createTunnelKey()}`)],
    ['no user name', () => login(under.key)],
    ['an empty password', () => login('aspy:')],
    ['another form', () => `Proxy-Authorization: Bearer ${under.key}\r\n`],
    ['not base64', () => 'Proxy-Authorization: Basic ::::\r\n'],
    ['as an authorization of the target', () => login(`aspy:${under.key}`).replace('Proxy-', '')],
    ['one character less', () => login(`aspy:${under.key.slice(0, -1)}`)],
  ])('refuse %s with 407, whatever the target', async (_name, header) => {
    for (const target of [`${API_HOST}:443`, 'example.com:443', '127.0.0.1:80']) {
      const { status, head, body } = await askForTunnel(under.port, target, null, header())
      expect([status, head]).toEqual([407, expect.stringContaining('Proxy-Authenticate: Basic realm="aspy"')])
      expect(JSON.parse(body)).toMatchObject({ type: 'error', error: { message: expect.stringMatching(/key/) } })
      expect(body).not.toContain(under.key)
    }
  })

  test('open it once per CONNECT, until the run ends', async () => {
    const key = createTunnelKey()
    const dismiss = under.keys.admit(key, { client: 'claude-code', trusted: null, network: null })
    expect(() => under.keys.admit(key, { client: 'claude-code', trusted: null, network: null })).toThrow(/another run/)
    for (const _ of [1, 2]) {
      const { status, socket } = await askForTunnel(under.port, `${API_HOST}:443`, key)
      expect(status).toBe(200)
      socket.destroy()
    }
    dismiss()
    const { status, body } = await askForTunnel(under.port, `${API_HOST}:443`, key)
    expect([status, body]).toEqual([407, expect.stringContaining('has ended')])
  })

  test.each([
    'localhost',
    'localhost:0',
    'localhost:65536',
    'a b:443',
    'exa$mple.com:443',
    '[fe80::1%25eth0]:443',
    '[1.2.3.4]:443',
    `${'a'.repeat(300)}.com:443`,
    ':443',
    'user@host:443',
  ])('a holder gets 400 for the target "%s"', async (target) => {
    const { status } = await askForTunnel(under.port, target, under.key)
    expect(status).toBe(400)
  })

  test('requests other than CONNECT are refused, also with a key', async () => {
    const response = await fetch(`http://127.0.0.1:${under.port}/v1/messages`)
    expect([response.status, await response.text()]).toEqual([405, expect.stringContaining('HTTPS_PROXY')])
  })

  test('counts refusals by reason', () => {
    const { refused } = under.tunnel.stats()
    expect(refused).toMatchObject({ no_key: 25, bad_target: 9, not_connect: 1 })
  })
})
