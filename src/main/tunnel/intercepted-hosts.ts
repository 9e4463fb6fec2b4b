import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { TLSSocket, type SecureContext } from 'node:tls'
import type { Logger } from 'pino'
import { forward, type ForwardingContext } from '../proxy/forwarding.ts'
import type { Gate } from '../proxy/gate.ts'
import { answerError, type MessagesError } from '../proxy/messages-error.ts'
import { readRequestTarget } from '../proxy/request-target.ts'
import type { Tap } from '../proxy/tap.ts'
import { createUpstream, type Upstream } from '../proxy/upstream.ts'
import { relayWebSocket, answerUpgrade } from '../proxy/websocket/relay.ts'
import { InFlight } from '../proxy/in-flight.ts'
import { isWebSocket } from '../proxy/websocket/relays.ts'
import type { HostRoute, InterceptedClient } from './intercepted-clients.ts'
import { environmentOf, type Network } from './network.ts'

/** As in the proxy: Node's default of 16 KiB could refuse headers that the upstream accepts. */
const MAX_HEADER_BYTES = 64 * 1024
/** Time limit in ms for a client's TLS handshake. */
const HANDSHAKE_MS = 10_000

export interface InterceptedHostsOptions {
  /** null turns capture off. */
  readonly tap: Tap | null
  /** Decides about requests before they leave; null: nothing does. */
  readonly gate?: Gate | null | undefined
  readonly logger: Pick<Logger, 'debug' | 'warn'>
  /** Time limit in ms for connecting to an upstream; absent: the proxy's own. */
  readonly reachMs?: number | undefined
  /** Called if a client does not complete the handshake, with the reason. */
  onHandshakeFailure(reason: string): void
}

/** Destination of a client's connection. */
interface Destination {
  readonly host: string
  readonly client: InterceptedClient
  readonly network: Network
  /** The run of the client; null: none is known. */
  readonly run: string | null
}

/** Destination of a request. */
interface Place extends Destination {
  readonly route: HostRoute
}

/** Ends the TLS of the API's hosts and hands their requests to the forwarder and the tap that base URLs use. */
export class InterceptedHosts {
  readonly #options: InterceptedHostsOptions
  readonly #server: Server
  readonly #destinations = new WeakMap<Duplex, Destination>()
  readonly #upstreams = new Map<string, Upstream>()
  readonly #relays = new Set<ReturnType<typeof relayWebSocket>>()
  readonly #inFlight = new InFlight()

  constructor(options: InterceptedHostsOptions) {
    this.#options = options
    // It never listens: it serves the connections that it is given.
    this.#server = createServer({
      maxHeaderSize: MAX_HEADER_BYTES,
      keepAliveTimeout: 0,
      requestTimeout: 0,
      // A request for any other protocol must not end HTTP here: the bytes after it would pass unseen.
      shouldUpgradeCallback: isWebSocket,
    })
    this.#server.headersTimeout = 0
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response)
    this.#server.on('request', handle).on('checkContinue', handle)
    this.#server.on('upgrade', (request, socket, head) => this.#upgrade(request, socket as Socket, head))
    this.#server.on('clientError', (_error, socket) => refuseBytes(socket as Socket))
  }

  /** Requests in progress. */
  get inFlight(): number {
    return this.#inFlight.count
  }

  /** Serves a client that begins TLS on a socket. Only HTTP/1.1 is offered (RFC 7301). */
  accept(socket: Socket, context: SecureContext, destination: Destination): void {
    this.#inFlight.hold(socket)
    const secure = new TLSSocket(socket, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      requestCert: false,
    })
    let isSecure = false
    const timer = setTimeout(() => secure.destroy(new Error('it took too long')), HANDSHAKE_MS)
    const fail = (why: string) => {
      clearTimeout(timer)
      if (!isSecure) this.#options.onHandshakeFailure(why)
      isSecure = true
      socket.destroy()
    }
    secure.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message))
    secure.once('close', () => fail('the client closed the connection'))
    secure.once('secure', () => {
      clearTimeout(timer)
      isSecure = true
      this.#destinations.set(secure, destination)
      this.#server.emit('connection', secure)
    })
  }

  /** Resolves once no request is in progress. `isPatient`: nor any that a client sends on a connection that it keeps. */
  async idle(isPatient: boolean): Promise<void> {
    for (const relay of this.#relays) relay?.closeNext()
    await (isPatient ? this.#inFlight.last(this.#server) : this.#inFlight.idle())
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await Promise.all([...this.#upstreams.values()].map((upstream) => upstream.destroy()))
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const place = this.#placeOf(request)
    if (place === null) return answerError(request, response, notOurs(request), false)
    this.#inFlight.add(response)
    forward(request, response, this.#contextOf(place))
  }

  /** Returns the destination of a request; null if its target names another server. */
  #placeOf({ socket, url = '/' }: IncomingMessage): Place | null {
    const destination = this.#destinations.get(socket)
    const target = readRequestTarget(url)
    if (destination === undefined || target === null) return null
    const { client, host } = destination
    if (target.origin !== null && target.origin.origin !== `https://${host}`) return null
    return { ...destination, route: client.routeOf(host, target.path) }
  }

  /** Facts about a request for the forwarder and the relay of WebSockets. */
  #contextOf({ network, run, route: { upstream: address, path, recordedAs } }: Place): ForwardingContext {
    const upstream = this.#upstream(address, network)
    return {
      route: () => ({ route: { upstream, path, ...(recordedAs === null ? {} : { recordedAs }) } }),
      tap: recordedAs === null ? null : this.#options.tap,
      pathSecret: null,
      run,
      gate: recordedAs === null ? null : (this.#options.gate ?? null),
      onUpstreamFailure: (error) => {
        this.#options.logger.warn({ err: error, upstream: upstream.origin }, 'upstream request failed')
      },
    }
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const place = this.#placeOf(request)
    if (place === null) return answerUpgrade(socket, notOurs(request))
    if (place.route.recordedAs !== null) {
      if (place.client.sockets === 'refused') return answerUpgrade(socket, NO_SOCKETS)
      this.#inFlight.add(socket)
    }
    const relay = relayWebSocket(request, socket, head, this.#contextOf(place))
    this.#relays.add(relay)
    socket.once('close', () => this.#relays.delete(relay))
  }

  /** Clients with the same upstream and network share its connections. */
  #upstream(url: URL, network: Network): Upstream {
    const key = JSON.stringify([url.href, network])
    const known = this.#upstreams.get(key)
    if (known !== undefined) return known
    const made = createUpstream(url, environmentOf(network), this.#options.reachMs)
    this.#upstreams.set(key, made)
    return made
  }
}

function notOurs({ url = '' }: IncomingMessage): MessagesError {
  const message = `Aspy's tunnel forwards paths of the host that it leads to, not "${url.slice(0, 200)}".`
  return { status: 400, type: 'invalid_request_error', message }
}

const NO_SOCKETS: MessagesError = {
  status: 426,
  type: 'invalid_request_error',
  message: "Aspy's tunnel does not forward WebSockets: [proxy] websockets is set to refuse.",
}

/** Answers bytes that are not HTTP/1.1, such as HTTP/2 without negotiation. */
function refuseBytes(socket: Socket): void {
  if (!socket.writable) return void socket.destroy()
  const text = 'Aspy speaks HTTP/1.1 here.\n'
  socket.on('error', () => socket.destroy())
  // A client that keeps its side open must not keep ours open.
  socket.setTimeout(1000, () => socket.destroy())
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  )
}
