import type { ExchangeOutcome } from '../protocol/tap-protocol.ts'
import type { Tap, TapExchange, TapRequest } from '../tap.ts'
import { FrameEdges } from './frame-edges.ts'

/**
 * Captures a WebSocket as a series of exchanges, so that an hour of it need not wait in memory: the handshake, and then
 * each message of the client with everything that the upstream sends until the next one.
 */
export class SocketCapture {
  readonly #tap: Pick<Tap, 'open'>
  readonly #request: TapRequest
  readonly #edges = new FrameEdges()
  #current: TapExchange
  readonly #connection: string
  #index = 0
  #head: readonly string[] = []

  constructor(tap: Pick<Tap, 'open'>, request: TapRequest) {
    this.#tap = tap
    this.#request = request
    this.#current = tap.open(request)
    this.#current.requestEnd()
    this.#connection = this.#current.id
  }

  /** The exchange of the message under way; of the handshake, before the first. */
  get exchangeId(): string {
    return this.#current.id
  }

  /** The upstream answered the handshake. `headers` as Node gives them. */
  responseHead(status: number, headers: readonly string[]): void {
    this.#head = headers
    this.#current.responseHead(status, headers)
  }

  /** Bytes of the upstream's answer, if it is not a WebSocket. */
  responseBytes(chunk: Buffer): void {
    this.#current.responseBytes(chunk)
  }

  fromClient(chunk: Buffer): void {
    for (const { bytes, startsMessage, endsMessage } of this.#edges.cut(chunk)) {
      if (startsMessage) this.#next()
      this.#current.requestBytes(bytes)
      if (endsMessage) this.#current.requestEnd()
    }
  }

  fromUpstream(chunk: Buffer): void {
    this.#current.responseBytes(chunk)
  }

  end(outcome: ExchangeOutcome, error: string | null = null): void {
    this.#current.end(outcome, error)
  }

  #next(): void {
    this.#current.end('complete')
    this.#index += 1
    this.#current = this.#tap.open({ ...this.#request, socket: { connection: this.#connection, index: this.#index } })
    this.#current.responseHead(101, this.#head)
  }
}
