import { objectOf, parseJson } from '../../decode/json-access.ts'
import { SocketConnections } from '../../decode/wire/websocket/socket-connections.ts'
import type { SocketMessages } from '../../decode/wire/websocket/socket-messages.ts'
import type { MessagePlace } from '../guard-protocol.ts'
import { pairs, type FoundRequest } from './plain-request.ts'

const UNREADABLE: FoundRequest = { body: null, isExempt: false, earlierTokens: 0 }
const EXEMPT: FoundRequest = { body: null, isExempt: true, earlierTokens: 0 }

/**
 * Reads the messages of clients on WebSockets. A message of the Responses API has only what is new, so the tokens of each
 * connection's last request are remembered.
 */
export class SocketRequests {
  readonly #connections = new SocketConnections()
  readonly #tokens = new WeakMap<SocketMessages, number>()

  /** `frames` are those of one message, which may be compressed with earlier ones. */
  read(place: MessagePlace, frames: Uint8Array): FoundRequest {
    const { messages } = this.#connections.at(place, pairs(place.answer))
    const found = messages.client.push(frames).find(({ type }) => type === 'message')
    if (found?.type !== 'message') return UNREADABLE
    const body = objectOf(parseJson(found.bytes.toString()) ?? null)
    if (body['type'] !== undefined && body['type'] !== 'response.create') return EXEMPT
    return {
      body: found.bytes,
      // It warms the connection up: nothing is generated.
      isExempt: body['generate'] === false,
      earlierTokens: body['previous_response_id'] === undefined ? 0 : (this.#tokens.get(messages) ?? 0),
      onPriced: (tokens) => this.#tokens.set(messages, tokens),
    }
  }
}
