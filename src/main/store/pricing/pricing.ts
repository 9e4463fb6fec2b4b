import table from '../../../../resources/prices.json' with { type: 'json' }
import type { OwnPrice } from '../../../shared/config.ts'
import type { Usage } from '../../../shared/event.ts'
import { RecentlyUsed } from '../../base/recently-used.ts'
import { modelNames } from '../../decode/wire/model-names.ts'

/** USD by kind of token; in a price, per million. */
interface Rates {
  readonly input: number
  readonly output: number
  readonly cache_read: number
  readonly cache_write_5m: number
  readonly cache_write_1h: number
}

/** The price of a model from a date until a later row of the same model replaces it. */
export interface PriceRow extends Rates {
  readonly model: string
  readonly from: string
  readonly fast_multiplier: number
  /** Applies to a whole request if its input, cache read and cache write tokens together exceed the threshold. */
  readonly above_prompt_tokens?: Rates & { readonly threshold: number }
  /** The same for a period: holds from its first day up to, not including, `until`. */
  readonly long_context?: Rates & { readonly threshold: number; readonly from: string; readonly until: string }
  /** Tokens; unknown for the user's own rows. */
  readonly context_window?: number
  /** Factors of the token price by `service_tier`, instead of the table's for these tiers. */
  readonly service_tier_multipliers?: { readonly [tier: string]: number }
  /** The context window is 1,000,000 tokens if the request or the model's name asks for it. */
  readonly context_window_1m?: boolean
}

export interface PriceTable {
  readonly web_search_usd_per_1000: number
  readonly inference_geo_us_multiplier: number
  /** Factors of the token price by `service_tier`; a tier that is not listed costs the standard price. */
  readonly service_tier_multipliers?: { readonly [tier: string]: number }
  readonly models: readonly PriceRow[]
}

/** The fields of a usage that decide its price. */
export type PricedUsage = Pick<
  Usage,
  | 'input_tokens'
  | 'output_tokens'
  | 'cache_read_input_tokens'
  | 'cache_creation_input_tokens'
  | 'cache_creation_1h_input_tokens'
  | 'web_search_requests'
  | 'service_tier'
  | 'speed'
  | 'inference_geo'
>

/**
 * The rates of a cost: `list`, `batch` and `tier` (published multiples of the list price), or `assumed_list`: the list price for a tier whose
 * price is not known. That is the priority tier, whose capacity is sold by commitment, and any tier not in the table.
 * `client`: the client's own figure, because no price or no tokens are known.
 */
export type PriceBasis = 'list' | 'batch' | 'tier' | 'assumed_list' | 'client'

/** Price of one response in USD, by item. */
export interface CostParts extends Rates {
  readonly web_search: number
}

export type Pricing = ReturnType<typeof createPricing>

/**
 * Costs are rounded to this grid (2^-40 USD, a millionth of a millionth). Doubles on it add up exactly up to 8,192 USD, so
 * a total does not depend on the order of its parts, and a rebuild produces the same bits.
 */
const GRID = 2 ** 40
/** Rounds a cost so that sums are exact. */
export const onGrid = (usd: number): number => Math.round(usd * GRID) / GRID
/** Tokens of the long context window. */
const LONG_WINDOW = 1_000_000
/** Before any call. */
const ALWAYS = '2000-01-01'
/** Bounds the cache of models whose rows were looked up. */
const MODELS_REMEMBERED = 100

/** Creates prices from a table; the app's own by default. */
export function createPricing(prices: PriceTable = table) {
  const findRow = createFindRow(prices)
  const unpriced = new Set<string>()
  return {
    /**
     * Returns the list price in USD of one response at the moment `at` (ISO 8601); null if the table has no price for the
     * model at that time. The price is a multiple of 2^-40, so that sums are exact and the same in any order.
     */
    price(model: string, usage: PricedUsage, at: string): number | null {
      const row = findRow(model, at)
      if (row) return costOf(row, prices, usage, at)
      unpriced.add(model)
      return null
    },
    /** Returns the price by part, before rounding to the grid; null as for `price`. The parts add up to the price within 1e-12. */
    parts(model: string, usage: PricedUsage, at: string): CostParts | null {
      const row = findRow(model, at)
      return row ? partsOf(row, prices, usage, at) : null
    },
    /** The basis of the prices of a `service_tier` for a model; null: the response named none. */
    basis(tier: string | null, model?: string, at = ALWAYS): PriceBasis {
      if (tier === null || tier === 'standard') return 'list'
      const own = model === undefined ? undefined : findRow(model, at)?.service_tier_multipliers
      if (tier !== 'batch' && own !== undefined && Object.hasOwn(own, tier)) return 'tier'
      return tier === 'batch' && Object.hasOwn(prices.service_tier_multipliers ?? {}, tier) ? 'batch' : 'assumed_list'
    },
    /**
     * Tokens that fit into the model's context at the moment `at`; null for a model that the table does not hold. `betas`:
     * the request's `anthropic-beta` values.
     */
    contextWindow(model: string, at: string, betas: readonly string[] = []): number | null {
      const row = findRow(model, at)
      if (row?.context_window === undefined) return model.endsWith('[1m]') ? LONG_WINDOW : null
      const asksForMore = model.endsWith('[1m]') || betas.some((beta) => beta.startsWith('context-1m'))
      return asksForMore && row.context_window_1m === true ? LONG_WINDOW : row.context_window
    },
    /** Models without a price so far, in order of appearance. */
    unpricedModels: () => [...unpriced],
  }
}

