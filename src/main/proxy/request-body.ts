import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { TapExchange } from './tap.ts'

/** A longer body is not kept, and so is not sent again. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024

type Captured = Pick<TapExchange, 'requestBytes' | 'requestEnd'>

/**
 * The body of a client's request, streamed to the upstream with backpressure and captured as it arrives. Once destroyed, it
 * still reads and captures the rest: otherwise a client that is still sending could not read the response, and its connection
 * could not be reused.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage
  readonly #captured: Captured | null
  readonly #onStart: () => void
  #isStarted = false
  /** What has arrived, until an answer begins; null if it is too long to keep. */
  #kept: Buffer[] | null = []
  #keptBytes = 0
  #isGivenUp = false

  /** Calls `onStart` before reading the first byte. */
  constructor(
    request: IncomingMessage,
    captured: Captured | null,
    onStart: () => void,
    highWaterMark: number = request.readableHighWaterMark,
  ) {
    super({ highWaterMark })
    this.#request = request
    this.#captured = captured
    this.#onStart = onStart
  }

  get isStarted(): boolean {
    return this.#isStarted
  }

  /** Call when an answer begins: it is then not sent again. */
  forget(): void {
    this.#kept = null
  }

  /** Gives the stream up and returns the whole body, once it has arrived; null if it was not kept. */
  async whole(): Promise<Buffer | null> {
    this.destroy()
    if (!isRead(this.#request)) await new Promise((resolve) => this.#request.once('end', resolve))
    return this.#kept === null ? null : Buffer.concat(this.#kept)
  }

  /** Reads up to `highWaterMark` before anything asks for it. */
  prefetch(): void {
    this.read(0)
  }

  override _read(): void {
    this.#start()
    this.#request.resume()
  }

  override _destroy(_error: Error | null, callback: (error: Error | null) => void): void {
    this.#isGivenUp = true
    this._read()
    // The caller that destroyed it knows the error; nothing here handles it.
    callback(null)
  }

  #keep(chunk: Buffer): void {
    this.#keptBytes += chunk.length
    if (this.#keptBytes > MAX_KEPT_BYTES) this.#kept = null
    else this.#kept?.push(chunk)
  }

  #start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    this.#onStart()
    this.#request.on('data', (chunk: Buffer) => {
      if (!this.#isGivenUp && !this.push(chunk)) this.#request.pause()
      this.#captured?.requestBytes(chunk)
      this.#keep(chunk)
    })
    this.#request.on('end', () => {
      this.#captured?.requestEnd()
      if (!this.#isGivenUp) this.push(null)
    })
  }
}

/** True if a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  if (headers['transfer-encoding'] !== undefined) return true
  const length = headers['content-length']
  return length !== undefined && Number(length) !== 0
}

/** True if the body may arrive together with its head: it is small, and the client does not wait for 100 Continue. */
export const mayBeWhole = ({ headers, readableHighWaterMark }: IncomingMessage): boolean =>
  headers.expect === undefined && Number(headers['content-length']) <= readableHighWaterMark

/**
 * Reads the body of a request with Content-Length if all of it has arrived. Otherwise reads nothing and returns null.
 */
export function takeWholeBody(request: IncomingMessage): Buffer | null {
  if (request.readableLength !== Number(request.headers['content-length'])) return null
  const body = request.read() as Buffer
  // Lets the request end.
  request.resume()
  return body
}

/** True if the request was read to its end. `complete` alone only means that it arrived. */
export const isRead = (request: IncomingMessage): boolean =>
  request.readableEnded || (request.complete && request.readableLength === 0)
