/** Measures elapsed time and processor time, which other load on the machine affects less. */
interface Timed<T> {
  readonly result: T
  readonly ms: number
  readonly cpuMs: number
}

export function timed<T>(work: () => T): Timed<T> {
  const before = process.threadCpuUsage()
  const start = performance.now()
  const result = work()
  const ms = performance.now() - start
  const { user, system } = process.threadCpuUsage(before)
  return { result, ms, cpuMs: (user + system) / 1000 }
}

export function quantiles(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b)
  const quantile = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN)
  return { p50: quantile(0.5), p95: quantile(0.95) }
}

export function mean(times: readonly number[]): number {
  return round(times.reduce((sum, time) => sum + time, 0) / times.length)
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
