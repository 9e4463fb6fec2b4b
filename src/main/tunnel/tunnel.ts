import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { listen as bind, type Listen } from '../base/listen.ts'
import { openFileLimit } from '../base/open-file-limit.ts'
import { messagesErrorBody } from '../proxy/messages-error.ts'
import type { Gate } from '../proxy/gate.ts'
import type { Tap } from '../proxy/tap.ts'
import type { Authorities } from './authority/authorities.ts'
import { relay } from './blind-tunnel.ts'
import { readKey, readTarget, type Target } from './connect-request.ts'
import { dial, resolveBySystem, type Resolve } from './dial.ts'
import type { FullModeClient, InterceptedClient } from './intercepted-clients.ts'
import { InterceptedHosts } from './intercepted-hosts.ts'
import type { Network } from './network.ts'
import { Refusal, type RefusalReason } from './refusal.ts'
import type { KeyHolder, TunnelKeys } from './tunnel-keys.ts'

/** Limit in bytes for the head of a CONNECT. */
const MAX_HEADER_BYTES = 16 * 1024
/** Time limit in ms for the head of a CONNECT, from the opening of the connection. */
const HEAD_MS = 10_000
const CHECK_HEADS_MS = 1000
/** Time limit in ms for reaching the other side of a tunnel. */
const REACH_MS = 30_000
const HTTPS_PORT = 443

export interface TunnelOptions {
  /** 0 picks a free port. */
  readonly port: number
  readonly keys: Pick<TunnelKeys, 'find'>
  /** What is intercepted for each client, and the authorities that its runs trust; null: nothing is. */
  readonly clients: Readonly<Record<FullModeClient, { readonly authorities: Authorities } & InterceptedClient>> | null
  /** Called for each tunnel that a key holder asks for. May throw a Refusal. */
  readonly onTarget?: (target: Target) => void
  /** The app's own network proxy. */
  readonly network: Network
  /** null turns capture off. */
  readonly tap: Tap | null
  readonly gate?: Gate | null | undefined
  readonly logger: Pick<Logger, 'debug' | 'warn'>
  /** Where its connections come from; absent: it binds its port. */
  readonly listen?: Listen | undefined
  readonly resolve?: Resolve
  /** Tunnels open at once; by default, as many as the limit on open files allows. */
  readonly maxTunnels?: number
  /** Time limits in ms, for tests. */
  readonly limits?: { readonly headMs?: number; readonly reachMs?: number; readonly halfOpenMs?: number }
}

/** Counts since the start. */
export interface TunnelStats {
  readonly open: number
  readonly opened: number
  /** Opened tunnels whose TLS ended here. */
  readonly intercepted: number
  readonly refused: { readonly [reason in RefusalReason]?: number }
  /** Clients that did not complete the TLS handshake, by error code. */
  readonly handshakes_failed: { readonly [code: string]: number }
}

/**
 * The forward proxy of full mode: opens tunnels (CONNECT) for clients that have a key. It ends the TLS of the API's hosts and
 * records their Messages requests; all other tunnels are blind.
 */
export class Tunnel {
  readonly #options: TunnelOptions
  readonly #server: Server
  readonly #hosts: InterceptedHosts
  readonly #maxTunnels: number
  readonly #sockets = new Set<Duplex>()
  /** Those of them that carry nothing of ours. */
  readonly #blind = new WeakSet<Duplex>()
  readonly #refused: { [reason in RefusalReason]?: number } = {}
  readonly #handshakesFailed: Record<string, number> = {}
  readonly #count = { open: 0, opened: 0, intercepted: 0 }
  #isClosing = false

