import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Properties of an HTTP server that never ends a connection for its silence. */
export const NO_TIMEOUTS = {
  requestTimeout: 0,
  headersTimeout: 0,
  timeout: 0,
  keepAliveTimeout: 0,
  maxRequestsPerSocket: 0,
} as const

/** Collects servers of this process that receive a request, with its socket, as reported by Node. */
export function watchServers() {
  const seen: { server: Server; socket: Socket }[] = []
  const listener = (message: unknown) => void seen.push(message as { server: Server; socket: Socket })
  subscribe('http.server.request.start', listener)
  return { seen, [Symbol.dispose]: () => void unsubscribe('http.server.request.start', listener) }
}
