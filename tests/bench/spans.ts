/** Duration of a piece of work, by the clock and in processor time of its thread. */
export interface Span {
  readonly ms: number
  readonly cpuMs: number
}

/** Runs work, and returns how long it took and its result. */
export function timed<Result>(work: () => Result): [Span, Result] {
  const [begun, cpu] = [performance.now(), process.threadCpuUsage()]
  const result = work()
  const { user, system } = process.threadCpuUsage(cpu)
  return [{ ms: performance.now() - begun, cpuMs: (user + system) / 1000 }, result]
}

export function figuresOf(spans: readonly Span[]) {
  const [wall, cpu] = [spans.map(({ ms }) => ms), spans.map(({ cpuMs }) => cpuMs)]
  const sum = cpu.reduce((total, ms) => total + ms, 0)
  // Position of the longest step in the work, from 0 to 1.
  const longest = cpu.indexOf(Math.max(...cpu)) / Math.max(1, cpu.length - 1)
  return {
    count: spans.length,
    ms: sharesOf(wall),
    cpu_ms: { ...sharesOf(cpu), sum: rounded(sum) },
    longest_at: rounded(longest),
  }
}

function sharesOf(values: readonly number[]) {
  const sorted = values.toSorted((one, other) => one - other)
  const at = (share: number) => rounded(sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN)
  return { p50: at(0.5), p99: at(0.99), longest: at(1) }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
