/** The name of what is known of calls to models without a price, which are in no sum of costs. */
export const UNPRICED = 'unpriced_calls'

/** Returns what is known of calls without a price, under its name. */
export const withoutPrice = <const T>(calls: T) => ({ [UNPRICED]: calls }) as { readonly [UNPRICED]: T }

export type Unpriced = { readonly [UNPRICED]: number }
/** What calls cost. */
export interface Spend extends Unpriced {
  readonly cost_usd: number
}

/** Of a row without such a figure: 0. */
export const unpricedOf = (row: Partial<Unpriced>): number => row[UNPRICED] ?? 0

/** Returns the cost of a sum; null if none of its calls has a price. */
export const pricedCost = (row: Spend): number | null => (row.cost_usd === 0 && row[UNPRICED] > 0 ? null : row.cost_usd)

/** Returns what a call adds to a sum. */
export const spentOn = (cost: number | null): Spend => ({ cost_usd: cost ?? 0, ...withoutPrice(Number(cost === null)) })

export const NOTHING_SPENT = spentOn(0)

/** Adds what a call cost to a sum, or with `sign` -1 removes it. */
export function addSpent(sum: { -readonly [figure in keyof Spend]: number }, cost: number | null, sign: 1 | -1 = 1) {
  const { cost_usd: usd, [UNPRICED]: calls } = spentOn(cost)
  sum.cost_usd += sign * usd
  sum[UNPRICED] += sign * calls
}

/** Returns what calls cost. */
export function spentBy(calls: readonly { readonly cost_usd: number | null }[]): Spend {
  const sum = { ...NOTHING_SPENT }
  for (const { cost_usd: cost } of calls) addSpent(sum, cost)
  return sum
}

/** SQL of both databases: calls without a price, of rows of single calls. */
export const UNPRICED_OF_CALLS = `CAST(count(*) FILTER (WHERE cost_usd IS NULL) AS DOUBLE PRECISION) AS ${UNPRICED}`
/** SQL of both databases: the same, of rows that are sums. */
export const UNPRICED_OF_SUMS = `CAST(sum(${UNPRICED}) AS DOUBLE PRECISION) AS ${UNPRICED}`
