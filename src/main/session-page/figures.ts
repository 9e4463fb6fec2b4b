/** Formats US dollars. */
export function dollars(cost: number | null): string {
  if (cost === null) return '-'
  return `$${cost !== 0 && Math.abs(cost) < 0.01 ? cost.toPrecision(2) : cost.toFixed(2)}`
}

/** Formats a count with separators. */
export function count(n: number | null): string {
  return n === null ? '-' : n.toLocaleString('en-US')
}

/** Returns a number with its noun: `1 request`, `2 requests`. */
export function counted(n: number, noun: string): string {
  return `${count(n)} ${noun}${n === 1 ? '' : 's'}`
}

/** Formats milliseconds. */
export function duration(ms: number | null): string {
  if (ms === null) return '-'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.round(ms / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
