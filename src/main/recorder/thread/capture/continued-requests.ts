import type { Json, JsonObject } from '../../../../shared/event.ts'
import type { Continuation } from '../../../decode/wire/wire.ts'

/** Bounds the memory by the size of the items that each answer added. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_ANSWERS = 500

interface Known {
  /** Everything up to the end of the answer. */
  readonly items: readonly Json[]
  /** Size of the items that its request and answer added. */
  readonly bytes: number
}

/**
 * Completes requests that hold only new items. Keeps the conversations of recent answers in memory, where they share
 * common parts.
 */
export class ContinuedRequests {
  readonly #known = new Map<string, Known>()
  #bytes = 0

  /** Returns the whole body; the body itself if it continues nothing, or continues an unknown answer. */
  whole(continuation: Continuation, body: JsonObject, sessionId: string): JsonObject {
    const id = continuation.continues(body, sessionId)
    const known = id === null ? undefined : this.#known.get(id)
    if (id === null || known === undefined) return body
    this.#known.delete(id)
    this.#known.set(id, known)
    return continuation.join(body, known.items)
  }

  /** Remembers an answer. `addedBytes`: the size of the items that its request and the answer added. */
  answered(id: string, items: readonly Json[], addedBytes: number): void {
    this.#drop(id)
    this.#known.set(id, { items, bytes: addedBytes })
    this.#bytes += addedBytes
    for (const eldest of this.#known.keys()) {
      if (this.#bytes <= MAX_BYTES && this.#known.size <= MAX_ANSWERS) return
      this.#drop(eldest)
    }
  }

  /** Returns whether there was anything to forget. */
  forget(): boolean {
    const had = this.#known.size > 0
    this.#known.clear()
    this.#bytes = 0
    return had
  }

  #drop(id: string): void {
    this.#bytes -= this.#known.get(id)?.bytes ?? 0
    this.#known.delete(id)
  }
}
