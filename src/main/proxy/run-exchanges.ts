import type { LeftOutAnswer } from '../../shared/left-out-answer.ts'
import { RecentlyUsed } from '../base/recently-used.ts'

/** Runs whose exchanges are known, and exchanges of one run, at most: the oldest go first. */
const [MAX_RUNS, MAX_EXCHANGES] = [200, 20_000]

/** Knows which exchanges belong to which run of a client, for what a run says at its end. */
export class RunExchanges {
  readonly #runs = new Map<string, string[]>()
  readonly #deleted = new RecentlyUsed<string, string>(MAX_EXCHANGES)

  add(run: string, exchange: string): void {
    const known = this.#runs.get(run) ?? []
    this.#runs.delete(run)
    this.#runs.set(run, known)
    known.push(exchange)
    if (known.length > MAX_EXCHANGES) known.shift()
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest)
  }

  leftOut(answers: readonly LeftOutAnswer[]): void {
    for (const { exchange, deletedSession } of answers)
      if (deletedSession !== null) this.#deleted.set(exchange, deletedSession)
  }

  /** Returns the deleted sessions that a run's requests belong to. */
  deletedOf(run: string): readonly string[] {
    return [...new Set(this.of(run).flatMap((exchange) => this.#deleted.get(exchange) ?? []))]
  }

  /** Returns the newest exchanges of a run. */
  of(run: string): readonly string[] {
    return this.#runs.get(run) ?? []
  }
}
