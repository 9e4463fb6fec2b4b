const MIN_CHECKS = 10
const MAX_WIDEN = 4

/** Compares the bands of past forecasts with the actual values. */
export class CheckedBands {
  readonly #misses: number[] = []
  /** Bands that held the value, each widened as those before it called for. */
  hits = 0
  /** Factor that would have made nine in ten bands hold; 1 while too few have been checked. */
  widen = 1

  get checks(): number {
    return this.#misses.length
  }

  /** `miss`: the distance of the value from the forecast; `half`: half the width of its band. */
  add(miss: number, half: number): void {
    if (miss <= half * this.widen + 1e-9) this.hits += 1
    this.#misses.push(half > 0 ? miss / half : miss > 1e-9 ? MAX_WIDEN : 0)
    if (this.checks < MIN_CHECKS) return
    const sorted = this.#misses.toSorted((a, b) => a - b)
    this.widen = Math.min(MAX_WIDEN, Math.max(0.25, sorted[Math.ceil(0.9 * sorted.length) - 1] ?? 1))
  }
}
