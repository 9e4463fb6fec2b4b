import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import { AspyError, ERROR_STATUS, toErrorAnswer } from '../../../shared/contract/errors.ts'
import { ConnectionRoom, type RoomLimits } from '../../base/connection-room.ts'

export interface ConnectionLimits extends RoomLimits {
  /**
   * Time in ms for a request's head, and for the whole request. An answer, such as a stream, may take any amount of
   * time.
   */
  readonly headersMs: number
  readonly requestMs: number
  /** Interval in ms for checking the times. */
  readonly checkMs: number
}

/** A certificate chain and its key, PEM. */
export interface ServerCertificate {
  readonly cert: Buffer
  readonly key: Buffer
}

const DEFAULT_LIMITS: ConnectionLimits = {
  maxIdle: 128,
  maxRequests: 256,
  headersMs: 15_000,
  requestMs: 120_000,
  checkMs: 5000,
}
/** A longer head is refused with 431. Useful paths and queries are far shorter. */
const MAX_HEADER_BYTES = 64 * 1024

/** Creates a server on which slow or many callers cannot keep others from their answers. */
export function createBoundedServer(
  fetch: Parameters<typeof getRequestListener>[0],
  limits: ConnectionLimits = DEFAULT_LIMITS,
  tls?: ServerCertificate,
): Server {
  const answer = getRequestListener(fetch, { overrideGlobalObjects: false })
  const room = new ConnectionRoom(limits)
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
  }
  const respond = (request: IncomingMessage, response: ServerResponse) =>
    room.hasRoom(request, response) ? void answer(request, response) : refuse(request, response)
  const server = tls === undefined ? createServer(options, respond) : createTlsServer({ ...options, ...tls }, respond)
  room.watch(server)
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerClientError(error, socket))
  return server
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const error = toErrorAnswer(new AspyError('busy', 'too many calls are in progress; try again in a moment'))
  response.writeHead(ERROR_STATUS.busy, { 'content-type': 'application/json', 'retry-after': '1', connection: 'close' })
  response.end(JSON.stringify({ error }))
  request.resume()
}

/** Answers invalid and late requests before it closes the connection. */
function answerClientError({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : code === 'HPE_HEADER_OVERFLOW' ? 431 : 400
  const message = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`
  socket.end(message, () => socket.destroy())
}

/** Lets answers in progress finish for at most `deadlineMs`. */
export async function closeServer(server: Server, deadlineMs: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), deadlineMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
