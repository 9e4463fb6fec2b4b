import { expect, test } from 'vitest'
import { createUpstream } from '../../../src/main/proxy/upstream.ts'
import { createByteUpstream, type RawExchange } from '../../support/upstream/byte-upstream.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'

/** Sends one request to the upstream. Returns the status or the error. */
async function statusFrom(url: string, environment: { readonly [name: string]: string }): Promise<number | Error> {
  const upstream = createUpstream(new URL(url), environment)
  const result = await new Promise<number | Error>((resolve) => {
    upstream.dispatch(
      { method: 'GET', path: `${upstream.basePath}/v1` },
      ['Host', upstream.host, 'X-A', '1', 'X-A', '2'],
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => resolve(status),
        onResponseData: () => undefined,
        onResponseEnd: () => undefined,
        onResponseError: (_, error) => resolve(error),
      },
    )
  })
  await upstream.destroy()
  return result
}

/** A network proxy that records its requests. */
async function startNetworkProxy(answer: string) {
  const asked: RawExchange[] = []
  const server = await createByteUpstream(async (exchange) => {
    asked.push(exchange)
    await exchange.write(answer)
  })
  return { asked, address: server.url.origin, [Symbol.asyncDispose]: () => server.close() }
}

test('HTTP_PROXY is used to reach the upstream, and repeated headers arrive', async () => {
  await using network = await startNetworkProxy(OK)
  expect(await statusFrom('http://upstream.invalid/prefix', { HTTP_PROXY: network.address })).toBe(200)
  expect(network.asked.map(({ path }) => path)).toEqual(['http://upstream.invalid/prefix/v1'])
  expect(network.asked[0]?.headers.filter(([name]) => name === 'X-A')).toEqual([
    ['X-A', '1'],
    ['X-A', '2'],
  ])
})

test('HTTPS_PROXY is used for a tunnel to the upstream', async () => {
  await using network = await startNetworkProxy('HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n')
  expect(await statusFrom('https://upstream.invalid', { https_proxy: network.address })).toBeInstanceOf(Error)
  expect(network.asked.map(({ method, path }) => `${method} ${path}`)).toEqual(['CONNECT upstream.invalid:443'])
})

test('NO_PROXY bypasses the proxy', async () => {
  await using network = await startNetworkProxy(OK)
  const environment = { HTTP_PROXY: network.address, NO_PROXY: 'other.example, upstream.invalid' }
  expect(await statusFrom('http://upstream.invalid', environment)).toMatchObject({ syscall: 'getaddrinfo' })
  expect(network.asked).toEqual([])
})

test('an upstream on loopback is never reached through a proxy', async () => {
  await using network = await startNetworkProxy('HTTP/1.1 502 Wrong\r\nContent-Length: 0\r\n\r\n')
  const upstream = await createByteUpstream((exchange) => exchange.write(OK))
  expect(await statusFrom(upstream.url.href, { HTTP_PROXY: network.address })).toBe(200)
  expect(network.asked).toEqual([])
  await upstream.close()
})
