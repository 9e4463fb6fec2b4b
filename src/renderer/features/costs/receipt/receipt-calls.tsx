import { Link } from '@tanstack/react-router'
import { receiptCallsTable } from '../../../../shared/columns/receipt.ts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { loaded } from '../../../components/loaded.tsx'
import { formatCost, formatCount, plural } from '../../../lib/format.ts'
import { Table } from '../../../components/table.tsx'
import { useOperation } from '../../../lib/operation.ts'
import { callsOfRow, movingSpan, type ReceiptSearch } from './receipt-search.ts'
import { unpricedOf } from '../../../../shared/spend.ts'
import { toExchange, toSession } from '../../../lib/places.ts'

/** The calls that a row of the receipt sums up, each with links to its request and its session. */
export function ReceiptCalls({ search, row }: { readonly search: ReceiptSearch; readonly row: string }) {
  const wanted = callsOfRow(row)
  const input = { ...wanted, limit: 100 }
  const enabled = wanted !== undefined
  const query = useOperation('receipt.calls', input, { enabled, moving: movingSpan(search) })
  return loaded({ query, look: 'line' }, (data) => (
    <section aria-label="Requests" className="border-t bg-sunken print:hidden">
      <h3 className="px-5 pt-3 text-small font-semibold">{heading(data)}</h3>
      <Table
        columns={receiptCallsTable}
        rows={data.items}
        keyOf={(item) => item.event}
        minWidth="min-w-[52rem]"
        cells={{
          ts_wall: ({ exchange }, text) =>
            exchange === null ? (
              <span title="The request was not captured">{text}</span>
            ) : (
              <Link {...toExchange(exchange, {})} className="font-medium text-accent hover:underline">
                {text}
              </Link>
            ),
          title: (item, text) => (
            <Link
              {...toSession(item.session_id, { turn: String(item.turn_id) })}
              className="text-accent hover:underline"
            >
              {text}
            </Link>
          ),
        }}
      />
    </section>
  ))
}

function heading(found: OperationOutput<'receipt.calls'>): string {
  const { items, calls, cost_usd: usd } = found
  const unpriced = unpricedOf(found)
  const all = `${plural(calls, 'request')}, ${formatCost(usd)}`
  const without = unpriced > 0 ? `; ${formatCount(unpriced)} without a price` : ''
  return items.length < calls ? `${all}${without}. The ${items.length} most expensive:` : `${all}${without}`
}
