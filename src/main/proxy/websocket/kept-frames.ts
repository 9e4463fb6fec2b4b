import { headerPairs } from '../forwarded-headers.ts'

/** Limit in bytes for the frames of a client that are kept for a connection. */
const MAX_SENT_BYTES = 4 * 1024 * 1024
/** Limit in bytes for the frames of an answer. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

/**
 * The frames of a client's messages, as long as later messages may repeat bytes of them (permessage-deflate, RFC 7692): without
 * them nothing could begin to read a connection that is already open.
 */
export class SentFrames {
  #frames: Uint8Array[] | null = []
  #bytes = 0
  readonly #isNeeded: boolean

  /** `answer`: flat headers of the upstream's answer to the handshake. */
  constructor(answer: readonly string[]) {
    const extension = headerPairs(answer).find(([name]) => name.toLowerCase() === 'sec-websocket-extensions')?.[1] ?? ''
    this.#isNeeded = /permessage-deflate/i.test(extension) && !/client_no_context_takeover/i.test(extension)
  }

  add(frame: Uint8Array): void {
    if (!this.#isNeeded || this.#frames === null) return
    this.#bytes += frame.byteLength
    this.#frames.push(frame)
    if (this.#bytes > MAX_SENT_BYTES) this.#frames = null
  }

  /** Returns what reads the frames up to now; it returns null if they became too many. */
  soFar(): () => readonly Uint8Array[] | null {
    const count = this.#frames?.length ?? 0
    return () => this.#frames?.slice(0, count) ?? null
  }
}

/** The frames that an upstream sends between two messages of the client. */
export class AnswerFrames {
  #frames: Uint8Array[] = []
  #bytes = 0
  #isWhole = false

  /** Drops the kept frames. `isWhole`: complete frames follow, from the beginning of a message on. */
  begin(isWhole: boolean): void {
    this.#frames = []
    this.#bytes = 0
    this.#isWhole = isWhole
  }

  add(chunk: Uint8Array): void {
    if (!this.#isWhole) return
    this.#bytes += chunk.byteLength
    this.#frames.push(chunk)
    if (this.#bytes > MAX_ANSWER_BYTES) this.begin(false)
  }

  /**
   * Returns the frames since the last call; null if some are missing. They are complete again from the next gap between
   * messages.
   */
  take(isBetweenMessages: boolean): readonly Uint8Array[] | null {
    const frames = this.#isWhole ? this.#frames : null
    this.begin(this.#isWhole || isBetweenMessages)
    return frames
  }
}
