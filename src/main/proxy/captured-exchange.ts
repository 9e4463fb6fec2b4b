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
 * Adds to the batch what has not been posted of the exchange, until the batch holds `maxBytes`; consecutive pieces of one
 * body become one message with one buffer. Returns whether all of the exchange is posted now.
 */
export function addToBatch(exchange: CapturedExchange, batch: Batch, maxBytes: number): boolean {
  const { kept } = exchange
  while (exchange.posted < kept.length && batch.bytes < maxBytes) {
    const message = kept[exchange.posted]
    if (message === undefined) break
    if (!('bytes' in message)) {
      batch.messages.push(message)
      exchange.posted += 1
      continue
    }
    const run = runOfBytes(kept, exchange.posted, message.type, maxBytes - batch.bytes)
    const bytes = copyTogether(kept, exchange.posted, run.end, run.length)
    batch.messages.push({ type: message.type, exchange: message.exchange, at: message.at, bytes })
    batch.transfer.push(bytes.buffer)
    batch.bytes += run.length
    exchange.posted = run.end
  }
  return exchange.posted === kept.length
}

/** Where the run of pieces of one body ends that begins at `from`, and its length in bytes: at least one piece. */
function runOfBytes(kept: readonly KeptMessage[], from: number, type: BytesType, maxBytes: number) {
  let length = 0
  let end = from
  while (length < maxBytes) {
    const message = kept[end]
    if (message?.type !== type) break
    length += message.bytes.byteLength
    end += 1
  }
  return { end, length }
}

function copyTogether(kept: readonly KeptMessage[], from: number, end: number, length: number) {
  // Memory of its own, not of the shared pool: its buffer is given away.
  const together = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer)
  let offset = 0
  for (let index = from; index < end; index += 1) {
    const message = kept[index]
    if (message === undefined || !('bytes' in message)) continue
    together.set(message.bytes, offset)
    offset += message.bytes.byteLength
  }
  return together
}
