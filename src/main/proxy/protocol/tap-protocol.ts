/**
 * What the tap says to the recorder, and what comes back. The tap parses nothing. What one flush has of an exchange travels
 * as one parcel (`parcel.ts` packs and unpacks it), its bytes in one buffer, which is a copy and transferred. Pieces of a
 * body that arrive in one flush come as one message; `at` is the arrival of its first byte.
 */

export type RawHeaders = readonly (readonly [string, string])[]

/** How an exchange came to its end. */
export type ExchangeOutcome = 'complete' | 'client_aborted' | 'upstream_aborted' | 'upstream_unreachable'

interface OfExchange {
  /** UUIDv7 of the exchange. */
  readonly exchange: string
  /** Milliseconds of this run (performance.now() of the main thread). */
  readonly at: number
}

export type TapMessage =
  | (OfExchange & {
      readonly type: 'open'
      /** Date.now() at the first byte of the request. */
      readonly wall: number
      readonly method: string
      /** Path and query as the client sent them. */
      readonly path: string
      readonly headers: RawHeaders
    })
  | (OfExchange & { readonly type: 'request_bytes'; readonly bytes: Uint8Array<ArrayBuffer> })
  | (OfExchange & { readonly type: 'request_end' })
  | (OfExchange & { readonly type: 'response_head'; readonly status: number; readonly headers: RawHeaders })
  | (OfExchange & { readonly type: 'response_bytes'; readonly bytes: Uint8Array<ArrayBuffer> })
  | (OfExchange & { readonly type: 'end'; readonly outcome: ExchangeOutcome; readonly error: string | null })
  /** The exchange is not captured after all: nothing more of it comes, what came of it is to be forgotten, unanswered. */
  | (OfExchange & { readonly type: 'discard'; readonly reason: DropReason })

/** Names and values in turn, each ended by NUL, which no header may hold: one text is cloned in no time, fifty are not. */
export type PackedHeaders = string

/** A message in as few values as it has, without its exchange; of bytes their number, as they follow each other in the parcel. */
export type TapPart =
  | readonly ['open', at: number, wall: number, method: string, path: string, headers: PackedHeaders]
  | readonly ['request_bytes', at: number, length: number]
  | readonly ['response_bytes', at: number, length: number]
  | readonly ['request_end', at: number]
  | readonly ['response_head', at: number, status: number, headers: PackedHeaders]
  | readonly ['end', at: number, outcome: ExchangeOutcome, error: string | null]
  | readonly ['discard', at: number, reason: DropReason]

export interface TapParcel {
  readonly exchange: string
  readonly parts: readonly TapPart[]
  readonly bytes: ArrayBuffer
}

/** Why an exchange, or a part of it, was not recorded. */
export type DropReason =
  | 'queue_full'
  | 'recorder_failed'
  | 'decode_failed'
  | 'redaction_timeout'
  | 'spool_full'
  | 'filtered'
  | 'processor_dropped'

/** The recorder's acknowledgement: what the exchanges said is committed or spooled, their bytes may be forgotten. */
export interface TapAcknowledgement {
  readonly type: 'acknowledge'
  /** All of one commit together: each message wakes the thread that forwards. */
  readonly exchanges: readonly string[]
}
