import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { ConnectionRoom, type RoomLimits } from '../base/connection-room.ts'
import { listen as bind, type Listen } from '../base/listen.ts'
import { isAllowedHost } from '../base/loopback-guard.ts'
import { openFileLimit } from '../base/open-file-limit.ts'
import { Server as NetServer } from 'node:net'
import { InFlight } from './in-flight.ts'
import { forward, type ForwardingContext } from './forwarding.ts'
import { answerError, messagesErrorBody, type MessagesError } from './messages-error.ts'
import type { Gate } from './gate.ts'
import { readRequestPath, type SecretCheck } from './request-path.ts'
import { readRequestTarget } from './request-target.ts'
import type { Tap } from './tap.ts'
import { Routes, type OwnUpstreams } from './routes.ts'
import { isRouted, type UpstreamAddresses } from './upstream-routes.ts'
import { isWebSocket, Relays } from './websocket/relays.ts'

/** Limit for one request's headers. Node's default of 16 KiB could refuse headers that the upstream accepts. */
const MAX_HEADER_BYTES = 64 * 1024

export interface ProxyOptions {
  /** 0 picks a free port. */
  readonly port: number
  /** Receives every request without a path prefix. Its path, if any, is prefixed to the request's. */
  readonly upstream: URL
  /** Addresses for the prefix /openai/v1, by login; absent: the vendor's own. */
  readonly upstreams?: UpstreamAddresses
  /** Upstreams that sessions have asked for; absent: none has. */
  readonly ownUpstreams?: OwnUpstreams
  /** WebSockets below a path prefix: relay them, or answer 426 so that the client sends plain requests. */
  readonly webSockets?: 'relay' | 'refuse'
  /** null turns capture off. */
  readonly tap: Pick<Tap, 'open'> | null
  /** Further `name:port` values accepted in the Host header. */
  readonly allowedHosts?: readonly string[]
  /** Tells clients that have our base URL from other programs; null or absent: marks nobody. */
  readonly pathSecret?: SecretCheck | null
  /** Decides about requests before they leave; null or absent: nothing does. */
  readonly gate?: Gate | null
  /** Where its connections come from; absent: it binds its port. */
  readonly listen?: Listen
  readonly logger: Pick<Logger, 'debug' | 'warn'>
}

export type Proxy = ReturnType<typeof createProxy>

/**
 * Creates a proxy that forwards every request to the upstream, and nowhere else. Traffic is neither changed, decoded nor
 * delayed; the tap gets a copy.
 */
