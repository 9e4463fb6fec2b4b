/** Median and quartiles, interpolated; null if there are no values. */
export interface Quartiles {
  readonly q1: number
  readonly median: number
  readonly q3: number
}

export function quartiles(values: readonly number[]): Quartiles | null {
  const sorted = values.toSorted((one, other) => one - other)
  if (sorted.length === 0) return null
  return { q1: quantile(sorted, 0.25), median: quantile(sorted, 0.5), q3: quantile(sorted, 0.75) }
}

/** Returns the value below which `share` of the sorted values lie, rounded to three decimals; NaN if there are none. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? low
  return Math.round((low + (high - low) * (place % 1)) * 1000) / 1000
}
