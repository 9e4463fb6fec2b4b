const BEAT_BYTES = 4
const AWAY_BYTES = 4
const EXCHANGE_BYTES = 64

/** Signs of life of the recorder in memory shared with its host, which can read them even after the recorder died. */
export type VitalSigns = ReturnType<typeof openVitalSigns>

/** Opens shared memory, or allocates it. */
export function openVitalSigns(shared = new SharedArrayBuffer(BEAT_BYTES + AWAY_BYTES + EXCHANGE_BYTES)) {
  const counter = new Int32Array(shared, 0, 1)
  const longest = new Int32Array(shared, BEAT_BYTES, 1)
  const current = Buffer.from(shared, BEAT_BYTES + AWAY_BYTES, EXCHANGE_BYTES)
  return {
    shared,
    /** Recorder: sends a heartbeat. */
    beat: () => void Atomics.add(counter, 0, 1),
    /** Recorder: names the exchange it is working on; null if none. */
    workOn(exchange: string | null) {
      if (exchange === null) current[0] = 0
      else current[Math.min(current.write(exchange, 'latin1'), EXCHANGE_BYTES - 1)] = 0
    },
    /** Recorder: announces that no heartbeat may follow for up to `ms`; 0 when it is back. */
    away(ms: number) {
      // A heartbeat first resets the count of missed beats, so that the announced time starts in full.
      Atomics.add(counter, 0, 1)
      Atomics.store(longest, 0, ms)
    },
    /** Host: the announced time without heartbeats, in milliseconds. */
    awayMs: () => Atomics.load(longest, 0),
    /** Host: a number that changes while the recorder is alive. */
    beats: () => Atomics.load(counter, 0),
    /** Host: the exchange that the recorder had not finished; null if none. */
    workedOn: () => current.toString('latin1', 0, current.indexOf(0)) || null,
  }
}
