import { z } from 'zod'

/** Calls to models without a price, which are in no sum of costs. */
export const unpriced = { unpriced_calls: z.number() }

/** What calls cost. */
export const spend = { cost_usd: z.number(), ...unpriced }

export type Unpriced = Readonly<z.infer<z.ZodObject<typeof unpriced>>>
export type Spend = Readonly<z.infer<z.ZodObject<typeof spend>>>

/** Of a row without such a figure: 0. */
export const unpricedOf = (row: Partial<Unpriced>): number => row.unpriced_calls ?? 0

/** Returns a number of calls without a price under its name. */
export const withoutPrice = (calls: number) => ({ unpriced_calls: calls })

/** Returns the cost of a sum; null if none of its calls has a price. */
export const pricedCost = (row: Spend): number | null =>
  row.cost_usd === 0 && row.unpriced_calls > 0 ? null : row.cost_usd

export const NOTHING_SPENT: Spend = { cost_usd: 0, ...withoutPrice(0) }

/** SQL: calls without a price, of rows of single calls. */
export const UNPRICED_OF_CALLS = 'count(*) FILTER (WHERE cost_usd IS NULL) AS unpriced_calls'
/** SQL: the same, of rows that are sums. */
export const UNPRICED_OF_SUMS = 'sum(unpriced_calls) AS unpriced_calls'
