import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { TapExchange } from './tap.ts'

/**
 * The body of a client's request on its way to the upstream, tapped as it arrives. It is read no faster than the upstream
 * takes it. When the upstream side gives it up, the rest is read to its end and captured: a client that is still sending
 * could not read the answer otherwise, and its connection could not be used again.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage
  readonly #captured: TapExchange | null
  readonly #onStart: () => void
  #isStarted = false
  #isGivenUp = false

  /** `onStart` is called before the first byte is read. */
  constructor(request: IncomingMessage, captured: TapExchange | null, onStart: () => void) {
    super({ highWaterMark: request.readableHighWaterMark })
    this.#request = request
    this.#captured = captured
    this.#onStart = onStart
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  override _read(): void {
    this.#start()
    this.#request.resume()
  }

  override _destroy(_error: Error | null, callback: (error: Error | null) => void): void {
    this.#isGivenUp = true
    this._read()
    // Whoever destroyed it knows why; there is no one here to hear an error.
    callback(null)
  }

  #start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#onStart()
    this.#request.on('data', (chunk: Buffer) => {
      if (!this.#isGivenUp && !this.push(chunk)) this.#request.pause()
      this.#captured?.requestBytes(chunk)
    })
    this.#request.on('end', () => {
      this.#captured?.requestEnd()
      if (!this.#isGivenUp) this.push(null)
    })
  }
}

/** All that came of it was taken; `complete` alone says that it came, not that anyone has read it. */
export function isRead(request: IncomingMessage): boolean {
  return request.readableEnded || (request.complete && request.readableLength === 0)
}
