import { createStreamDecoder, IS_STREAM, type StreamEvent } from './sse.ts'

/** A longer body without an event counts as a stream. */
const MAX_HELD_BYTES = 256 * 1024

/** Decodes a body declared as a stream. Holds it until an event arrives: it may be a gateway's JSON or page. */
export class HeldStream {
  readonly #decoder = createStreamDecoder()
  readonly #held: StreamEvent[] = []
  readonly #pieces: Uint8Array[] = []
  #bytes = 0
  #isStream = false

  /** Returns the events that are complete. */
  push(bytes: Uint8Array): readonly StreamEvent[] {
    const events = this.#decoder.push(bytes)
    if (this.#isStream) return events
    this.#bytes += bytes.length
    this.#held.push(...events)
    this.#isStream = this.#bytes > MAX_HELD_BYTES || events.some(({ type }) => type === 'event')
    if (this.#isStream) {
      this.#pieces.length = 0
      return this.#held.splice(0)
    }
    this.#pieces.push(bytes.slice())
    return []
  }

  /** Returns the last events, or the text of a body that is not a stream. */
  end(): { readonly streamed: boolean; readonly text: string; readonly events: readonly StreamEvent[] } {
    const text = new TextDecoder().decode(Buffer.concat(this.#pieces.splice(0)))
    const streamed = this.#isStream || text.trim() === '' || IS_STREAM.test(text)
    const events = [...this.#held.splice(0), ...this.#decoder.end()]
    return streamed ? { streamed, text: '', events } : { streamed, text, events: [] }
  }
}
