import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Self-signed certificate for `upstream.invalid`, of no use anywhere else. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg1GFxKZYa3nDzk8v4
fgpVyHZUsV3RbVPk695oMbBqxSGhRANCAATNqYjD4UZYuubToUr6SnLqH6/PJm66
IxCraae3EemNogSUJim6VMyM9OYZjQFZ7IRV6cgekwAlF0BcPIiYvoQT
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBdjCCARygAwIBAgIBATAKBggqhkjOPQQDAjAbMRkwFwYDVQQDDBB1cHN0cmVh
bS5pbnZhbGlkMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAbMRkw
FwYDVQQDDBB1cHN0cmVhbS5pbnZhbGlkMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD
QgAEzamIw+FGWLrm06FK+kpy6h+vzyZuuiMQq2mntxHpjaIElCYpulTMjPTmGY0B
WeyEVenIHpMAJRdAXDyImL6EE6NPME0wGwYDVR0RBBQwEoIQdXBzdHJlYW0uaW52
YWxpZDAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBQcIvFU2tJsehr7+8zUABpk
p3KzdzAKBggqhkjOPQQDAgNIADBFAiAW3Z2C8FU+7OlYUae+krjl917By9cqy2LJ
0a02rSLTYQIhAPqjAjY7uyHI0ybSo/aOV8jUFjOZ1NNyHTfMnhhAhjCR
-----END CERTIFICATE-----`

export interface TunnelProxy extends AsyncDisposable {
  /** Value for `HTTPS_PROXY`. */
  readonly address: string
  /** Tunnels that were requested. */
  readonly asked: readonly string[]
}

/**
 * A network proxy whose tunnels all lead to `https://upstream.invalid`. It terminates TLS and forwards to a plain upstream on a
 * port. Until it is closed, this process trusts that name.
 */
export async function startTunnelProxy(upstreamPort: number): Promise<TunnelProxy> {
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, CERTIFICATE])
  const asked: string[] = []
  const sockets = new Set<Socket>()
  const held = <T extends Socket>(socket: T): T => {
    sockets.add(socket)
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const tls = createTlsServer({ key: KEY, cert: CERTIFICATE }, (secure) => {
    const plain = held(connect(upstreamPort, '127.0.0.1'))
    held(secure).pipe(plain).pipe(secure)
  })
  const proxy = createServer().on('connect', (request, socket) => {
    asked.push(request.url ?? '')
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
    tls.emit('connection', held(socket as Socket))
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      setDefaultCACertificates(trusted)
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
