import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import { AspyError } from '../../shared/contract/errors.ts'
import { isAllowedHost } from '../base/loopback-guard.ts'
import { forward } from './forwarding.ts'
import { answerError, messagesErrorBody } from './messages-error.ts'
import type { MessagesError } from './messages-error.ts'
import type { Tap } from './tap.ts'
import { createUpstream } from './upstream.ts'

/** Of one request, in bytes: Node's own 16 KiB could refuse what the upstream would take. */
const MAX_HEADER_BYTES = 64 * 1024

export interface ProxyOptions {
  readonly host: '127.0.0.1'
  /** 0: any free one. */
  readonly port: number
  /** Where every request goes; a path in it comes before the request's own. */
  readonly upstream: URL
  /** null: nothing is captured. */
  readonly tap: Tap | null
  /** Further `name:port` that may be asked for. */
  readonly allowedHosts?: readonly string[]
  readonly logger: Pick<Logger, 'debug' | 'warn'>
}

export interface Proxy {
  /** Begins to serve. Throws AspyError `port_taken`. */
  listen(): Promise<{ readonly port: number }>
  /** Takes no more requests, lets those under way finish until the deadline, then cuts them. */
  close(deadlineMs: number): Promise<void>
  /** Requests under way. */
  inFlight(): number
}

/**
 * Forwards every request to the upstream and nothing to anywhere else. What passes is not changed, decoded or waited for;
 * the tap gets a copy.
 */
export function createProxy({ host, port, upstream: url, tap, allowedHosts = [], logger }: ProxyOptions): Proxy {
  const upstream = createUpstream(url)
  let boundPort = port
  let inFlight = 0
  let onIdle: (() => void) | null = null

  const context = {
    upstream,
    tap,
    onUpstreamFailure(error: Error) {
      logger.warn({ err: error, upstream: upstream.origin }, 'the upstream failed')
    },
  }
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: 0, requestTimeout: 0 }, handle)
  // A long upload is as welcome as a long answer, and a connection may be opened before it is needed.
  server.headersTimeout = 0
  server.on('checkContinue', handle)
  // Such as no file handle for a new connection: those that are open go on.
  server.on('error', (error) => {
    if (server.listening) logger.warn({ err: error }, 'the proxy could not take a connection')
  })
  server.on('connect', (request, socket) => refuseTunnel(request, socket))

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOf(request, boundPort, allowedHosts)
    if (refusal !== null) {
      logger.warn({ method: request.method, reason: refusal.message }, 'a request was refused')
      answerError(request, response, refusal, request.headers.expect !== undefined)
      return
    }
    inFlight += 1
    response.once('close', () => {
      inFlight -= 1
      if (inFlight === 0) onIdle?.()
    })
    forward(request, response, context)
  }

  return {
    async listen() {
      boundPort = await listenOn(server, host, port)
      return { port: boundPort }
    },
    async close(deadlineMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve
        if (inFlight === 0) resolve()
      })
      const timer = setTimeout(() => server.closeAllConnections(), deadlineMs)
      await idle
      clearTimeout(timer)
      server.closeAllConnections()
      await closed
      await upstream.destroy()
    },
    inFlight: () => inFlight,
  }
}

/** Why a request is not for the upstream, or null. */
function refusalOf(request: IncomingMessage, port: number, allowedHosts: readonly string[]): MessagesError | null {
  const { headers, url = '' } = request
  if (!isAllowedHost(headers.host, port, allowedHosts)) {
    const message = `Aspy's proxy answers to 127.0.0.1:${port}, not to "${headers.host ?? ''}". Set ANTHROPIC_BASE_URL to http://127.0.0.1:${port}, or name the host in [app] allowed_hosts in config.toml.`
    return { status: 403, type: 'permission_error', message }
  }
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    const message = "Aspy's proxy takes no requests from web pages (Origin or Sec-Fetch-Site header)."
    return { status: 403, type: 'permission_error', message }
  }
  if (!url.startsWith('/')) {
    const message = `Aspy's proxy is not a general proxy: ask for a path, not for "${url.slice(0, 200)}". Set ANTHROPIC_BASE_URL, not HTTP_PROXY, to its address.`
    return { status: 400, type: 'invalid_request_error', message }
  }
  if (headers.upgrade?.toLowerCase() === 'websocket') {
    const message = "Aspy's proxy does not forward WebSockets."
    return { status: 501, type: 'invalid_request_error', message }
  }
  return null
}

function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  const body = messagesErrorBody({
    status: 405,
    type: 'invalid_request_error',
    message: `Aspy's proxy opens no tunnels (CONNECT ${(request.url ?? '').slice(0, 200)}). Set ANTHROPIC_BASE_URL, not HTTPS_PROXY, to its address.`,
  })
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/json\r\ncontent-length: ${body.byteLength}\r\nconnection: close\r\n\r\n${body.toString()}`,
  )
}

function listenOn(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const message = `port ${port} is taken; choose another with --proxy-port N or [proxy] port in config.toml`
      reject(error.code === 'EADDRINUSE' ? new AspyError('port_taken', message, { cause: error }) : error)
    }
    server.once('error', refuse)
    server.listen({ host, port }, () => {
      server.off('error', refuse)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
