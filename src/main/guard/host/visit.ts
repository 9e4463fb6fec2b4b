import { randomUUID } from 'node:crypto'
import type { MessagesError } from '../../proxy/messages-error.ts'
import type { GatedRequest, GateVisit } from '../../proxy/gate.ts'
import type { ModelApi } from '../../proxy/protocol/api-path.ts'

/** Bodies up to this size are priced. A larger one passes unpriced: copying it would delay other requests. */
const MAX_PRICED_BYTES = 16 * 1024 * 1024

export interface VisitEvents {
  /** The whole body was received. */
  onBody(visit: Visit, body: Uint8Array<ArrayBuffer>): void
  onTooLarge(visit: Visit): void
  onLeave(visit: Visit): void
  onFinish(visit: Visit): void
}

/** One request at the gate: collects its body and holds its verdict. */
export class Visit implements GateVisit {
  readonly id: string
  readonly headers: readonly string[]
  readonly socket: GatedRequest['socket']
  readonly api: ModelApi
  readonly #events: VisitEvents
  readonly #verdict = Promise.withResolvers<MessagesError | null>()
  #chunks: Uint8Array[] = []
  #bytes = 0
  /** The verdict is known. */
  isDecided = false
  hasLeft = false

  constructor({ id, headers, socket }: GatedRequest, api: ModelApi, events: VisitEvents) {
    this.id = id ?? randomUUID()
    this.headers = headers
    this.socket = socket
    this.api = api
    this.#events = events
  }

  get verdict(): Promise<MessagesError | null> {
    return this.#verdict.promise
  }

  requestBytes(bytes: Uint8Array): void {
    if (this.isDecided) return
    this.#bytes += bytes.byteLength
    this.#chunks.push(bytes)
    if (this.#bytes <= MAX_PRICED_BYTES) return
    this.#chunks = []
    this.#events.onTooLarge(this)
  }

  requestEnd(): void {
    if (this.isDecided) return
    // A buffer of its own, because it is transferred.
    const body = new Uint8Array(this.#bytes)
    let at = 0
    for (const chunk of this.#chunks) {
      body.set(chunk, at)
      at += chunk.byteLength
    }
    this.#chunks = []
    this.#events.onBody(this, body)
  }

  leave(): void {
    if (this.hasLeft) return
    this.hasLeft = true
    this.#chunks = []
    this.#events.onLeave(this)
  }

  finish(): void {
    this.#events.onFinish(this)
    this.leave()
  }

  decide(refusal: MessagesError | null): void {
    this.isDecided = true
    this.#verdict.resolve(refusal)
  }
}
