import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  askForTunnel,
  exchange,
  ownAddress,
  startTunnel,
  type TunnelUnderTest,
} from '../../support/tunnel/tunnel-under-test.ts'
import { lacks } from '../../support/runner/lacks.ts'

const NO_ADDRESS = lacks(ownAddress !== null)

/** Addresses of names in these tests. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'rebound.example': ['127.0.0.1'],
  'six.example': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'translated.example': ['64:ff9b::a9fe:a9fe'],
  'both.example': ownAddress === null ? [] : ['127.0.0.1', ownAddress],
}

describe('the addresses a tunnel may lead to', () => {
  let under: TunnelUnderTest
  /** A service on all of this machine's addresses, which says which one was reached. */
  const service = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(`reached ${socket.localAddress ?? ''}`)
  })
  let port = 0
  let switched = '127.0.0.1'

  beforeAll(async () => {
    service.listen(0, '0.0.0.0')
    await once(service, 'listening')
    port = (service.address() as AddressInfo).port
    under = await startTunnel({
      resolve: async (host) => {
        if (host === 'switching.example') {
          // Another answer at each look-up: DNS rebinding.
          switched = switched === '127.0.0.1' ? (ownAddress ?? '127.0.0.1') : '127.0.0.1'
          return [{ address: switched, family: 4 }]
        }
        const found = NAMES[host]
        if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
        return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      },
    })
  })
  afterAll(async () => {
    await under[Symbol.asyncDispose]()
    service.close()
  })

  test.each([
    '127.0.0.1',
    '127.255.0.9',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.1.1',
    '100.100.100.200',
    '168.63.129.16',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '224.0.0.1',
    'rebound.example',
    'RebOund.example.',
    'six.example',
    'metadata.google.internal',
    'mapped.example',
    'translated.example',
  ])('are never %s', async (host) => {
    const { status, body } = await askForTunnel(under.port, `${host}:${port}`, under.key)
    expect([status, body]).toEqual([403, expect.stringMatching(/loopback|link-local|metadata|multicast/)])
  })

  test.skipIf(NO_ADDRESS)('are private networks, and the allowed ones of a name that has both', async () => {
    for (const host of [ownAddress ?? '', 'both.example']) {
      const { status, socket } = await askForTunnel(under.port, `${host}:${port}`, under.key)
      expect(status).toBe(200)
      expect(await exchange(socket, '')).toBe(`reached ${ownAddress ?? ''}`)
      socket.destroy()
    }
  })

  test('are those that were checked: a name is resolved once', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { status, socket } = await askForTunnel(under.port, `switching.example:${port}`, under.key)
      if (status === 403) continue
      expect(status).toBe(200)
      expect(await exchange(socket, '')).not.toBe('reached 127.0.0.1')
      socket.destroy()
    }
  })

  test('a name that does not resolve is a clear error', async () => {
    const { status, head } = await askForTunnel(under.port, 'nowhere.example:443', under.key)
    expect([status, head]).toEqual([502, expect.stringContaining('ENOTFOUND nowhere.example')])
  })
})

test('are not reached by odd spellings of them, whatever the resolver makes of these', async () => {
  // A resolver that reads no spelling: what it is asked for gets through.
  const resolve = async () => [{ address: ownAddress ?? '203.0.113.9', family: 4 }]
  await using under = await startTunnel({ resolve, limits: { reachMs: 500 } })
  for (const host of [
    'LOCALHOST.',
    'x.localhost',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f.1',
    '0x7F000001',
    '0177.0.0.1',
    '017700000001',
    '0',
    '0x0',
    '2852039166',
    '0xa9.0xfe.0xa9.0xfe',
    '0251.0376.0251.0376',
    '1684301000',
    'localhost.localdomain',
    'ip6-localhost',
    'Metadata.Google.Internal.',
    'instance-data',
  ]) {
    const { status, body } = await askForTunnel(under.port, `${host}:80`, under.key)
    expect([host, status, body]).toEqual([host, 403, expect.stringMatching(/loopback|link-local|metadata/)])
  }
})
