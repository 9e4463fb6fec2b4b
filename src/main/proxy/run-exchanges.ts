/** Runs whose exchanges are known, and exchanges of one run, at most: the oldest go first. */
const [MAX_RUNS, MAX_EXCHANGES] = [200, 20_000]

/** Knows which exchanges belong to which run of a client, for what a run says at its end. */
export class RunExchanges {
  readonly #runs = new Map<string, string[]>()

  add(run: string, exchange: string): void {
    const known = this.#runs.get(run) ?? []
    this.#runs.delete(run)
    this.#runs.set(run, known)
    known.push(exchange)
    if (known.length > MAX_EXCHANGES) known.shift()
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest)
  }

  of(run: string): readonly string[] {
    return this.#runs.get(run) ?? []
  }
}
