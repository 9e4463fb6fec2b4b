import type { TapMessage } from './tap-protocol.ts'

type BytesType = 'request_bytes' | 'response_bytes'

/**
 * A message as it is kept until the recorder acknowledges it. The bytes of a body are the very memory that was read from
 * the socket: it is only referred to, never changed and never transferred, because a slow socket may still be writing it.
 */
export type KeptMessage =
  | Exclude<TapMessage, { readonly type: BytesType }>
  | { readonly type: BytesType; readonly exchange: string; readonly at: number; readonly bytes: Uint8Array }

/** What is kept of one exchange, in order, and how much of it the recorder has been sent. */
export interface CapturedExchange {
  readonly id: string
  readonly kept: KeptMessage[]
  /** How many of `kept` have been posted. */
  posted: number
  /** What `kept` is charged for, in bytes. */
  heldBytes: number
  /** Ended, acknowledged or dropped: nothing more is kept of it. */
  closed: boolean
  /** How many recorders have been sent all of it. */
  deliveries: number
}

/** Messages ready to be posted, with the buffers that travel with them. */
export interface Batch {
  readonly messages: TapMessage[]
  readonly transfer: ArrayBuffer[]
  /** Bytes of bodies in it: each was copied once. */
  bytes: number
}

/**
 * Adds to the batch what has not been posted of the exchange, until the batch holds `maxBytes`. Consecutive pieces of one
 * body become one message, and all bytes of the exchange one buffer: never one with those of another exchange, which
 * would keep each other in memory. Returns whether all of the exchange is posted now.
 */
export function addToBatch(exchange: CapturedExchange, batch: Batch, maxBytes: number): boolean {
  const { kept } = exchange
  const { end, length } = measure(exchange, maxBytes - batch.bytes)
  // Memory of its own, not of the shared pool: the buffer is given away.
  const buffer = length > 0 ? Buffer.allocUnsafeSlow(length).buffer : EMPTY
  const together = new Uint8Array(buffer)
  let offset = 0
  for (let index = exchange.posted; index < end;) {
    const message = kept[index]
    if (message === undefined) break
    if (!('bytes' in message)) {
      batch.messages.push(message)
      index += 1
      continue
    }
    const begin = offset
    for (; index < end; index += 1) {
      const piece = kept[index]
      if (piece === undefined || !('bytes' in piece) || piece.type !== message.type) break
      together.set(piece.bytes, offset)
      offset += piece.bytes.byteLength
    }
    const bytes = new Uint8Array(buffer, begin, offset - begin)
    batch.messages.push({ type: message.type, exchange: message.exchange, at: message.at, bytes })
  }
  if (length > 0) batch.transfer.push(buffer)
  batch.bytes += length
  exchange.posted = end
  return end === kept.length
}

const EMPTY = new ArrayBuffer(0)

/** How far the next batch goes, and how many bytes of bodies that is: at least one message, if there is room at all. */
function measure({ kept, posted }: CapturedExchange, maxBytes: number): { end: number; length: number } {
  let length = 0
  let end = posted
  for (; end < kept.length && length < maxBytes; end += 1) {
    const message = kept[end]
    if (message !== undefined && 'bytes' in message) length += message.bytes.byteLength
  }
  return { end, length }
}
