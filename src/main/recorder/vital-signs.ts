const BEAT_BYTES = 4
const AWAY_BYTES = 4
const EXCHANGE_BYTES = 64

/** What a recorder shows of itself while it works, in memory shared with its supervisor: readable after its death too. */
export interface VitalSigns {
  readonly shared: SharedArrayBuffer
  /** Recorder: I am alive. */
  beat(): void
  /** Recorder: this exchange is what I work on now; null: none. */
  workOn(exchange: string | null): void
  /** Recorder: for so many milliseconds at most I may give no further sign of life; 0: I am back. */
  away(ms: number): void
  /** Supervisor: for how long it may. */
  awayMs(): number
  /** Supervisor: a number that changes as long as the recorder lives. */
  beats(): number
  /** Supervisor: the exchange that was worked on last, if it was not finished. */
  workedOn(): string | null
}

/** Opens the shared memory, or makes it. */
export function openVitalSigns(shared = new SharedArrayBuffer(BEAT_BYTES + AWAY_BYTES + EXCHANGE_BYTES)): VitalSigns {
  const counter = new Int32Array(shared, 0, 1)
  const longest = new Int32Array(shared, BEAT_BYTES, 1)
  const current = Buffer.from(shared, BEAT_BYTES + AWAY_BYTES, EXCHANGE_BYTES)
  return {
    shared,
    beat: () => void Atomics.add(counter, 0, 1),
    workOn(exchange) {
      if (exchange === null) current[0] = 0
      else current[Math.min(current.write(exchange, 'latin1'), EXCHANGE_BYTES - 1)] = 0
    },
    away(ms) {
      // A sign of life first: what was missed until now is over before the time for it is.
      Atomics.add(counter, 0, 1)
      Atomics.store(longest, 0, ms)
    },
    awayMs: () => Atomics.load(longest, 0),
    beats: () => Atomics.load(counter, 0),
    workedOn: () => current.toString('latin1', 0, current.indexOf(0)) || null,
  }
}
