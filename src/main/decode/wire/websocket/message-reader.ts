import { constants, inflateRawSync } from 'node:zlib'
import { errorMessage } from '../../../../shared/error-text.ts'

/** A message of a WebSocket, or why it could not be read. */
export type SocketMessage =
  | { readonly type: 'message'; readonly bytes: Buffer }
  | { readonly type: 'broken'; readonly why: string }

/** Compression of one direction (permessage-deflate, RFC 7692). */
export interface Packing {
  readonly isOn: boolean
  /** Each message may repeat bytes of the messages before it. */
  readonly keepsContext: boolean
}

/** The largest message, packed or not. The API takes requests of 32 MB. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024
/** Maximum distance of a reference to earlier messages. */
const WINDOW_BYTES = 32 * 1024
/** The end of a flushed block, which a packed message leaves out. */
const BLOCK_END = Buffer.from([0, 0, 0xff, 0xff])
const NONE: Buffer = Buffer.alloc(0)

/**
 * Reads one direction of a WebSocket. After an invalid frame, the start of the next one is not known, so the rest of
 * the direction is left out, and reported once.
 */
export class MessageReader {
  readonly #packing: Packing
  readonly #maxBytes: number
  #pieces: Uint8Array[] = []
  #pieceBytes = 0
  /** Payloads of the frames of the message so far. */
  #payloads: Buffer[] = []
  #payloadBytes = 0
  #isPacked = false
  /** The last bytes of the messages so far, unpacked. */
  #window: Buffer = NONE
  #isLost = false

  constructor(packing: Packing, maxBytes = MAX_MESSAGE_BYTES) {
    this.#packing = packing
    this.#maxBytes = maxBytes
  }

  /** Some bytes of this direction are missing, and the next ones begin a frame: a packed direction cannot be read further. */
  lose(): SocketMessage[] {
    this.#pieces = []
    this.#pieceBytes = 0
    this.#payloads = []
    this.#payloadBytes = 0
    if (!this.#packing.isOn || !this.#packing.keepsContext) return []
    return this.#fail('earlier messages of the connection are missing, which later ones build on')
  }

  push(bytes: Uint8Array): SocketMessage[] {
    if (this.#isLost) return []
    this.#pieces.push(bytes)
    this.#pieceBytes += bytes.length
    const messages: SocketMessage[] = []
    for (;;) {
      const header = this.#header()
      if (header === null) return messages
      if (header.payloadBytes + this.#payloadBytes > this.#maxBytes)
        return [...messages, ...this.#fail(`a message of more than ${this.#maxBytes} bytes`)]
      if (this.#pieceBytes < header.bytes + header.payloadBytes) return messages
      const frame = this.#take(header.bytes + header.payloadBytes)
      const payload = unmasked(frame, header)
      if (header.opcode >= 8) continue
      if (header.opcode !== 0) {
        this.#payloads = []
        this.#payloadBytes = 0
        this.#isPacked = header.isPacked
      }
      this.#payloads.push(payload)
      this.#payloadBytes += payload.length
      if (header.isLast) messages.push(...this.#finish())
      if (this.#isLost) return messages
    }
  }

  #finish(): SocketMessage[] {
    const payload = Buffer.concat(this.#payloads)
    this.#payloads = []
    this.#payloadBytes = 0
    if (!this.#isPacked) return [{ type: 'message', bytes: payload }]
    if (!this.#packing.isOn) return this.#fail('a packed message on a connection without compression')
    try {
      const bytes = inflateRawSync(Buffer.concat([payload, BLOCK_END]), {
        finishFlush: constants.Z_SYNC_FLUSH,
        maxOutputLength: this.#maxBytes,
        ...(this.#window.length > 0 ? { dictionary: this.#window } : {}),
      })
      if (this.#packing.keepsContext) {
        const joined = bytes.length >= WINDOW_BYTES ? bytes : Buffer.concat([this.#window, bytes])
        this.#window = Buffer.from(joined.subarray(-WINDOW_BYTES))
      }
      return [{ type: 'message', bytes }]
    } catch (error) {
      return this.#fail(`a message could not be unpacked: ${errorMessage(error)}`)
    }
  }

  #fail(why: string): SocketMessage[] {
    if (this.#isLost) return []
    this.#isLost = true
    this.#pieces = []
    this.#payloads = []
    this.#window = NONE
    return [{ type: 'broken', why }]
  }

  /** Returns the header of the next frame; null if it is incomplete. */
  #header(): FrameHeader | null {
    if (this.#pieceBytes < 2) return null
    const bytes = this.#joined()
    const first = bytes[0] ?? 0
    const second = bytes[1] ?? 0
    const short = second & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const isMasked = (second & 0x80) !== 0
    const length = 2 + lengthBytes + (isMasked ? 4 : 0)
    if (bytes.length < length) return null
    return {
      bytes: length,
      payloadBytes:
        lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)),
      opcode: first & 0x0f,
      isLast: (first & 0x80) !== 0,
      isPacked: (first & 0x40) !== 0,
      isMasked,
    }
  }

  /** Joins the pieces only if the first one is too short for a header: long messages are joined once. */
  #joined(): Buffer {
    const [first = NONE] = this.#pieces
    if (first.length >= 14 || this.#pieces.length === 1)
      return Buffer.from(first.buffer, first.byteOffset, first.length)
    const all = Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }

  #take(bytes: number): Buffer {
    const all = this.#pieces.length === 1 ? this.#joined() : Buffer.concat(this.#pieces)
    const rest = all.subarray(bytes)
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#pieceBytes = rest.length
    return all.subarray(0, bytes)
  }
}

interface FrameHeader {
  readonly bytes: number
  readonly payloadBytes: number
  readonly opcode: number
  readonly isLast: boolean
  readonly isPacked: boolean
  readonly isMasked: boolean
}

function unmasked(frame: Buffer, { bytes, isMasked }: FrameHeader): Buffer {
  const payload = Buffer.from(frame.subarray(bytes))
  if (!isMasked) return payload
  const mask = frame.subarray(bytes - 4, bytes)
  for (let at = 0; at < payload.length; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0)
  return payload
}
