import { createUuids } from '../base/uuids.ts'
import { addToBatch } from './captured-exchange.ts'
import type { Batch, CapturedExchange, KeptPart } from './captured-exchange.ts'
import { packHeaders } from './protocol/parcel.ts'
import type { DropReason, ExchangeOutcome, TapParcel } from './protocol/tap-protocol.ts'

/** How long what was captured may wait to be posted together with more. */
const FLUSH_MS = 20
/** As much as this is not kept waiting, and goes in one post: a larger copy would hold up other streams. */
const FLUSH_BYTES = 512 * 1024
/** What a kept message is charged beside its bytes, so that a flood of tiny pieces is bounded too. */
const MESSAGE_BYTES = 256
/** An exchange that so many recorders were sent whole, and none acknowledged, is taken for what ends them. */
const MAX_DELIVERIES = 4

/** The proxy's line to the capture of one exchange. Nothing here throws or waits. */
export interface TapExchange {
  readonly id: string
  /** The memory may be read until the exchange is acknowledged: it must not be changed or transferred after this. */
  requestBytes(bytes: Uint8Array): void
  requestEnd(): void
  /** Raw headers as Node gives them: name, value, name, … */
  responseHead(status: number, headers: readonly string[]): void
  responseBytes(bytes: Uint8Array): void
  end(outcome: ExchangeOutcome, error?: string | null): void
}

interface TapRequest {
  readonly method: string
  /** Path and query as the client sent them. */
  readonly path: string
  /** As Node gives them: name, value, name, … */
  readonly headers: readonly string[]
}

export interface TapStats {
  /** Captured and not acknowledged, in bytes, the cost of keeping included. */
  readonly queue_bytes: number
  /** Exchanges being captured that have not ended. */
  readonly in_flight: number
  readonly seen: number
  readonly acknowledged: number
  readonly dropped: { readonly [reason in DropReason]?: number }
  /** Posts and listeners that threw. */
  readonly failures: number
  /** Messages posted and bytes copied for them, since the start. */
  readonly posted_messages: number
  readonly copied_bytes: number
}

export interface Tap {
  open(request: TapRequest): TapExchange
  /** What the exchange said is safe: its bytes may go. */
  acknowledge(exchange: string): void
  /** There is a new recorder: it gets everything again that is not acknowledged. */
  replay(): void
  /** Posts at once what waits (before a shutdown). */
  flush(): void
  stats(): TapStats
}

export interface TapOptions {
  /** Bound of what is captured and not acknowledged, in bytes; past it whole exchanges are dropped. */
  readonly maxQueueBytes: number
  /** Hands parcels to the recorder. If it throws, nothing more is posted until `replay`. */
  post(parcels: readonly TapParcel[], transfer: ArrayBuffer[]): void
  /** An exchange was dropped from capture. */
  onDrop?(reason: DropReason): void
  /** `post` threw: the recorder does not take what it is given. */
  onPostFailure?(error: unknown): void
}

/**
 * Takes a copy of what the proxy forwards to the recorder. It keeps each exchange until the recorder has acknowledged it,
 * posts in batches, and never lets a failure of its own, or of the recorder, reach the proxy.
 */
