import { SYSTEM_CLOCK, type Clock } from '../base/clock.ts'
import { createUuids } from '../base/uuids.ts'
import { addToBatch, type Batch, type CapturedExchange, type CapturedPart } from './captured-exchange.ts'
import { CaptureLagMeter, type CaptureLag } from './capture-lag.ts'
import { packHeaders } from './protocol/parcel.ts'
import { RunExchanges } from './run-exchanges.ts'
import type { DropReason, ExchangeOutcome, SocketPlace, TapParcel } from './protocol/tap-protocol.ts'

/** Captured data waits at most this long, to be posted in one batch. */
const FLUSH_MS = 20
/** This much is posted immediately. Also the limit of one post: a larger copy would delay other streams. */
const FLUSH_BYTES = 512 * 1024
/** Memory charged per message in addition to its bytes, so that a flood of tiny pieces is limited too. */
const MESSAGE_BYTES = 256
/** An exchange that this many recorders received without acknowledging it is assumed to crash them. */
const MAX_DELIVERIES = 4

/** Captures one exchange for the proxy. Never throws or waits. */
export interface TapExchange {
  readonly id: string
  /** Do not change or transfer the memory afterwards: it is read until the exchange is acknowledged. */
  requestBytes(bytes: Uint8Array): void
  requestEnd(): void
  /** Raw headers as Node gives them: name, value, name, … */
  responseHead(status: number, headers: readonly string[]): void
  responseBytes(bytes: Uint8Array): void
  end(outcome: ExchangeOutcome, error?: string | null): void
}

export interface TapRequest {
  readonly method: string
  /** Path and query as the client sent them, without the path secret. */
  readonly path: string
  /** The sender did not show the path secret. */
  readonly isUnproven?: boolean
  /** As Node gives them: name, value, name, … */
  readonly headers: readonly string[]
  /** The exchange is a message on a WebSocket. */
  readonly socket?: SocketPlace
  /** The run of a client that it belongs to; null or absent: none is known. */
  readonly run?: string | null
  /** Time of the event; absent: now. */
  readonly clock?: Clock
}

export interface TapStats {
  /** Memory charged for unacknowledged exchanges. */
  readonly queue_bytes: number
  /** Captured exchanges that have not ended. */
  readonly in_flight: number
  readonly seen: number
  readonly acknowledged: number
  readonly dropped: { readonly [reason in DropReason]?: number }
  /** Posts and listener calls that threw. */
  readonly failures: number
  /** Messages posted since start, and bytes copied for them. */
  readonly posted_messages: number
  readonly copied_bytes: number
  /** From the end of an exchange to its acknowledgement. */
  readonly lag: CaptureLag
}

export interface Tap {
  open(request: TapRequest): TapExchange
  /** Frees an exchange that is safely stored. */
  acknowledge(exchange: string): void
  readonly runs: RunExchanges
  /** Posts everything unacknowledged again, to a new recorder. */
  replay(): void
  /** Posts everything pending now (before a shutdown). */
  flush(): void
  stats(): TapStats
}

export interface TapOptions {
  /** Memory limit for unacknowledged exchanges; over it, whole exchanges are dropped. */
  readonly maxQueueBytes: number
  /** Posts parcels to the recorder. If it throws, nothing more is posted until `replay`. */
  post(parcels: readonly TapParcel[], transfer: ArrayBuffer[]): void
  /** Called when an exchange is dropped from capture. */
  onDrop?(reason: DropReason): void
  /** Called when `post` throws. */
  onPostFailure?(error: unknown): void
}

/**
 * Creates a tap, which copies forwarded traffic to the recorder. It holds each exchange until the recorder acknowledges it and
 * posts in batches. Its own failures and the recorder's never reach the proxy.
 */
export const createTap = (options: TapOptions): Tap => new BatchingTap(options)

class BatchingTap implements Tap {
  readonly #options: TapOptions
  readonly #maxQueueBytes: number
  readonly #exchanges = new Map<string, CapturedExchange>()
  readonly #unposted = new Set<CapturedExchange>()
  readonly #newId = createUuids()
  readonly #dropped: { [reason in DropReason]?: number } = {}
  readonly #count = { seen: 0, acknowledged: 0, inFlight: 0, failures: 0, postedMessages: 0, copiedBytes: 0 }
  readonly #lag = new CaptureLagMeter()
  readonly runs = new RunExchanges()
  #heldBytes = 0
  /** Body bytes not posted yet. Bytes of dropped exchanges stay in it until everything is posted. */
  #unpostedBytes = 0
  #timer: NodeJS.Timeout | null = null
  #immediate: NodeJS.Immediate | null = null
  /** `post` threw: nothing is posted until a new recorder starts. */
  #isBroken = false

  constructor(options: TapOptions) {
    this.#options = options
    this.#maxQueueBytes = options.maxQueueBytes
  }

