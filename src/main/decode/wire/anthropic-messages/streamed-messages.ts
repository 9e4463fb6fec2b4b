import { filledString, isObject, objectOf } from '../../../../shared/json-fields.ts'
import type { ResponseDelta } from '../wire.ts'
import { eventType, type StreamEvent } from '../sse.ts'
import { MessageAssembly, type AssembledMessage } from './message-assembly.ts'

/** Messages of one stream that are taken one by one; what follows counts to the last of them. */
const MAX_MESSAGES = 50

/** The messages of a stream. The API sends one; a relay may send several, each of which was paid for. */
export class StreamedMessages {
  readonly #before: AssembledMessage[] = []
  #last = new MessageAssembly()

  /** Takes an event that arrived `at` (ms of this run). Returns the pieces of text that it adds. */
  take(event: StreamEvent, at: number): ResponseDelta[] {
    if (this.#beginsAnother(event) && this.#before.length < MAX_MESSAGES - 1) {
      this.#before.push(this.#last.result())
      this.#last = new MessageAssembly()
    }
    return this.#last.take(event, at)
  }

  /** Returns the last message as far as it has arrived, with the errors of all. */
  result(): AssembledMessage {
    const last = this.#last.result()
    if (this.#before.length === 0) return last
    const all = [...this.#before, last]
    return {
      ...last,
      errors: all.flatMap(({ errors }) => errors),
      surplus: all.reduce((sum, { surplus }) => sum + surplus, 0),
    }
  }

  /** Returns the messages before the last one. */
  before(): readonly AssembledMessage[] {
    return this.#before
  }

  /** True for a start behind the end of a message. One that names the same message repeats it. */
  #beginsAnother(event: StreamEvent): boolean {
    if (event.type !== 'event' || !isObject(event.data)) return false
    if (eventType(event.name, event.data) !== 'message_start') return false
    const { messageId, whole, stopReason } = this.#last.result()
    const id = filledString(objectOf(event.data['message'])['id'])
    return (whole || stopReason !== null) && (id === null || id !== messageId)
  }
}
