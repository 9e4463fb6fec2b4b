import type { Correction, EventSummary } from '../../shared/live-feed.ts'
import type { LiveBatch } from '../../shared/contract/live.ts'
import type { Redactor } from '../redaction/redactor.ts'
import { LiveText, type DeltaOrigin, type RawDelta } from './live-text.ts'

/** Minimum time between two batches. */
const INTERVAL_MS = 100
/** An import may correct a whole history; windows only need to know that their prompts changed. */
const MAX_CORRECTED = 500

/**
 * Collects committed events and text as it is written, and sends them as a batch at most every 100 ms. The first batch
 * after a pause is sent at once.
 */
export class LiveBatcher {
  readonly #send: (batch: LiveBatch) => void
  readonly #text: LiveText
  #events: EventSummary[] = []
  #corrected: Correction[] = []
  #timer: NodeJS.Timeout | null = null
  #lastSent = -INTERVAL_MS

  constructor(redactor: Redactor, send: (batch: LiveBatch) => void) {
    this.#send = send
    this.#text = new LiveText(redactor)
  }

  deltas(origin: DeltaOrigin, pieces: readonly RawDelta[]): void {
    if (pieces.length === 0) return
    this.#text.add(origin, pieces)
    this.#schedule()
  }

  events(added: readonly EventSummary[]): void {
    if (added.length === 0) return
    this.#events.push(...added)
    this.#schedule()
  }

  /** Adds corrections of earlier prompts; beyond the limit, the newest count. */
  corrected(corrections: readonly Correction[]): void {
    if (corrections.length === 0) return
    this.#corrected.push(...corrections)
    if (this.#corrected.length > MAX_CORRECTED) this.#corrected.splice(0, this.#corrected.length - MAX_CORRECTED)
    this.#schedule()
  }

  /** The exchange is over: releases the text that was held back. */
  close(exchangeId: string): void {
    if (this.#text.close(exchangeId)) this.#schedule()
  }

  /** Sends a batch at once, if there is anything to send. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const deltas = this.#text.take()
    const events = this.#events
    this.#events = []
    const corrected = this.#corrected
    this.#corrected = []
    if (deltas.length === 0 && events.length === 0 && corrected.length === 0) return
    this.#lastSent = performance.now()
    this.#send({ events, deltas, ...(corrected.length === 0 ? {} : { corrected }) })
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.flush(), Math.max(0, this.#lastSent + INTERVAL_MS - performance.now()))
  }
}
