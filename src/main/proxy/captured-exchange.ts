import type { TapParcel, TapPart } from './protocol/tap-protocol.ts'

type BytesType = 'request_bytes' | 'response_bytes'

/**
 * A part as it is kept until the recorder acknowledges it. The bytes of a body are the very memory that was read from
 * the socket: it is only referred to, never changed and never transferred, because a slow socket may still be writing it.
 */
export type KeptPart = Exclude<TapPart, readonly [BytesType, ...unknown[]]> | KeptBytes

type KeptBytes = readonly [type: BytesType, at: number, bytes: Uint8Array]

/** What is kept of one exchange, in order, and how much of it the recorder has been sent. */
export interface CapturedExchange {
  readonly id: string
  readonly kept: KeptPart[]
  /** How many of `kept` have been posted. */
  posted: number
  /** What `kept` is charged for, in bytes. */
  heldBytes: number
  /** Ended, acknowledged or dropped: nothing more is kept of it. */
  closed: boolean
  /** How many recorders have been sent all of it. */
  deliveries: number
}

/** Parcels ready to be posted, with the buffers that travel with them. */
export interface Batch {
  readonly parcels: TapParcel[]
  readonly transfer: ArrayBuffer[]
  /** Bytes of bodies in it: each was copied once. */
  bytes: number
  /** Messages in it. */
  messages: number
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
  const bytes = length > 0 ? Buffer.allocUnsafeSlow(length).buffer : EMPTY
  const together = new Uint8Array(bytes)
  const parts: TapPart[] = []
  let offset = 0
  for (let index = exchange.posted; index < end;) {
    const part = kept[index]
    if (part === undefined) break
    if (!isOfBytes(part)) {
      parts.push(part)
      index += 1
      continue
    }
    const begin = offset
    for (; index < end; index += 1) {
      const piece = kept[index]
      if (piece === undefined || piece[0] !== part[0] || !isOfBytes(piece)) break
      together.set(piece[2], offset)
      offset += piece[2].byteLength
    }
    parts.push([part[0], part[1], offset - begin])
  }
  if (parts.length > 0) batch.parcels.push({ exchange: exchange.id, parts, bytes })
  if (length > 0) batch.transfer.push(bytes)
  batch.bytes += length
  batch.messages += parts.length
  exchange.posted = end
  return end === kept.length
}

const EMPTY = new ArrayBuffer(0)

function isOfBytes(part: KeptPart): part is KeptBytes {
  return part[0] === 'request_bytes' || part[0] === 'response_bytes'
}

/** How far the next batch goes, and how many bytes of bodies that is: at least one message, if there is room at all. */
function measure({ kept, posted }: CapturedExchange, maxBytes: number): { end: number; length: number } {
  let length = 0
  let end = posted
  for (; end < kept.length && length < maxBytes; end += 1) {
    const part = kept[end]
    if (part !== undefined && isOfBytes(part)) length += part[2].byteLength
  }
  return { end, length }
}
