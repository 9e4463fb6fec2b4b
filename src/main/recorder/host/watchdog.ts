import type { VitalSigns } from '../vital-signs.ts'

export interface WatchdogOptions {
  readonly vitalSigns: Pick<VitalSigns, 'beats'>
  /** How often it looks follows from it. */
  readonly hangMs: number
  /** How long the thread may show no sign of life now. */
  readonly patienceMs: () => number
  readonly onHang: () => void
}

/**
 * Watches over a thread that beats; what it returns ends that. Counts missed beats, not time: after a computer's sleep
 * both threads wake together.
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