export function createTap({ maxQueueBytes, post, onDrop, onPostFailure }: TapOptions): Tap {
  const exchanges = new Map<string, CapturedExchange>()
  const unposted = new Set<CapturedExchange>()
  const newId = createUuids()
  const dropped: { [reason in DropReason]?: number } = {}
  const count = { seen: 0, acknowledged: 0, inFlight: 0, failures: 0, postedMessages: 0, copiedBytes: 0 }
  let heldBytes = 0
  /** Of bodies; what a dropped exchange leaves in it is cleared when all is posted. */
  let unpostedBytes = 0
  let timer: NodeJS.Timeout | null = null
  let immediate: NodeJS.Immediate | null = null
  let isBroken = false

  function flush(): void {
    if (timer !== null) clearTimeout(timer)
    if (immediate !== null) clearImmediate(immediate)
    timer = null
    immediate = null
    if (isBroken || unposted.size === 0) return
    try {
      const batch: Batch = { parcels: [], transfer: [], bytes: 0, messages: 0 }
      const whole: CapturedExchange[] = []
      for (const exchange of unposted) {
        if (!addToBatch(exchange, batch, FLUSH_BYTES)) break
        unposted.delete(exchange)
        if (exchange.closed) whole.push(exchange)
      }
      unpostedBytes = unposted.size === 0 ? 0 : unpostedBytes - batch.bytes
      post(batch.parcels, batch.transfer)
      count.postedMessages += batch.messages
      count.copiedBytes += batch.bytes
      for (const exchange of whole) exchange.deliveries += 1
    } catch (error) {
      isBroken = true
      count.failures += 1
      tell(() => onPostFailure?.(error))
    }
    if (unposted.size > 0) schedule(true)
  }

  function schedule(atOnce: boolean): void {
    if (isBroken || immediate !== null) return
    // After the sockets have had their turn: forwarding comes first.
    if (atOnce) immediate = setImmediate(flush)
    else timer ??= setTimeout(flush, FLUSH_MS)
  }

  function keep(exchange: CapturedExchange, part: KeptPart, bytes: number, ofBody = false): void {
    const cost = MESSAGE_BYTES + bytes
    if (heldBytes + cost > maxQueueBytes) return drop(exchange, 'queue_full')
    heldBytes += cost
    exchange.heldBytes += cost
    exchange.kept.push(part)
    unposted.add(exchange)
    if (ofBody) unpostedBytes += bytes
    schedule(unpostedBytes >= FLUSH_BYTES)
  }

  function release(exchange: CapturedExchange): void {
    heldBytes -= exchange.heldBytes
    exchange.heldBytes = 0
    exchange.kept.length = 0
    exchange.posted = 0
    exchanges.delete(exchange.id)
    unposted.delete(exchange)
    close(exchange)
  }

  function close(exchange: CapturedExchange): void {
    if (exchange.closed) return
    exchange.closed = true
    count.inFlight -= 1
  }

  function drop(exchange: CapturedExchange, reason: DropReason): void {
    const isKnown = exchange.posted > 0
    release(exchange)
    dropped[reason] = (dropped[reason] ?? 0) + 1
    if (isKnown) {
      exchange.kept.push(['discard', performance.now(), reason])
      unposted.add(exchange)
      schedule(false)
    }
    tell(() => onDrop?.(reason))
  }

  function tell(listener: () => void): void {
    try {
      listener()
    } catch {
      count.failures += 1
    }
  }

  return {
    open({ method, path, headers }) {
      const id = newId()
      const exchange: CapturedExchange = { id, kept: [], posted: 0, heldBytes: 0, closed: false, deliveries: 0 }
      exchanges.set(id, exchange)
      count.seen += 1
      count.inFlight += 1
      const packed = packHeaders(headers)
      keep(exchange, ['open', performance.now(), Date.now(), method, path, packed], path.length + packed.length)
      return {
        id,
        requestBytes(bytes) {
          if (!exchange.closed) keep(exchange, ['request_bytes', performance.now(), bytes], bytes.byteLength, true)
        },
        requestEnd() {
          if (!exchange.closed) keep(exchange, ['request_end', performance.now()], 0)
        },
        responseHead(status, responseHeaders) {
          if (exchange.closed) return
          const packed = packHeaders(responseHeaders)
          keep(exchange, ['response_head', performance.now(), status, packed], packed.length)
        },
        responseBytes(bytes) {
          if (!exchange.closed) keep(exchange, ['response_bytes', performance.now(), bytes], bytes.byteLength, true)
        },
        end(outcome, error = null) {
          if (exchange.closed) return
          keep(exchange, ['end', performance.now(), outcome, error], error?.length ?? 0)
          close(exchange)
        },
      }
    },

    acknowledge(id) {
      const exchange = exchanges.get(id)
      if (exchange === undefined) return
      release(exchange)
      count.acknowledged += 1
    },

    replay() {
      isBroken = false
      unposted.clear()
      unpostedBytes = 0
      for (const exchange of exchanges.values()) {
        exchange.posted = 0
        if (exchange.deliveries < MAX_DELIVERIES) unposted.add(exchange)
        else drop(exchange, 'recorder_failed')
      }
      flush()
    },

    flush() {
      do flush()
      while (unposted.size > 0 && !isBroken)
    },

    stats: () => ({
      queue_bytes: heldBytes,
      in_flight: count.inFlight,
      seen: count.seen,
      acknowledged: count.acknowledged,
      dropped: { ...dropped },
      failures: count.failures,
      posted_messages: count.postedMessages,
      copied_bytes: count.copiedBytes,
    }),
  }
}
