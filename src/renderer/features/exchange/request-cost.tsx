import { CLASS_NAMES, requestCostTable } from '../../../shared/columns/receipt.ts'
import type { Exchange } from '../../../shared/contract/requests.ts'
import { Table } from '../../components/table.tsx'
import { dollars, formatCount } from '../../lib/format.ts'

/** Enough for a single token of every price. */
const DECIMALS = 6

/** What a request cost: each kind of token with its price, and the sum. */
export function RequestCost({ exchange: { by_class: classes, usage } }: { readonly exchange: Exchange }) {
  if (usage === null || classes.length === 0) return null
  const thinking = usage.thinking_tokens ? `, ${formatCount(usage.thinking_tokens)} of it thinking` : ''
  const rows = classes
    .filter(({ class: name, units }) => units > 0 || ['input', 'cache_read', 'output'].includes(name))
    .map(({ class: name, units, cost_usd: cost }) => ({
      name: `${CLASS_NAMES[name]}${name === 'output' ? thinking : ''}`,
      units,
      price: units === 0 || cost === null ? null : priceOf(name === 'web_search', cost / units),
      cost_usd: cost,
    }))
  return (
    <section aria-label="Cost" className="min-w-0">
      <Table
        columns={requestCostTable}
        rows={[...rows, { name: 'Total', units: null, price: null, cost_usd: usage.cost_usd }]}
        keyOf={(row) => row.name}
        cells={{
          units: ({ units }, text) => (units === null ? ' ' : text),
          price: ({ units }, text) => (units === null ? ' ' : text),
          cost_usd: ({ cost_usd: cost }, text) => (cost === null ? text : dollars(cost, DECIMALS)),
        }}
      />
    </section>
  )
}

const priceOf = (isSearch: boolean, usd: number): string =>
  isSearch ? `× ${dollars(usd * 1e3, 2)} per 1,000` : `× ${dollars(usd * 1e6, 2)}`
