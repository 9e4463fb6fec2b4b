import { createServer, type Server, type Socket } from 'node:net'
import { errorCode, errorMessage } from '../../shared/error-text.ts'
import { listen } from '../base/listen.ts'
import type { PortName, ToApp } from './protocol.ts'

/** The ports that a keeper holds, whatever becomes of its apps. */
export class KeptPorts {
  readonly #onConnection: (port: PortName, socket: Socket) => void
  /** What listens, by number. Numbers of before stay, since clients that run know no other. */
  readonly #servers = new Map<number, { readonly server: Server; readonly port: PortName }>()
  /** The numbers that new clients get. */
  readonly #numbers = new Map<PortName, number>()

  constructor(onConnection: (port: PortName, socket: Socket) => void) {
    this.#onConnection = onConnection
  }

  /** Returns the numbers that new clients get. */
  numbers(): Readonly<Partial<Record<PortName, number>>> {
    return Object.fromEntries(this.#numbers)
  }

  /** Binds a port, unless it is bound already: without a wish, it has the number of before. Returns the answer to the app. */
  async bind(port: PortName, wanted: number, advice = ''): Promise<Extract<ToApp, { kind: 'bound' | 'refused' }>> {
    const number = wanted === 0 ? (this.#numbers.get(port) ?? 0) : wanted
    try {
      const bound = this.#servers.get(number)?.port === port ? number : await this.#listen(port, number, advice)
      this.#numbers.set(port, bound)
      return { kind: 'bound', port, number: bound }
    } catch (error) {
      return { kind: 'refused', port, code: errorCode(error) ?? '', message: errorMessage(error) }
    }
  }

  /** Takes no more connections. */
  close(): void {
    for (const { server } of this.#servers.values()) server.close()
  }

  async #listen(port: PortName, number: number, advice: string): Promise<number> {
    const server = createServer({ pauseOnConnect: true, noDelay: true, allowHalfOpen: true }, (socket) =>
      this.#onConnection(port, socket),
    )
    const bound = await listen(server, number, advice)
    // Out of file handles for a new connection, for example: those that are open go on.
    server.on('error', () => undefined)
    this.#servers.set(bound, { server, port })
    return bound
  }
}
