import type { Json } from '../../../../shared/event.ts'
import { parseJson } from '../../../decode/json-access.ts'
import type { SocketMessage } from '../../../decode/wire/websocket/message-reader.ts'
import type { SocketMessages } from '../../../decode/wire/websocket/socket-messages.ts'
import type { ResponseDecoder } from '../../../decode/wire/wire.ts'
import type { RawHeaders, SocketPlace } from '../../../proxy/protocol/tap-protocol.ts'
import type { RawDelta } from '../../live-text.ts'
import type { SocketConnections } from '../../../decode/wire/websocket/socket-connections.ts'

/** Bounds the number of messages after an answer. */
const MAX_LATE = 1000

/** One message of a client on a WebSocket, and the upstream's messages until the next one. */
export class SocketTurn {
  readonly #place: SocketPlace
  readonly #connections: SocketConnections
  #messages: SocketMessages | null = null
  /** Messages that arrived after the answer was over. */
  readonly late: Json[] = []
  /** Unreadable parts that are not reported yet. */
  readonly #faults: string[] = []
  /** Messages of the upstream that arrived before the client's was complete. */
  #early: { readonly json: Json | undefined; readonly text: string; readonly at: number }[] = []

  constructor(place: SocketPlace, connections: SocketConnections) {
    this.#place = place
    this.#connections = connections
  }

  /** `handshake`: headers of the upstream's answer to it. */
  begin(handshake: RawHeaders): void {
    const { messages, lost } = this.#connections.at(this.#place, handshake)
    this.#messages = messages
    this.#note(lost)
  }

  /** Returns the client's message; null if it is not JSON. Throws if it cannot be read. */
  request(bytes: Uint8Array): Json | null {
    const read = this.#messages?.client.push(bytes) ?? []
    this.#note(read)
    const found = read.find((message) => message.type === 'message')
    if (found?.type !== 'message') throw new Error(this.#faults.shift() ?? 'a message of the WebSocket is incomplete')
    return parseJson(found.bytes.toString()) ?? null
  }

  /** Passes the upstream's messages to the decoder. Throws after them if some cannot be read. */
  answer(
    { bytes, at }: { readonly bytes: Uint8Array; readonly at: number },
    decoder: ResponseDecoder | null,
  ): readonly RawDelta[] {
    const read = this.#messages?.upstream.push(bytes) ?? []
    this.#note(read)
    for (const message of read) {
      if (message.type === 'broken') continue
      const text = message.bytes.toString()
      this.#early.push({ json: parseJson(text), text, at })
    }
    if (decoder === null) return []
    const deltas: RawDelta[] = []
    for (const { json, text, at: arrived } of this.#early.splice(0)) {
      if (decoder.isOver === true) this.#keepLate(json ?? text)
      else if (json === undefined) deltas.push(...(decoder.take?.({ type: 'broken', text }, arrived) ?? []))
      else deltas.push(...(decoder.take?.({ type: 'event', name: null, data: json }, arrived) ?? []))
    }
    const fault = this.#faults.shift()
    if (fault !== undefined) throw new Error(fault)
    return deltas
  }

  #keepLate(message: Json): void {
    if (this.late.length < MAX_LATE) this.late.push(message)
  }

  #note(messages: readonly SocketMessage[]): void {
    for (const message of messages) if (message.type === 'broken') this.#faults.push(message.why)
  }
}
