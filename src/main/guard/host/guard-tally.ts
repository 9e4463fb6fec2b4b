import type { GuardCounts, GuardKept, GuardPassed, UnpricedReason } from '../../../shared/contract/guard.ts'

const NOTHING_KEPT: GuardKept = { requests: 0, usd: 0, tokens: 0 }

/** What became of requests since the start. */
export class GuardTally {
  readonly counts: { -readonly [outcome in keyof GuardCounts]: number } = {
    checked: 0,
    unpriced: 0,
    notified: 0,
    held: 0,
    allowed: 0,
    refused: 0,
    gave_up: 0,
  }
  readonly #since = new Date().toISOString()
  #mostInFlight = 0
  readonly #passed = new Map<UnpricedReason, GuardPassed>()
  /** Estimates that count on for answers that are over, as the thread said last. */
  kept = NOTHING_KEPT

  /** So many requests are in flight now. */
  sent(inFlight: number): void {
    this.#mostInFlight = Math.max(this.#mostInFlight, inFlight)
  }

  /** A thread that has just started knows no requests. */
  forgetKept(): void {
    this.kept = NOTHING_KEPT
  }

  /** A request left without a price. */
  pass(reason: UnpricedReason, sessionId: string | null): void {
    const requests = (this.#passed.get(reason)?.requests ?? 0) + 1
    this.#passed.set(reason, { reason, requests, last_at: new Date().toISOString(), last_session_id: sessionId })
  }

  status() {
    return {
      counts: { ...this.counts },
      since: this.#since,
      most_in_flight: this.#mostInFlight,
      lower_bound: this.kept,
      passed: [...this.#passed.values()],
    }
  }
}
