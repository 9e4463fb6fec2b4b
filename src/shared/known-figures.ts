/** Sums of a session. Calls whose usage no source reported are in none of them. */
interface Sums {
  readonly total_tokens: number
  readonly total_cost_usd: number
  readonly unpriced_calls: number
}

/**
 * Returns a session's cost; null if it is not known: no source reported any usage, as in rollouts of Codex before 0.34, or no
 * call has a price.
 */
export function knownCost({
  total_tokens: tokens,
  total_cost_usd: usd,
  unpriced_calls: unpriced,
}: Sums): number | null {
  return usd === 0 && (tokens === 0 || unpriced > 0) ? null : usd
}

/** Returns a session's tokens; null if no source reported any usage. */
export const knownTokens = ({ total_tokens: tokens }: Sums): number | null => (tokens === 0 ? null : tokens)
