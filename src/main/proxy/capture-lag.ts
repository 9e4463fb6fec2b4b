/** Samples kept for the percentiles. */
const MAX_SAMPLES = 1024
/** Older samples no longer count. */
const SAMPLES_MS = 5 * 60_000

/** The time from the end of a capture to its commit, in milliseconds. */
export interface CaptureLag {
  /** Age of the oldest capture that is complete and not yet recorded; 0 if there is none. A kill loses nothing older. */
  readonly oldest_ms: number
  /** Percentiles of the last five minutes, at most 1,024 captures; null if there were none. */
  readonly p50_ms: number | null
  readonly p99_ms: number | null
  /** Captures measured since the start, and the sum of their times. */
  readonly count: number
  readonly sum_ms: number
}

/** Measures how long complete captures wait until they are recorded. Costs a map entry for each. */
export class CaptureLagMeter {
  readonly #now: () => number
  /** In the order in which they ended. */
  readonly #waiting = new Map<string, number>()
  /** A ring of end times and lags. */
  readonly #samples: { readonly at: number; readonly ms: number }[] = []
  #count = 0
  #sumMs = 0

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The capture is complete and waits for its commit. */
  ended(id: string): void {
    this.#waiting.set(id, this.#now())
  }

  /** The capture is committed or spooled. */
  recorded(id: string): void {
    const endedAt = this.#waiting.get(id)
    if (endedAt === undefined) return
    this.#waiting.delete(id)
    const at = this.#now()
    this.#samples[this.#count % MAX_SAMPLES] = { at, ms: at - endedAt }
    this.#count += 1
    this.#sumMs += at - endedAt
  }

  /** The capture will not be recorded, and is counted elsewhere. */
  dropped(id: string): void {
    this.#waiting.delete(id)
  }

  read(): CaptureLag {
    const now = this.#now()
    const [first = now] = this.#waiting.values()
    // A typed array sorts numbers without a call for each comparison.
    const recent = Float64Array.from(
      this.#samples.filter(({ at }) => now - at <= SAMPLES_MS).map(({ ms }) => ms),
    ).sort()
    const percentile = (share: number) => recent[Math.min(recent.length - 1, Math.floor(recent.length * share))] ?? null
    return {
      oldest_ms: now - first,
      p50_ms: percentile(0.5),
      p99_ms: percentile(0.99),
      count: this.#count,
      sum_ms: this.#sumMs,
    }
  }
}
