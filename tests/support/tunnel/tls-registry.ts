import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createAuthority, createLeaf } from '../../../src/main/tunnel/authority/sign.ts'

const DAY = 86_400_000

export interface TlsRegistry extends AsyncDisposable {
  /** https://ADDRESS:PORT/ */
  readonly url: string
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[]
}

/** A package registry over TLS that knows one package. No client trusts its certificate, so clients must not check it. */
export async function startTlsRegistry(address: string, name: string, version: string): Promise<TlsRegistry> {
  const now = Date.now()
  const host = 'registry.example'
  const authority = await createAuthority({ hosts: [host], now, notAfter: now + DAY })
  const { certificate, privateKey } = await createLeaf({ authority, host, now, notAfter: now + DAY })
  const asked: string[] = []
  const server = createServer({ key: privateKey, cert: certificate }, ({ url = '' }, response) => {
    asked.push(url)
    const isKnown = url.split('?')[0] === `/${name}`
    const found = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } }
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? found : { error: 'not found' }))
  })
  server.listen(0, address)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `https://${address}:${port}/`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
