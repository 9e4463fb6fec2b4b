import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'

/** A client that asks again and again sends its next request within this time of the answer, in ms. */
const NEXT_MS = 1000
/** A connection that is being handed to this process arrives within this time, in ms. */
const ARRIVING_MS = 50

/** Counts requests in progress, and the connections of the server that they come to. */
export class InFlight {
  #count = 0
  #connections = 0
  readonly #waiting = new Set<() => void>()

  get count(): number {
    return this.#count
  }

  /** Counts a connection, on which a client may ask, until it is closed. */
  hold(socket: Pick<Duplex, 'once'>): void {
    this.#connections += 1
    socket.once('close', () => (this.#connections -= 1))
  }

  /** Counts a request, or a WebSocket, until it is closed. */
  add(connection: Pick<Duplex | ServerResponse, 'once'>): void {
    this.#count += 1
    connection.once('close', () => {
      this.#count -= 1
      if (this.#count > 0) return
      for (const wake of this.#waiting) wake()
      this.#waiting.clear()
    })
  }

  /** Resolves once none is in progress. */
  async idle(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  /**
   * Lets clients leave a server: each connection that is kept gets one more answer. Resolves once nobody asks: a connection
   * that is closed just as a request comes would cost the client an error.
   */
  async last(server: Server): Promise<void> {
    endWithAnswer(server)
    do {
      await this.idle()
      await pause(this.#connections > 0 ? NEXT_MS : ARRIVING_MS)
      // On a busy machine, a request that has come is read after the timer that was due meanwhile.
      await turn()
    } while (this.#count > 0)
  }
}

/** Makes every further answer of a server the last one of its connection. */
export function endWithAnswer(server: Server): void {
  const end = (_request: IncomingMessage, response: ServerResponse) => void (response.shouldKeepAlive = false)
  server.prependListener('request', end).prependListener('checkContinue', end)
}
