import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

export interface RoomLimits {
  /** Connections without a request in progress. Beyond it, the one that has been idle longest is closed. */
  readonly maxIdle: number
  /** Requests in progress. `hasRoom` is false beyond it. */
  readonly maxRequests: number
}

/**
 * Keeps a server from running out of file handles: without free handles, the system closes new connections without an
 * answer. A connection whose request head never ends counts as idle.
 */
export class ConnectionRoom {
  readonly #limits: RoomLimits
  /** The longest idle comes first. */
  readonly #idle = new Set<Socket>()
  /** Requests in progress by connection: with pipelining, more than one. */
  readonly #busy = new Map<Socket, number>()
  #requests = 0

  constructor(limits: RoomLimits) {
    this.#limits = limits
  }

  watch(server: Server): void {
    // With TLS, requests name the decrypted socket.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      socket.once('close', () => {
        this.#idle.delete(socket)
        this.#busy.delete(socket)
      })
      this.#rest(socket)
    })
  }

  /** Counts a request until its response closes. Returns false if there is no room for it: answer with an error. */
  hasRoom({ socket }: IncomingMessage, response: Pick<ServerResponse | Socket, 'once'>): boolean {
    this.#idle.delete(socket)
    this.#busy.set(socket, (this.#busy.get(socket) ?? 0) + 1)
    this.#requests += 1
    response.once('close', () => {
      this.#requests -= 1
      const left = (this.#busy.get(socket) ?? 1) - 1
      if (left > 0) this.#busy.set(socket, left)
      else this.#rest(socket)
    })
    return this.#requests <= this.#limits.maxRequests
  }

  #rest(socket: Socket): void {
    this.#busy.delete(socket)
    if (socket.destroyed) return
    this.#idle.add(socket)
    for (const longest of this.#idle) {
      if (this.#idle.size <= this.#limits.maxIdle) return
      this.#idle.delete(longest)
      longest.destroy()
    }
  }
}
