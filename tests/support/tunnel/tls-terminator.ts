import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { createAuthority, createLeaf } from '../../../src/main/tunnel/authority/sign.ts'
import { makeTempFolder } from '../runner/temp-folder.ts'
import { API_HOST } from './tunnel-under-test.ts'

const DAY = 86_400_000

export interface Terminator extends AsyncDisposable {
  /** Settings with which a client goes through it. */
  readonly env: Readonly<Record<string, string>>
}

/**
 * The API's host, which knows nothing: a client that asks it past its base URL hears so at once. If it were refused, it
 * would try for 18 s.
 */
export async function startUnknowingApi(): Promise<Terminator> {
  const server = createServer((_, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { env, ...terminator } = await startTerminator(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return {
    env: { ...env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    async [Symbol.asyncDispose]() {
      await terminator[Symbol.asyncDispose]()
      server.close()
    },
  }
}

/** A proxy that ends the TLS of the API's host and copies the bytes to a plain upstream; it opens no other tunnel. */
export async function startTerminator(upstreamUrl: string): Promise<Terminator> {
  const folder = makeTempFolder('aspy-terminator-')
  const now = Date.now()
  const authority = await createAuthority({ hosts: [API_HOST], now, notAfter: now + DAY })
  const { certificate, privateKey } = await createLeaf({ authority, host: API_HOST, now, notAfter: now + DAY })
  const file = join(folder.path, 'ca.pem')
  writeFileSync(file, authority.certificate)
  const sockets = new Set<Socket>()
  const held = <T extends Socket>(socket: T): T => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const tls = createTlsServer({ key: privateKey, cert: certificate }, (secure) => {
    const plain = held(connect(Number(new URL(upstreamUrl).port), '127.0.0.1'))
    held(secure).pipe(plain).pipe(secure)
  })
  const proxy = createServer().on('connect', ({ url }, socket) => {
    held(socket as Socket)
    if (url !== `${API_HOST}:443`) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    tls.emit('connection', socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  return {
    env: { HTTPS_PROXY: address, https_proxy: address, NODE_EXTRA_CA_CERTS: file, NO_PROXY: '', no_proxy: '' },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      folder.remove()
    },
  }
}
