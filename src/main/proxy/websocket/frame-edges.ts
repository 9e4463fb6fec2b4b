/** A piece of one direction's bytes. */
export interface FramePiece {
  readonly bytes: Buffer
  /** The piece begins a message: its first byte is that of a text or binary frame. */
  readonly startsMessage: boolean
  /** The piece ends a message. */
  readonly endsMessage: boolean
}

const NONE = Buffer.alloc(0)
/** The longest header: two bytes, eight of length, four of mask (RFC 6455, section 5.2). */
const MAX_HEADER_BYTES = 14

/**
 * Finds where the messages of one direction of a WebSocket begin and end. It reads only the headers of frames, never
 * their content.
 */
export class FrameEdges {
  /** The beginning of a header that has not fully arrived. */
  #held: Buffer = NONE
  /** Bytes of the current frame that have not arrived. */
  #left = 0
  #isLastOfMessage = false
  #isControl = false
  #isInMessage = false

  /** True if no frame is incomplete. */
  get isBetweenFrames(): boolean {
    return this.#left === 0 && this.#held.length === 0
  }

  /** True if neither a message nor a frame is incomplete. */
  get isBetweenMessages(): boolean {
    return this.isBetweenFrames && !this.#isInMessage
  }

  /** Cuts a chunk at the edges of messages. A header that is incomplete yet is returned with the next chunk. */
  cut(chunk: Buffer): FramePiece[] {
    const pieces: FramePiece[] = []
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    this.#held = NONE
    let from = 0
    let startsMessage = false
    let at = 0
    while (at < bytes.length || this.#left === 0) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at)
        at += taken
        this.#left -= taken
        if (this.#left > 0) break
      } else {
        const header = headerAt(bytes, at)
        if (header === null) break
        if (header.isMessageStart) {
          if (at > from) pieces.push({ bytes: bytes.subarray(from, at), startsMessage, endsMessage: false })
          from = at
          startsMessage = true
          this.#isInMessage = true
        }
        this.#isControl = header.isControl
        this.#isLastOfMessage = header.isLast && !header.isControl
        this.#left = header.payloadBytes
        at += header.bytes
      }
      if (this.#left === 0 && this.#isLastOfMessage && !this.#isControl) {
        pieces.push({ bytes: bytes.subarray(from, at), startsMessage, endsMessage: true })
        this.#isLastOfMessage = false
        this.#isInMessage = false
        startsMessage = false
        from = at
      }
    }
    // Only the beginning of a header is held back, in a separate buffer.
    if (this.#left === 0 && at < bytes.length) {
      this.#held = Buffer.from(bytes.subarray(at))
      bytes = bytes.subarray(0, at)
    }
    if (from < bytes.length) pieces.push({ bytes: bytes.subarray(from), startsMessage, endsMessage: false })
    return pieces
  }
}

interface Header {
  readonly bytes: number
  readonly payloadBytes: number
  readonly isLast: boolean
  readonly isControl: boolean
  readonly isMessageStart: boolean
}

/** Returns the header of a frame; null if it is incomplete. */
function headerAt(bytes: Buffer, at: number): Header | null {
  if (bytes.length - at < 2) return null
  const first = bytes[at] ?? 0
  const second = bytes[at + 1] ?? 0
  const short = second & 0x7f
  const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const length = Math.min(MAX_HEADER_BYTES, 2 + lengthBytes + ((second & 0x80) === 0 ? 0 : 4))
  if (bytes.length - at < length) return null
  const opcode = first & 0x0f
  return {
    bytes: length,
    payloadBytes:
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short,
    isLast: (first & 0x80) !== 0,
    isControl: opcode >= 8,
    isMessageStart: opcode === 1 || opcode === 2,
  }
}
