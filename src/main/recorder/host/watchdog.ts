import type { VitalSigns } from '../vital-signs.ts'

export interface WatchdogOptions {
  readonly vitalSigns: Pick<VitalSigns, 'beats'>
  /** Also sets the watchdog's interval. */
  readonly hangMs: number
  /** Maximum time that the thread may currently go without a heartbeat. */
  readonly patienceMs: () => number
  readonly onHang: () => void
}

/**
 * Calls `onHang` when a thread's heartbeat stops. Returns a function that ends the watch. Counts missed beats, not time:
 * after the computer sleeps, both threads wake together.
 */
export function startWatchdog({ vitalSigns, hangMs, patienceMs, onHang }: WatchdogOptions): () => void {
  const everyMs = Math.max(10, Math.min(1000, hangMs / 4))
  let last = vitalSigns.beats()
  let missed = 0
  const timer = setInterval(() => {
    const beats = vitalSigns.beats()
    missed = beats === last ? missed + 1 : 0
    last = beats
    if (missed * everyMs < patienceMs()) return
    missed = 0
    onHang()
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
