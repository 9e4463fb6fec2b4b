import type { GatedRequest } from '../../proxy/gate.ts'
import { hasCaps, type GuardConfig, type MessagePlace } from '../guard-protocol.ts'

/** Limit of WebSockets that are remembered; the least recently used is forgotten first. */
const MAX_SOCKETS = 1000

/** The WebSockets of which the guard's thread has seen messages. A thread that has just started knows none. */
export class IntroducedSockets {
  readonly #known = new Set<string>()
  readonly #readsAnswers: boolean

  constructor(config: GuardConfig) {
    // The calls of a turn are in the answers; a message of the client has only their results.
    this.#readsAnswers = hasCaps(config, 'repeat_calls')
  }

  /**
   * Returns what the thread needs to read a message; for a WebSocket that it does not know, also the client's earlier
   * messages.
   */
  place({ connection, index, answer, earlier, answered }: NonNullable<GatedRequest['socket']>): MessagePlace {
    const sent = this.#known.delete(connection) ? null : earlier()
    this.#known.add(connection)
    const [oldest] = this.#known
    if (this.#known.size > MAX_SOCKETS && oldest !== undefined) this.#known.delete(oldest)
    return {
      connection,
      index,
      answer,
      ...(sent === null || sent.length === 0 ? {} : { earlier: Buffer.concat(sent) }),
      ...(this.#readsAnswers && answered !== null ? { answered: Buffer.concat(answered) } : {}),
    }
  }
}
