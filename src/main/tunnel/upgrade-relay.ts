import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { connect as connectPlain, isIP } from 'node:net'
import { isLoopback } from '../../shared/loopback.ts'
import { relay } from './blind-tunnel.ts'
import { connected } from './dial.ts'
import { isDirect, type Network } from './network.ts'
import { throughOuterProxy } from './outer-proxy.ts'

/** Time limit in ms for reaching the upstream. */
const REACH_MS = 30_000

interface Upgrade {
  readonly request: IncomingMessage
  /** The client's connection, and what it sent after the head. */
  readonly socket: Socket
  readonly head: Buffer
  readonly upstream: URL
  /** Path and query below the upstream's own path. */
  readonly path: string
  readonly network: Network
}

/**
 * Relays a request that leaves HTTP, such as a WebSocket: its head as it came but for the host, then every byte of both
 * sides. Nothing of it is recorded. Rejects if the upstream cannot be reached.
 */
export async function relayUpgrade({ request, socket, head, upstream, path, network }: Upgrade): Promise<void> {
  const reached = await reach(upstream, network, AbortSignal.timeout(REACH_MS))
  if (socket.destroyed) {
    reached.destroy()
    return
  }
  reached.write(headOf(request, upstream, path), 'latin1')
  if (head.length > 0) reached.write(head)
  relay(socket, reached)
}

function headOf({ method = 'GET', rawHeaders }: IncomingMessage, upstream: URL, path: string): string {
  const lines = [`${method} ${upstream.pathname.replace(/\/+$/, '')}${path} HTTP/1.1`]
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    lines.push(`${name}: ${name.toLowerCase() === 'host' ? upstream.host : rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Connects to the upstream as requests do: through the network's proxy, unless it is on this machine. */
async function reach(upstream: URL, { httpsProxy, noProxy }: Network, signal: AbortSignal): Promise<Socket> {
  const host = upstream.hostname.replace(/^\[(.*)\]$/, '$1')
  const isSecure = upstream.protocol === 'https:'
  const port = Number(upstream.port) || (isSecure ? 443 : 80)
  const isProxied = httpsProxy !== '' && !isLoopback(upstream.hostname) && !isDirect(noProxy, host, port)
  const plain = isProxied
    ? await throughOuterProxy({ host, port }, httpsProxy, signal)
    : await connected(connectPlain({ host, port, allowHalfOpen: true }), signal)
  if (!isSecure) return plain
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const secure = connectTls({ socket: plain, host, ...servername, ALPNProtocols: ['http/1.1'] })
  return connected(secure, signal, { event: 'secureConnect' })
}
