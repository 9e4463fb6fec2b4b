import type { RawHeaders, SocketPlace } from '../../../proxy/protocol/tap-protocol.ts'
import type { SocketMessage } from './message-reader.ts'
import { SocketMessages } from './socket-messages.ts'

/** Bounds the connections that are read at once. Each remembers 64 KB. */
const MAX_CONNECTIONS = 1000

interface Connection {
  readonly messages: SocketMessages
  /** The exchange whose messages were read last. */
  index: number
}

/** The WebSockets whose messages are being read. Later messages may be packed with what earlier ones said. */
export class SocketConnections {
  readonly #open = new Map<string, Connection>()

  /**
   * Returns the reader of a connection for the exchange at `place`, and what can no longer be read because earlier exchanges
   * are missing: a recorder was restarted, or capture dropped one.
   */
  at(
    place: SocketPlace,
    handshake: RawHeaders,
  ): { readonly messages: SocketMessages; readonly lost: readonly SocketMessage[] } {
    const known = this.#open.get(place.connection)
    const connection = known ?? { messages: new SocketMessages(handshake), index: 0 }
    const lost = place.index > connection.index + 1 ? connection.messages.lose() : []
    connection.index = place.index
    this.#open.delete(place.connection)
    this.#open.set(place.connection, connection)
    const eldest = this.#open.keys().next()
    if (this.#open.size > MAX_CONNECTIONS && !eldest.done) this.#open.delete(eldest.value)
    return { messages: connection.messages, lost }
  }
}
