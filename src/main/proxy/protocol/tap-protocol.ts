/**
 * Messages between the tap and the recorder. The tap parses nothing. Each flush sends one parcel per exchange (`parcel.ts`
 * packs and unpacks it), with a copy of its bytes in one transferred buffer. Pieces of a body from one flush form one message;
 * `at` is the arrival of its first byte.
 */

export type RawHeaders = readonly (readonly [string, string])[]

/** The way an exchange ended. */
export type ExchangeOutcome = 'complete' | 'client_aborted' | 'upstream_aborted' | 'upstream_unreachable'

interface OfExchange {
  /** UUIDv7 of the exchange. */
  readonly exchange: string
  /** Milliseconds, by performance.now() of the main thread. */
  readonly at: number
}

/** The place of an exchange on a WebSocket: its bytes are frames, and its request is one message of the client. */
export interface SocketPlace {
  /** The exchange of the handshake. */
  readonly connection: string
  /** Counts the client's messages on the connection from 1. */
  readonly index: number
}

export type TapMessage =
  | (OfExchange & {
      readonly type: 'open'
      /** Date.now() at the first byte of the request. */
      readonly wall: number
      readonly method: string
      /** Path and query as the client sent them, without the path secret. */
      readonly path: string
      readonly headers: RawHeaders
      /** The sender did not show the path secret. */
      readonly isUnproven?: boolean
      readonly socket?: SocketPlace
    })
  | (OfExchange & { readonly type: 'request_bytes'; readonly bytes: Uint8Array<ArrayBuffer> })
  | (OfExchange & { readonly type: 'request_end' })
  | (OfExchange & { readonly type: 'response_head'; readonly status: number; readonly headers: RawHeaders })
  | (OfExchange & { readonly type: 'response_bytes'; readonly bytes: Uint8Array<ArrayBuffer> })
  | (OfExchange & { readonly type: 'end'; readonly outcome: ExchangeOutcome; readonly error: string | null })
  /** The exchange is no longer captured: forget it without acknowledging it. Nothing more follows. */
  | (OfExchange & { readonly type: 'discard'; readonly reason: DropReason })

/** Names and values in turn, each ended by NUL, which headers cannot contain. Cloning one string is much faster than fifty. */
export type PackedHeaders = string

/** A message as a flat tuple, without its exchange. Bytes are given as a length, as they follow each other in the parcel. */
export type TapPart =
  | readonly [
      'open',
      at: number,
      wall: number,
      method: string,
      path: string,
      headers: PackedHeaders,
      isUnproven?: boolean,
      socket?: SocketPlace,
    ]
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

/** Why an exchange, or part of it, was not recorded. */
export type DropReason =
  | 'queue_full'
  | 'recorder_failed'
  | 'decode_failed'
  | 'request_too_large'
  | 'response_too_large'
  | 'redaction_timeout'
  | 'spool_full'
  | 'filtered'
  | 'processor_dropped'

/** Sent by the recorder once exchanges are committed or spooled: the tap may free their bytes. */
export interface TapAcknowledgement {
  readonly type: 'acknowledge'
  /** All exchanges of one commit, since each message wakes the forwarding thread. */
  readonly exchanges: readonly string[]
}