  open({
    method,
    path,
    headers,
    isUnproven = false,
    socket,
    run = null,
    clock = SYSTEM_CLOCK,
  }: TapRequest): TapExchange {
    const id = this.#newId()
    const exchange: CapturedExchange = { id, parts: [], posted: 0, heldBytes: 0, closed: false, deliveries: 0 }
    this.#exchanges.set(id, exchange)
    if (run !== null) this.runs.add(run, id)
    this.#count.seen += 1
    this.#count.inFlight += 1
    const packed = packHeaders(headers)
    const marks: readonly [] | readonly [boolean] | readonly [boolean, SocketPlace] =
      socket === undefined ? (isUnproven ? [true] : []) : [isUnproven, socket]
    const open: CapturedPart = ['open', clock.run(), clock.wall(), method, path, packed, ...marks]
    this.#add(exchange, open, path.length + packed.length)
    return {
      id,
      requestBytes: (bytes) => {
        if (!exchange.closed) this.#add(exchange, ['request_bytes', clock.run(), bytes], bytes.byteLength, true)
      },
      requestEnd: () => {
        if (!exchange.closed) this.#add(exchange, ['request_end', clock.run()], 0)
      },
      responseHead: (status, responseHeaders) => {
        if (exchange.closed) return
        clock.heard?.(dateIn(responseHeaders))
        const packed = packHeaders(responseHeaders)
        this.#add(exchange, ['response_head', clock.run(), status, packed], packed.length)
      },
      responseBytes: (bytes) => {
        if (!exchange.closed) this.#add(exchange, ['response_bytes', clock.run(), bytes], bytes.byteLength, true)
      },
      end: (outcome, error = null) => {
        if (exchange.closed) return
        this.#add(exchange, ['end', clock.run(), outcome, error], error?.length ?? 0)
        this.#close(exchange)
        if (this.#exchanges.has(id)) this.#lag.ended(id)
      },
    }
  }

  acknowledge(id: string): void {
    const exchange = this.#exchanges.get(id)
    if (exchange === undefined) return
    this.#lag.recorded(id)
    this.#release(exchange)
    this.#count.acknowledged += 1
  }

  replay(): void {
    this.#isBroken = false
    this.#unposted.clear()
    this.#unpostedBytes = 0
    for (const exchange of this.#exchanges.values()) {
      exchange.posted = 0
      if (exchange.deliveries < MAX_DELIVERIES) this.#unposted.add(exchange)
      else this.#drop(exchange, 'recorder_failed')
    }
    this.#postBatch()
  }

  flush(): void {
    do this.#postBatch()
    while (this.#unposted.size > 0 && !this.#isBroken)
  }

  stats(): TapStats {
    return {
      queue_bytes: this.#heldBytes,
      in_flight: this.#count.inFlight,
      seen: this.#count.seen,
      acknowledged: this.#count.acknowledged,
      dropped: { ...this.#dropped },
      failures: this.#count.failures,
      posted_messages: this.#count.postedMessages,
      copied_bytes: this.#count.copiedBytes,
      lag: this.#lag.read(),
    }
  }

  #add(exchange: CapturedExchange, part: CapturedPart, bytes: number, isBody = false): void {
    const cost = MESSAGE_BYTES + bytes
    if (this.#heldBytes + cost > this.#maxQueueBytes) return this.#drop(exchange, 'queue_full')
    this.#heldBytes += cost
    exchange.heldBytes += cost
    exchange.parts.push(part)
    this.#unposted.add(exchange)
    if (isBody) this.#unpostedBytes += bytes
    const isUrgent = this.#unpostedBytes >= FLUSH_BYTES
    if (isUrgent || this.#timer === null) this.#schedule(isUrgent)
  }

  #schedule(isUrgent: boolean): void {
    if (this.#isBroken || this.#immediate !== null) return
    // An immediate runs after pending socket events: forwarding comes first.
    if (isUrgent) this.#immediate = setImmediate(() => this.#postBatch())
    else this.#timer ??= setTimeout(() => this.#postBatch(), FLUSH_MS)
  }

  #postBatch(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    if (this.#immediate !== null) clearImmediate(this.#immediate)
    this.#timer = null
    this.#immediate = null
    const unposted = this.#unposted
    if (this.#isBroken || unposted.size === 0) return
    try {
      const batch: Batch = { parcels: [], transfer: [], bytes: 0, messages: 0 }
      const whole: CapturedExchange[] = []
      for (const exchange of unposted) {
        if (!addToBatch(exchange, batch, FLUSH_BYTES)) break
        unposted.delete(exchange)
        if (exchange.closed) whole.push(exchange)
      }
      this.#unpostedBytes = unposted.size === 0 ? 0 : this.#unpostedBytes - batch.bytes
      this.#options.post(batch.parcels, batch.transfer)
      this.#count.postedMessages += batch.messages
      this.#count.copiedBytes += batch.bytes
      for (const exchange of whole) exchange.deliveries += 1
    } catch (error) {
      this.#isBroken = true
      this.#count.failures += 1
      this.#notify(() => this.#options.onPostFailure?.(error))
    }
    if (unposted.size > 0) this.#schedule(true)
  }

  #release(exchange: CapturedExchange): void {
    this.#heldBytes -= exchange.heldBytes
    exchange.heldBytes = 0
    exchange.parts.length = 0
    exchange.posted = 0
    this.#exchanges.delete(exchange.id)
    this.#unposted.delete(exchange)
    this.#close(exchange)
  }

  #close(exchange: CapturedExchange): void {
    if (exchange.closed) return
    exchange.closed = true
    this.#count.inFlight -= 1
  }

  #drop(exchange: CapturedExchange, reason: DropReason): void {
    const isKnown = exchange.posted > 0
    this.#lag.dropped(exchange.id)
    this.#release(exchange)
    this.#dropped[reason] = (this.#dropped[reason] ?? 0) + 1
    if (isKnown) {
      exchange.parts.push(['discard', performance.now(), reason])
      this.#unposted.add(exchange)
      this.#schedule(false)
    }
    this.#notify(() => this.#options.onDrop?.(reason))
  }

  #notify(listener: () => void): void {
    try {
      listener()
    } catch {
      this.#count.failures += 1
    }
  }
}

/** When the upstream says that it answered; NaN if it does not. */
function dateIn(headers: readonly string[]): number {
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'date')
  return at < 0 ? Number.NaN : Date.parse(headers[at + 1] ?? '')
}
