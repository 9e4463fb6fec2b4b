import { parseJson } from '../../decode/json-access.ts'
import { objectOf } from '../../../shared/json-fields.ts'
import { wireOfBody } from '../../decode/wire/wire-of.ts'
import type { Continuation } from '../../decode/wire/wire.ts'
import { SocketConnections } from '../../decode/wire/websocket/socket-connections.ts'
import type { SocketMessages } from '../../decode/wire/websocket/socket-messages.ts'
import type { MessagePlace } from '../guard-protocol.ts'
import { NOTHING_EARLIER, pairs, type Earlier, type FoundRequest } from './plain-request.ts'

const UNREADABLE: FoundRequest = { body: null, isExempt: false, earlier: NOTHING_EARLIER }
const EXEMPT: FoundRequest = { body: null, isExempt: true, earlier: NOTHING_EARLIER }
/** Limit of calls of a turn that are remembered per connection; the oldest are forgotten first. */
const MAX_CALLS = 2000

/** The conversation on a connection. */
interface Conversation {
  /** Its last request, joined with the conversation that it continued. */
  readonly whole: Earlier
  /** The conversation that the last request continued: it may be sent again. */
  readonly before: Earlier
  /** The answer that the last request continued; null if that request was complete. */
  readonly continued: string | null
}

/**
 * Reads the messages of clients on WebSockets. A message of the Responses API has only new items, so the conversation
 * so far is remembered for each connection: its tokens, and the calls of the running turn.
 */
export class SocketRequests {
  readonly #connections = new SocketConnections()
  readonly #conversations = new WeakMap<SocketMessages, Conversation>()

  /** `frames` are those of one message, which may be compressed with earlier ones. */
  read(place: MessagePlace, frames: Uint8Array): FoundRequest {
    const headers = pairs(place.answer)
    const { earlier } = place
    const messages =
      earlier === undefined
        ? this.#connections.at(place, headers).messages
        : this.#connections.resume(place, headers, earlier)
    const found = messages.client.push(frames).find(({ type }) => type === 'message')
    if (found?.type !== 'message') return UNREADABLE
    const body = objectOf(parseJson(found.bytes.toString()) ?? null)
    const { continuation } = wireOfBody(body)
    const answer = answerIn(messages, place, continuation)
    if (body['type'] !== undefined && body['type'] !== 'response.create') return EXEMPT
    const continued = continuation?.continues(body, '') ?? null
    const before = continued === null ? NOTHING_EARLIER : this.#before(messages, continued, answer)
    return {
      body: found.bytes,
      // It warms up the connection and generates nothing.
      isExempt: body['generate'] === false,
      earlier: before,
      onPriced: ({ turn, ...whole }) =>
        this.#conversations.set(messages, {
          whole: { ...whole, turn: turn.slice(-MAX_CALLS) },
          before,
          continued,
        }),
    }
  }

  /** Returns the conversation that a request with the id of an answer continues. */
  #before(messages: SocketMessages, continued: string, answer: Answer): Earlier {
    const last = this.#conversations.get(messages)
    if (last === undefined) return NOTHING_EARLIER
    if (last.continued === continued) return last.before
    if (answer.id !== null && answer.id !== continued) return { ...last.whole, turn: [] }
    return { ...last.whole, turn: [...last.whole.turn, answer.calls] }
  }
}

interface Answer {
  readonly id: string | null
  readonly calls: readonly string[]
}

/**
 * Reads the upstream's frames since the previous message. Missing frames make the rest of that direction unreadable.
 */
function answerIn(messages: SocketMessages, { answered }: MessagePlace, continuation: Continuation | undefined) {
  if (answered === undefined) messages.upstream.lose()
  const said = answered === undefined ? [] : messages.upstream.push(answered)
  const parts = said.flatMap((message) => {
    const event = message.type === 'message' ? objectOf(parseJson(message.bytes.toString()) ?? null) : {}
    return continuation?.answerIn(event, '') ?? []
  })
  return { id: parts.findLast(({ id }) => id !== null)?.id ?? null, calls: parts.flatMap(({ calls }) => calls) }
}