export function createProxy(options: ProxyOptions) {
  const {
    port,
    upstream: url,
    upstreams,
    ownUpstreams = null,
    webSockets = 'relay',
    tap,
    allowedHosts = [],
    pathSecret = null,
    gate = null,
    listen = bind,
    logger,
  } = options
  const routes = new Routes(url, upstreams, ownUpstreams)
  const room = new ConnectionRoom(roomFor(openFileLimit()))
  const inFlight = new InFlight()

  const context: ForwardingContext = {
    route: (path, headers, named) => routes.route(path, headers, named),
    tap,
    pathSecret,
    gate,
    onUpstreamFailure(error: Error, origin: string) {
      logger.warn({ err: error, upstream: origin }, 'upstream request failed')
    },
  }
  const relays = new Relays({
    context,
    isOn: webSockets === 'relay',
    refusalOf: (request) => (room.hasRoom(request, request.socket) ? refusalOf(request, allowedHosts, true) : NO_ROOM),
    onRelay: (client) => inFlight.add(client),
  })
  const shouldUpgradeCallback = (request: IncomingMessage) => relays.accepts(request)
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0, requestTimeout: 0, shouldUpgradeCallback },
    handle,
  )
  server.on('connection', (socket) => inFlight.hold(socket))
  // No time limit for headers either: a client may open a connection before it needs it.
  server.headersTimeout = 0
  server.on('checkContinue', handle)
  // For example, out of file handles for a new connection. Open connections continue.
  server.on('error', (error) => {
    if (server.listening) logger.warn({ err: error }, 'proxy could not accept a connection')
  })
  server.on('connect', (request, socket) => refuseTunnel(request, socket))
  server.on('upgrade', (request, socket, head) => relays.take(request, socket, head))
  room.watch(server)

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const refusal = room.hasRoom(request, response) ? refusalOf(request, allowedHosts) : NO_ROOM
    if (refusal !== null) {
      logger.warn({ method: request.method, reason: refusal.message }, 'refused a request')
      answerError(request, response, refusal, request.headers.expect !== undefined)
      return
    }
    inFlight.add(response)
    forward(request, response, context)
  }

  return {
    /** Starts to serve. Throws AspyError `port_taken`. */
    async listen(): Promise<{ readonly port: number }> {
      return { port: await listen(server, port, 'choose another with --proxy-port N or [proxy] port in config.toml') }
    },
    /** Refuses new requests and waits for those in progress; closes their connections at the deadline. */
    async close(deadlineMs: number | null) {
      relays.closeNext()
      // Closes no connection, unlike the method of an HTTP server.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()))
      const cut = () => {
        server.closeAllConnections()
        relays.destroy()
      }
      if (deadlineMs === null) await inFlight.last(server)
      else {
        server.closeIdleConnections()
        const timer = setTimeout(cut, deadlineMs)
        await inFlight.idle()
        clearTimeout(timer)
      }
      server.closeAllConnections()
      await closed
      await routes.destroy()
    },
    /** Closes each WebSocket as soon as no answer is in flight, so that its client connects again. */
    renewSockets: () => relays.closeNext(),
    /** Returns the number of requests in progress. */
    inFlight: () => inFlight.count,
  }
}

const NO_ROOM: MessagesError = {
  status: 503,
  type: 'overloaded_error',
  message:
    "Aspy's proxy has too many requests in progress to open another connection. Try again, or raise the limit on open files (ulimit -n).",
}

/** A request in progress needs two handles, an idle connection one; a quarter is left to the rest of the app. */
const roomFor = (openFiles: number): RoomLimits => ({
  maxIdle: Math.floor(openFiles / 4),
  maxRequests: Math.floor(openFiles / 4),
})

/** Returns why a request must not be forwarded, or null. */
function refusalOf(
  request: IncomingMessage,
  allowedHosts: readonly string[],
  isUpgrading = false,
): MessagesError | null {
  const { headers, url = '' } = request
  // Not the one that it has bound: a keeper may hand over connections of several ports.
  const { localPort: port = 0 } = request.socket
  if (!isAllowedHost(headers.host, port, allowedHosts)) {
    const message = `Aspy's proxy serves 127.0.0.1:${port}, not "${headers.host ?? ''}". Set ANTHROPIC_BASE_URL to http://127.0.0.1:${port}, or add the host to [app] allowed_hosts in config.toml.`
    return { status: 403, type: 'permission_error', message }
  }
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    const message = "Aspy's proxy does not accept requests from web pages (Origin or Sec-Fetch-Site header)."
    return { status: 403, type: 'permission_error', message }
  }
  const target = readRequestTarget(url)
  if (target === null || (target.origin !== null && !isAllowedHost(target.origin.host, port, allowedHosts))) {
    const message = `Aspy's proxy is not a general proxy: request a path, not "${url.slice(0, 200)}". Set ANTHROPIC_BASE_URL, not HTTP_PROXY, to its address.`
    return { status: 400, type: 'invalid_request_error', message }
  }
  if (isWebSocket(request) && !isUpgrading) {
    const message = "Aspy's proxy does not forward WebSockets."
    return { status: isRouted(readRequestPath(url, null).path) ? 426 : 501, type: 'invalid_request_error', message }
  }
  return null
}

function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  const body = messagesErrorBody({
    status: 405,
    type: 'invalid_request_error',
    message: `Aspy's proxy does not open tunnels (CONNECT ${(request.url ?? '').slice(0, 200)}). Set ANTHROPIC_BASE_URL, not HTTPS_PROXY, to its address.`,
  })
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/json\r\ncontent-length: ${body.byteLength}\r\nconnection: close\r\n\r\n${body.toString()}`,
  )
}
