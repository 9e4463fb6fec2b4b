import type { Reading } from './window-readings.ts'

const POINTS = 300

/**
 * Returns the first reading and the last of each part of the time. Parts begin at fixed times and are as long as the
 * window needs, or the span by powers of two: a new reading adds a point, and moves none but the last.
 */
export function curveOf(
  readings: readonly Pick<Reading, 'at' | 'used'>[],
  windowMs: number,
): { timestamp: string; used: number }[] {
  const [first, last] = [readings[0], readings.at(-1)]
  if (first === undefined || last === undefined) return []
  const part = 2 ** Math.ceil(Math.log2(Math.max(1, windowMs, last.at - first.at) / POINTS))
  const points = new Map(readings.map((reading) => [Math.floor(reading.at / part), reading]))
  return [...new Set([first, ...points.values()])].map(({ at, used }) => ({
    timestamp: new Date(at).toISOString(),
    used,
  }))
}
