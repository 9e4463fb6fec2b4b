import { connect, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { createTunnelKey } from '../../../src/main/base/installed-tunnel-key.ts'
import { Authorities } from '../../../src/main/tunnel/authority/authorities.ts'
import { inMemory } from '../../../src/main/tunnel/authority/authority-files.ts'
import { interceptedClients } from '../../../src/main/tunnel/intercepted-clients.ts'
import { NO_NETWORK_PROXY } from '../../../src/main/tunnel/network.ts'
import { Tunnel, type TunnelOptions } from '../../../src/main/tunnel/tunnel.ts'
import { TunnelKeys } from '../../../src/main/tunnel/tunnel-keys.ts'
import { configSchema } from '../../../src/shared/config.ts'
import { silentLogger } from '../upstream/proxy-under-test.ts'

export const API_HOST = 'api.anthropic.com'

/** An address of this machine that a tunnel may lead to, so that doubles can listen on it; null if there is none. */
export const ownAddress: string | null =
  Object.values(networkInterfaces())
    .flat()
    .find((at) => at !== undefined && at.family === 'IPv4' && !at.internal && !at.address.startsWith('169.254.'))
    ?.address ?? null

export interface TunnelUnderTest extends AsyncDisposable {
  readonly tunnel: Tunnel
  readonly keys: TunnelKeys
  readonly authorities: Authorities
  readonly port: number
  /** The key of a run that lasts as long as the test. */
  readonly key: string
  readonly ca: string
}

interface Given extends Partial<Omit<TunnelOptions, 'port' | 'clients' | 'keys'>> {
  /** Destination of requests to the API's host; null: nothing is intercepted. */
  readonly upstream?: string | null
  readonly now?: () => number
}

/** A tunnel on a free port or a given one, with an authority in memory and the key of one run. */
export async function startTunnel(
  { upstream = null, now, ...options }: Given = {},
  wantedPort = 0,
): Promise<TunnelUnderTest> {
  const authorities = new Authorities({ hosts: [API_HOST], store: inMemory(), ...(now === undefined ? {} : { now }) })
  await authorities.ensure()
  const keys = new TunnelKeys(() => null)
  const key = createTunnelKey()
  keys.admit(key, { client: 'claude-code', trusted: new Set(authorities.fingerprints()), network: null })
  const clients = interceptedClients(configSchema.parse({ proxy: upstream === null ? {} : { upstream } }).proxy)
  const tunnel = new Tunnel({
    port: wantedPort,
    keys,
    clients: {
      'claude-code': { ...clients['claude-code'], hosts: upstream === null ? [] : [API_HOST], authorities },
      codex: { ...clients.codex, hosts: [], authorities },
    },
    network: NO_NETWORK_PROXY,
    tap: null,
    logger: silentLogger,
    ...options,
  })
  const port = await tunnel.listen()
  return {
    tunnel,
    keys,
    authorities,
    port,
    key,
    ca: authorities.pem(),
    [Symbol.asyncDispose]: () => tunnel.close(0),
  }
}

/** The answer to a CONNECT: its status line and head, and the socket behind it. */
export interface Connected {
  readonly status: number
  readonly head: string
  /** Bytes with or after the head of a refusal; '' for a tunnel. */
  readonly body: string
  readonly socket: Socket
}

/** Asks a tunnel on a port of loopback for a target, with a key or a custom header. */
export function askForTunnel(port: number, target: string, key: string | null, header?: string): Promise<Connected> {
  const login = key === null ? null : `Basic ${Buffer.from(`aspy:${key}`).toString('base64')}`
  const sent = header ?? (login === null ? '' : `Proxy-Authorization: ${login}\r\n`)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${sent}\r\n`)
  return readAnswer(socket)
}

function readAnswer(socket: Socket): Promise<Connected> {
  return new Promise((resolve, reject) => {
    let text = ''
    const answer = () => {
      const end = text.indexOf('\r\n\r\n')
      return { status: Number(text.slice(9, 12)), head: text.slice(0, end), body: text.slice(end + 4), socket }
    }
    const onData = (bytes: Buffer) => {
      text += bytes.toString('latin1')
      if (!text.includes('\r\n\r\n') || !text.startsWith('HTTP/1.1 200')) return
      socket.off('data', onData).off('error', reject).off('end', onEnd).pause()
      const rest = answer().body
      if (rest !== '') socket.unshift(Buffer.from(rest, 'latin1'))
      resolve({ ...answer(), body: '' })
    }
    const onEnd = () => {
      socket.destroy()
      resolve(answer())
    }
    socket.on('data', onData).once('error', reject).once('end', onEnd)
  })
}

/** Begins TLS on a tunnel; rejects with the error of the handshake. */
export function beginTls({ socket }: Connected, options: ConnectionOptions): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, servername: API_HOST, ...options })
    secure.once('secureConnect', () => resolve(secure)).once('error', reject)
    secure.once('close', () => reject(new Error('the connection closed')))
  })
}

/** Sends bytes and reads until the other side ends. */
export function exchange(socket: Socket, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.once('end', () => resolve(text)).once('error', reject)
    socket.resume().write(bytes, 'latin1')
  })
}
