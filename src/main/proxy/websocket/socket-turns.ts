import { FrameEdges } from './frame-edges.ts'

/** Codex gives up an answer that is silent for this long (`stream_idle_timeout_ms`): after it, none is in flight. */
const SILENCE_MS = 300_000

/**
 * Knows when no answer of a WebSocket is in flight: just before the client's next message, or after a long silence. Then it can
 * be closed without loss: the client connects again, and sends there what was not forwarded here.
 */
export class SocketTurns {
  readonly #fromClient = new FrameEdges()
  readonly #fromUpstream = new FrameEdges()
  #lastAt = performance.now()
  #close: (() => void) | null = null
  /** The client's bytes are forwarded frame by frame. */
  #isPiecewise = false
  #timer: NodeJS.Timeout | null = null
  /** The upstream has sent something since the client's last message. */
  #isAnswered = true
  #isOver = false

  /** Calls `close` as soon as no answer is in flight. */
  closeNext(close: () => void): void {
    if (this.#isOver || this.#close !== null) return
    this.#close = close
    this.#awaitSilence()
  }

  /** Takes bytes of the client and returns those to forward: none from the message on that the WebSocket is closed at. */
  fromClient(chunk: Buffer): readonly Buffer[] {
    if (this.#isOver) return []
    this.#lastAt = performance.now()
    this.#isPiecewise ||= this.#close !== null && this.#fromClient.isBetweenFrames
    const pieces = this.#fromClient.cut(chunk)
    const start = pieces.findIndex(({ startsMessage }) => startsMessage)
    const end = this.#isPiecewise && this.#isAnswered && this.#fromUpstream.isBetweenMessages ? start : -1
    if (start !== -1) this.#isAnswered = false
    if (!this.#isPiecewise) return [chunk]
    const kept = (end === -1 ? pieces : pieces.slice(0, end)).map(({ bytes }) => bytes)
    if (end !== -1) this.#closeNow()
    return kept
  }

  fromUpstream(chunk: Buffer): void {
    this.#lastAt = performance.now()
    this.#fromUpstream.cut(chunk)
    this.#isAnswered = true
  }

  /** The WebSocket has ended by itself. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer ?? undefined)
  }

  #awaitSilence(): void {
    const silentMs = performance.now() - this.#lastAt
    if (silentMs >= SILENCE_MS) return this.#closeNow()
    this.#timer = setTimeout(() => this.#awaitSilence(), SILENCE_MS - silentMs).unref()
  }

  #closeNow(): void {
    this.end()
    // After the bytes before it were forwarded.
    setImmediate(() => this.#close?.())
  }
}