  constructor(options: TunnelOptions) {
    const { tap, gate, logger, limits, maxTunnels } = options
    this.#options = options
    // A blind tunnel needs two handles, and half of them are left to the rest of the app.
    this.#maxTunnels = maxTunnels ?? Math.floor(openFileLimit() / 4)
    this.#hosts = new InterceptedHosts({
      tap,
      gate,
      logger,
      reachMs: limits?.reachMs,
      onHandshakeFailure: (reason) => this.#countHandshake(reason),
    })
    const headMs = limits?.headMs ?? HEAD_MS
    this.#server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: headMs,
        requestTimeout: headMs,
        keepAliveTimeout: 1,
        connectionsCheckingInterval: Math.min(CHECK_HEADS_MS, headMs),
      },
      (request, response) => this.#refuseRequest(request, response),
    )
    this.#server.on('connection', (socket: Socket) => this.#hold(socket))
    this.#server.on('connect', (request, socket, head) => void this.#connect(request, socket as Socket, head))
    this.#server.on('error', (error) => {
      if (this.#server.listening) logger.warn({ err: error }, 'the tunnel could not accept a connection')
    })
  }

  /** Starts to serve on 127.0.0.1. Throws AspyError `port_taken`; another port may be tried after that. */
  listen(port = this.#options.port): Promise<number> {
    const { listen = bind } = this.#options
    return listen(this.#server, port, 'choose another with --tunnel-port N or [proxy] tunnel_port in config.toml')
  }

  /**
   * Refuses new tunnels, waits for the API's requests in progress, then closes everything; at the deadline, at once. Without
   * a deadline (null), blind tunnels stay until they end, and the process with them.
   */
  async close(deadlineMs: number | null): Promise<void> {
    this.#isClosing = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      if (deadlineMs !== null) timer = setTimeout(resolve, deadlineMs)
    })
    await Promise.race([this.#hosts.idle(deadlineMs === null), late])
    clearTimeout(timer)
    for (const socket of this.#sockets) if (deadlineMs !== null || !this.#blind.has(socket)) socket.destroy()
    this.#server.closeAllConnections()
    if (deadlineMs !== null) await closed
    await this.#hosts.close()
  }

  /** Requests to the API in progress. */
  inFlight(): number {
    return this.#hosts.inFlight
  }

  stats(): TunnelStats {
    return { ...this.#count, refused: { ...this.#refused }, handshakes_failed: { ...this.#handshakesFailed } }
  }

  async #connect(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    this.#hold(socket)
    try {
      const holder = this.#admit(request)
      const target = readTarget(request.url ?? '')
      this.#options.onTarget?.(target)
      if (this.#count.open >= this.#maxTunnels || this.#isClosing)
        throw new Refusal('too_many', 'Aspy has too many tunnels open. Try again, or raise the limit on open files.')
      this.#count.open += 1
      socket.once('close', () => (this.#count.open -= 1))
      if (head.length > 0) socket.unshift(head)
      if (!(await this.#intercept(target, holder, socket))) await this.#tunnel(target, holder, socket)
    } catch (error) {
      this.#refuse(socket, error)
    }
  }

  #admit(request: IncomingMessage): KeyHolder {
    const key = readKey(request)
    const holder = key === null ? null : this.#options.keys.find(key)
    if (holder !== null) return holder
    const message =
      key === null
        ? "Aspy's tunnel needs the key that aspy run --full gives to the client it starts. Start the client with it."
        : "The key of Aspy's tunnel is not valid: its aspy run has ended, or setup was undone. Start the client again."
    throw new Refusal('no_key', message)
  }

  /** Ends the TLS of an intercepted host. Returns false for every other host, and for clients that cannot trust us for it. */
  async #intercept({ host, port }: Target, holder: KeyHolder, socket: Socket): Promise<boolean> {
    const client = this.#options.clients?.[holder.client]
    if (client === undefined || port !== HTTPS_PORT || !client.hosts.includes(host)) return false
    const context = await client.authorities.contextFor(host, holder.trusted)
    if (context === null) return false
    if (socket.destroyed) return true
    this.#count.opened += 1
    this.#count.intercepted += 1
    this.#confirm(socket)
    this.#hosts.accept(socket, context, {
      host,
      client,
      run: holder.run,
      network: holder.network ?? this.#options.network,
    })
    return true
  }

  async #tunnel(target: Target, holder: KeyHolder, socket: Socket): Promise<void> {
    const { network, resolve = resolveBySystem, limits } = this.#options
    const leaving = new AbortController()
    const onClose = () => leaving.abort()
    socket.once('close', onClose).on('error', onClose)
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(limits?.reachMs ?? REACH_MS)])
    const other = await dial(target, { network: holder.network ?? network, resolve, signal })
    socket.off('close', onClose).off('error', onClose)
    this.#hold(other)
    if (socket.destroyed) return void other.destroy()
    this.#count.opened += 1
    this.#confirm(socket)
    this.#blind.add(socket).add(other)
    relay(socket, other, limits?.halfOpenMs)
  }

  #confirm(socket: Socket): void {
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  }

  #refuse(socket: Socket, error: unknown): void {
    const refusal =
      error instanceof Refusal ? error : new Refusal('unreachable', 'Aspy could not open the tunnel; see its log.')
    if (!(error instanceof Refusal)) this.#options.logger.warn({ err: error }, 'a tunnel failed')
    this.#countRefusal(refusal)
    if (!socket.writable) return void socket.destroy()
    const { status, message } = refusal
    const body = messagesErrorBody({ status, type: 'api_error', message })
    // The reason phrase, too, since many clients show only the first line.
    const lines = [
      `HTTP/1.1 ${status} ${message.replaceAll(/[^\x20-\x7e]/g, '?')}`,
      ...(status === 407 ? ['Proxy-Authenticate: Basic realm="aspy"'] : []),
      'Content-Type: application/json',
      `Content-Length: ${body.byteLength}`,
      'Connection: close',
    ]
    socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]))
    // A client that keeps its side open must not keep ours open.
    socket.setTimeout(1000, () => socket.destroy())
    socket.resume()
  }

  #refuseRequest(request: IncomingMessage, response: ServerResponse): void {
    const url = (request.url ?? '').slice(0, 200)
    const refusal = new Refusal(
      'not_connect',
      `Aspy's tunnel answers CONNECT only, not ${request.method} ${url}. Set HTTPS_PROXY, not HTTP_PROXY, to its address.`,
    )
    this.#countRefusal(refusal)
    const body = messagesErrorBody({ status: refusal.status, type: 'invalid_request_error', message: refusal.message })
    response.writeHead(refusal.status, { 'content-type': 'application/json', connection: 'close' }).end(body)
  }

  #countRefusal({ reason, message }: Refusal): void {
    this.#refused[reason] = (this.#refused[reason] ?? 0) + 1
    this.#options.logger.debug({ reason, message }, 'refused a tunnel')
  }

  #countHandshake(reason: string): void {
    const known = Object.keys(this.#handshakesFailed)
    // Codes come from a short list, but every list here has a limit.
    const code = known.includes(reason) || known.length < 32 ? reason : 'other'
    this.#handshakesFailed[code] = (this.#handshakesFailed[code] ?? 0) + 1
    this.#options.logger.debug({ reason }, 'a TLS handshake failed')
  }

  #hold(socket: Duplex): void {
    if (this.#sockets.has(socket)) return
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
