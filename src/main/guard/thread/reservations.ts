import type { GuardKept } from '../../../shared/contract/guard.ts'
import type { Amount } from './spending.ts'
import { DAY_MS } from '../../../shared/time-units.ts'
import { hashed, type EstimatesFile, type Reserved } from './estimates-file.ts'

/** A priced request: the scopes that it counts in, and its estimated cost. */
export interface Priced {
  readonly sessionId: string | null
  readonly agentId: string | null
  readonly project: string | null
  readonly guess: Amount
  /** When it was sent, in ms since the epoch. */
  readonly wall: number
}

const NOTHING: Amount = { usd: 0, tokens: 0 }
/** Limit of requests in flight that are remembered; the oldest is forgotten first. */
const MOST = 20_000

/**
 * The estimates of requests in flight, and of those whose answer ended before it said what it cost. Requests of other apps, also
 * of those that have ended, are known from the file.
 */
export class Reservations {
  readonly #file: EstimatesFile | null
  readonly #held = new Map<string, Reserved>()
  /** What counts on of requests that are over, by id; the one looked at last is the last. */
  readonly #kept = new Map<string, Amount>()

  constructor(file: EstimatesFile | null) {
    this.#file = file
  }

  reserve(id: string, { sessionId, agentId, project, guess, wall }: Priced): void {
    const scopes = { session: hashed(sessionId), agent: hashed(agentId), project: hashed(project) }
    const request = { ...scopes, usd: guess.usd, tokens: guess.tokens, wall }
    this.#file?.tell(id, request)
    this.#hold(id, request)
  }

  /** Learns what other apps have reserved within a day before `wall`. Whether their answers are over shows in what is stored. */
  learn(wall: number): void {
    for (const [id, request] of this.#file?.told() ?? []) {
      if (request === null) this.#drop(id)
      else if ((!this.#held.has(id) || request.isSpent) && Math.abs(wall - request.wall) < DAY_MS) {
        this.#hold(id, request)
        this.keep(id, NOTHING)
      }
    }
    this.#file?.shorten(() => this.#held)
  }

  #hold(id: string, request: Reserved): void {
    this.#held.set(id, request)
    const oldest = this.#held.keys().next().value
    if (this.#held.size > MOST && oldest !== undefined) this.forget(oldest)
  }

  forget(id: string): void {
    if (this.#drop(id)) this.#file?.tell(id)
  }

  #drop(id: string): boolean {
    this.#kept.delete(id)
    return this.#held.delete(id)
  }

  /** Counts what a request cost, of which nothing will be stored, instead of its estimate. */
  spend(id: string, { usd, tokens }: Amount): void {
    const request = this.#held.get(id)
    if (request === undefined) return
    if (tokens === 0) return this.forget(id)
    const spent = { ...request, usd, tokens, isSpent: true as const }
    this.#file?.tell(id, spent)
    this.#held.set(id, spent)
    this.keep(id, NOTHING)
  }

  /** Keeps what a request may have cost beyond the stored amount, null: beyond the one of before. Its answer is over. */
  keep(id: string, stored: Amount | null): void {
    const request = this.#held.get(id)
    if (request === undefined) return
    const { usd, tokens } = stored ?? NOTHING
    const rest = { usd: Math.max(0, request.usd - usd), tokens: Math.max(0, request.tokens - tokens) }
    const kept = stored === null ? (this.#kept.get(id) ?? rest) : rest
    this.#kept.delete(id)
    this.#kept.set(id, kept)
  }

  /** Returns the ids of some requests that are over, those looked at longest ago. */
  nextKept(most: number): readonly string[] {
    return [...this.#kept.keys().take(most)]
  }

  kept(): GuardKept {
    const estimates = [...this.#kept].filter(([id]) => this.#held.get(id)?.isSpent !== true)
    return { requests: estimates.length, ...total(estimates.map(([, amount]) => amount)) }
  }

  /** Adds up the estimates of the requests that match; of those that are over, only the ones sent since a moment. */
  sum(matches: (request: Reserved) => boolean, since = 0): Amount {
    const counted: Amount[] = []
    for (const [id, request] of this.#held) {
      const kept = this.#kept.get(id)
      if (matches(request) && (request.wall >= since || kept === undefined)) counted.push(kept ?? request)
    }
    return total(counted)
  }
}

function total(amounts: Iterable<Amount>): Amount {
  let [usd, tokens] = [0, 0]
  for (const amount of amounts) {
    usd += amount.usd
    tokens += amount.tokens
  }
  return { usd, tokens }
}
