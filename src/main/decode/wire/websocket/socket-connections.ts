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

/** The WebSockets whose messages are being read. Later messages may be compressed with earlier ones. */
export class SocketConnections {
  readonly #open = new Map<string, Connection>()

  /**
   * Returns the reader of a connection for the exchange at `place`, and what can no longer be read because earlier
   * exchanges are missing: the recorder restarted, or capture dropped one.
   */
  at(
    place: SocketPlace,
    handshake: RawHeaders,
  ): { readonly messages: SocketMessages; readonly lost: readonly SocketMessage[] } {
    const known = this.#open.get(place.connection)
    const connection = known ?? { messages: new SocketMessages(handshake), index: 0 }
    const lost = place.index > connection.index + 1 ? connection.messages.lose() : []
    connection.index = place.index
    this.#keep(place.connection, connection)
    return { messages: connection.messages, lost }
  }

  /**
   * Returns a reader that starts at the message at `place`. `earlier`: frames of all of the client's earlier messages,
   * with which it may be compressed. Earlier frames of the upstream are missing.
   */
  resume(place: SocketPlace, handshake: RawHeaders, earlier: Uint8Array): SocketMessages {
    const messages = new SocketMessages(handshake)
    messages.client.push(earlier)
    if (place.index > 1) messages.upstream.lose()
    this.#keep(place.connection, { messages, index: place.index })
    return messages
  }

  #keep(id: string, connection: Connection): void {
    this.#open.delete(id)
    this.#open.set(id, connection)
    const eldest = this.#open.keys().next()
    if (this.#open.size > MAX_CONNECTIONS && !eldest.done) this.#open.delete(eldest.value)
  }
}
