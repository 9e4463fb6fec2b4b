import type { TapParcel, TapPart } from './protocol/tap-protocol.ts'

type BytesType = 'request_bytes' | 'response_bytes'

/**
 * A captured part, held until the recorder acknowledges it. The bytes of a body are the memory read from the socket: never
 * change or transfer it, because a slow socket may still be writing it.
 */
export type CapturedPart = Exclude<TapPart, readonly [BytesType, ...unknown[]]> | CapturedBytes

type CapturedBytes = readonly [type: BytesType, at: number, bytes: Uint8Array]

/** The captured parts of one exchange, in order, and how many of them were sent to the recorder. */
export interface CapturedExchange {
  readonly id: string
  readonly parts: CapturedPart[]
  /** Number of `parts` already posted. */
  posted: number
  /** Memory charged for `parts`, in bytes. */
  heldBytes: number
  /** Ended, acknowledged or dropped: captures nothing more. */
  closed: boolean
  /** Number of recorders that received all of it. */
  deliveries: number
}

/** Parcels to post, with the buffers to transfer. */
export interface Batch {
  readonly parcels: TapParcel[]
  readonly transfer: ArrayBuffer[]
  /** Body bytes in it, each copied once. */
  bytes: number
  /** Messages in it. */
  messages: number
}

/**
 * Adds the unposted parts of an exchange to the batch, up to `maxBytes`. Consecutive pieces of one body become one
 * message, and all bytes of the exchange one buffer. Exchanges never share a buffer, since each would keep the other's
 * bytes in memory. Returns true once all parts are posted.
 */
export function addToBatch(exchange: CapturedExchange, batch: Batch, maxBytes: number): boolean {
  const { parts: captured } = exchange
  const { end, length } = measure(exchange, maxBytes - batch.bytes)
  // Not from the shared pool: the buffer is transferred.
  const bytes = length > 0 ? Buffer.allocUnsafeSlow(length).buffer : EMPTY
  const together = new Uint8Array(bytes)
  const parts: TapPart[] = []
  let offset = 0
  for (let index = exchange.posted; index < end;) {
    const part = captured[index]
    if (part === undefined) break
    if (!isBytes(part)) {
      parts.push(part)
      index += 1
      continue
    }
    const begin = offset
    for (; index < end; index += 1) {
      const piece = captured[index]
      if (piece === undefined || piece[0] !== part[0] || !isBytes(piece)) break
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
  return end === captured.length
}

const EMPTY = new ArrayBuffer(0)

function isBytes(part: CapturedPart): part is CapturedBytes {
  return part[0] === 'request_bytes' || part[0] === 'response_bytes'
}

/** Returns where the next batch ends and its body bytes. Takes at least one part if there is any room. */
function measure({ parts, posted }: CapturedExchange, maxBytes: number): { end: number; length: number } {
  let length = 0
  let end = posted
  for (; end < parts.length && length < maxBytes; end += 1) {
    const part = parts[end]
    if (part !== undefined && isBytes(part)) length += part[2].byteLength
  }
  return { end, length }
}
