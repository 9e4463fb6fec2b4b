import { quantile } from './quartiles.ts'

/** Figures of one sample by name; the unit is the end of the name. What a checkout cannot do has no figure. */
export type Figures = { readonly [name: string]: number }

/** Returns p50, p95 and the largest of some times in milliseconds, under names that begin with `name`. */
export function spreadOf(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((one, other) => one - other)
  return {
    [`${name}_p50_ms`]: quantile(sorted, 0.5),
    [`${name}_p95_ms`]: quantile(sorted, 0.95),
    [`${name}_max_ms`]: quantile(sorted, 1),
  }
}
