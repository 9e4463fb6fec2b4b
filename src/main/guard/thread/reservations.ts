import type { Amount } from './spending.ts'

/** A priced request: the scopes that it counts in, and its estimated cost. */
export interface Priced {
  readonly sessionId: string | null
  readonly agentId: string | null
  readonly project: string | null
  readonly guess: Amount
}

/** Limit of requests in flight that are remembered; the oldest is forgotten first. */
const MOST = 20_000

/** The estimates of requests in flight. */
export class Reservations {
  readonly #held = new Map<string, Priced>()

  reserve(id: string, request: Priced): void {
    this.#held.set(id, request)
    const oldest = this.#held.keys().next().value
    if (this.#held.size > MOST && oldest !== undefined) this.#held.delete(oldest)
  }

  forget(id: string): void {
    this.#held.delete(id)
  }

  /** Adds up the estimates of the requests that match. */
  sum(matches: (request: Priced) => boolean): Amount {
    let usd = 0
    let tokens = 0
    for (const request of this.#held.values()) {
      if (!matches(request)) continue
      usd += request.guess.usd
      tokens += request.guess.tokens
    }
    return { usd, tokens }
  }
}