/** Adds the user's own prices to the app's table: from their date on, they replace its rows for that model. */
export function withOwnPrices(own: readonly OwnPrice[]): PriceTable {
  const rows = own.map((row): PriceRow => ({ ...row, from: row.from ?? ALWAYS, fast_multiplier: 1 }))
  const holds = ({ model, from }: PriceRow) => !rows.some((row) => row.model === model && row.from <= from)
  return { ...table, models: [...table.models.filter(holds), ...rows] }
}

/** Groups the rows by model, newest first. */
function rowsByModel(prices: PriceTable): ReadonlyMap<string, readonly PriceRow[]> {
  const byModel = Map.groupBy(prices.models, (row) => row.model)
  for (const rows of byModel.values()) rows.sort((a, b) => (a.from < b.from ? 1 : -1))
  return byModel
}

/** A relay's variant of a model that costs nothing (OpenRouter). */
const FREE = /:free$/i
const NOTHING = { input: 0, output: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 }

const freeOf = (model: string, listed?: PriceRow): PriceRow => ({
  ...(listed?.context_window === undefined ? {} : { context_window: listed.context_window }),
  ...NOTHING,
  model,
  from: ALWAYS,
  fast_multiplier: 1,
})

function createFindRow(prices: PriceTable): (model: string, at: string) => PriceRow | undefined {
  const byModel = rowsByModel(prices)
  const found = new RecentlyUsed<string, readonly PriceRow[]>(MODELS_REMEMBERED)
  const rowsOf = (model: string): readonly PriceRow[] => {
    const known = found.get(model)
    if (known) return known
    const name = modelNames(model).find((candidate) => byModel.has(candidate)) ?? model
    const listed = byModel.get(name) ?? []
    const rows = FREE.test(model) && !byModel.has(model) ? [freeOf(model, listed[0])] : listed
    found.set(model, rows)
    return rows
  }
  return (model, at) => {
    const day = at.slice(0, 10)
    return rowsOf(model).find((row) => row.from <= day)
  }
}

/** The rates for a prompt of this many tokens. The day is in UTC, as for the choice of a row. */
function ratesFor(row: PriceRow, prompt: number, at: string): Rates {
  const { above_prompt_tokens: lasting, long_context: period } = row
  if (lasting && prompt > lasting.threshold) return lasting
  const day = at.slice(0, 10)
  const holds = period !== undefined && period.from <= day && day < period.until
  return holds && prompt > period.threshold ? period : row
}

function costOf(row: PriceRow, prices: PriceTable, usage: PricedUsage, at: string): number {
  const { rates, fast, geo, tier, writes1h, searches } = termsOf(row, prices, usage, at)
  const tokens =
    usage.input_tokens * rates.input +
    usage.output_tokens * rates.output +
    usage.cache_read_input_tokens * rates.cache_read +
    (usage.cache_creation_input_tokens - writes1h) * rates.cache_write_5m +
    writes1h * rates.cache_write_1h
  const cost = (tokens * fast * geo * tier) / 1e6 + searches
  return onGrid(cost)
}

function partsOf(row: PriceRow, prices: PriceTable, usage: PricedUsage, at: string): CostParts {
  const { rates, fast, geo, tier, writes1h, searches } = termsOf(row, prices, usage, at)
  const usd = (tokens: number, rate: number) => (tokens * rate * fast * geo * tier) / 1e6
  return {
    input: usd(usage.input_tokens, rates.input),
    output: usd(usage.output_tokens, rates.output),
    cache_read: usd(usage.cache_read_input_tokens, rates.cache_read),
    cache_write_5m: usd(usage.cache_creation_input_tokens - writes1h, rates.cache_write_5m),
    cache_write_1h: usd(writes1h, rates.cache_write_1h),
    web_search: searches,
  }
}

/** The rates of a response, the factors of its token price, and the USD of its web searches. */
function termsOf(row: PriceRow, prices: PriceTable, usage: PricedUsage, at: string) {
  const prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
  const fast = usage.speed === 'fast' ? row.fast_multiplier : 1
  const geo = usage.inference_geo === 'us' ? prices.inference_geo_us_multiplier : 1
  const tiers = { ...prices.service_tier_multipliers, ...row.service_tier_multipliers }
  const named = usage.service_tier ?? 'standard'
  const tier = Object.hasOwn(tiers, named) ? (tiers[named] ?? 1) : 1
  return {
    rates: ratesFor(row, prompt, at),
    fast,
    geo,
    tier,
    writes1h: Math.min(usage.cache_creation_1h_input_tokens, usage.cache_creation_input_tokens),
    searches: (usage.web_search_requests * prices.web_search_usd_per_1000) / 1000,
  }
}
