import { Link } from '@tanstack/react-router'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import type { PaidRequest } from '../../../../shared/contract/receipt.ts'
import { visibleText } from '../../../../shared/visible-text.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../../components/data-table.tsx'
import { loaded } from '../../../components/loaded.tsx'
import { columnDollars } from '../../../lib/axis.ts'
import { formatCost, formatCount, formatMoment, plural } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/operation.ts'
import { modelName } from '../../../../shared/vendors.ts'
import { callsOfRow, movingSpan, type ReceiptSearch } from './receipt-search.ts'

const COLUMNS: readonly DataColumn[] = [
  { name: 'Request' },
  { name: 'Model' },
  { name: 'Input', isNumber: true },
  { name: 'Cache read', isNumber: true },
  { name: 'Cache write', isNumber: true },
  { name: 'Output', isNumber: true },
  { name: 'Cost', isNumber: true },
  { name: 'Session' },
]

interface ReceiptCallsProps {
  readonly search: ReceiptSearch
  readonly row: string
}

/** The calls that a row of the receipt sums up, each with links to its request and its session. */
export function ReceiptCalls({ search, row }: ReceiptCallsProps) {
  const wanted = callsOfRow(row)
  const input = { ...wanted, limit: 100 }
  const enabled = wanted !== undefined
  const query = useOperation('receipt.calls', input, { enabled, moving: movingSpan(search) })
  const cost = columnDollars(query.data?.items.map(({ cost_usd: usd }) => usd) ?? [])
  return loaded({ query, look: 'line' }, (data) => (
    <section aria-label="Calls" className="border-t bg-sunken print:hidden">
      <h3 className="px-5 pt-3 text-small font-semibold">{heading(data)}</h3>
      <DataTable columns={COLUMNS} minWidth="min-w-[52rem]">
        {data.items.map((item) => (
          <CallRow key={item.event} item={item} cost={cost} />
        ))}
      </DataTable>
    </section>
  ))
}

function heading({ items, calls, cost_usd: usd, unpriced_calls: unpriced }: OperationOutput<'receipt.calls'>): string {
  const all = `${plural(calls, 'call')}, ${formatCost(usd)}`
  const without = unpriced > 0 ? `; ${formatCount(unpriced)} without a price` : ''
  return items.length < calls ? `${all}${without}. The ${items.length} most expensive:` : `${all}${without}`
}

function CallRow({ item, cost }: { item: PaidRequest; cost: (usd: number | null) => string }) {
  const moment = formatMoment(item.ts_wall)
  return (
    <DataRow>
      <td className="py-2 whitespace-nowrap">
        {item.exchange === null ? (
          <span className="text-soft" title="The request was not captured">
            {moment}
          </span>
        ) : (
          <Link
            to="/exchanges/$uuid"
            params={{ uuid: item.exchange }}
            search={{}}
            className="font-medium text-accent hover:underline"
          >
            {moment}
          </Link>
        )}
      </td>
      <td className="py-2 pl-4 text-soft">{modelName(item.model)}</td>
      <NumberCell>{formatCount(item.input_tokens)}</NumberCell>
      <NumberCell>{formatCount(item.cache_read_tokens)}</NumberCell>
      <NumberCell>{formatCount(item.cache_write_tokens)}</NumberCell>
      <NumberCell>{formatCount(item.output_tokens)}</NumberCell>
      <NumberCell tone="strong">{item.cost_usd === null ? '–' : cost(item.cost_usd)}</NumberCell>
      <td className="max-w-0 min-w-40 truncate py-2 pl-4">
        <Link
          to="/sessions/$sessionId"
          params={{ sessionId: item.session_id }}
          search={{ turn: String(item.turn_id) }}
          className="text-accent hover:underline"
        >
          {visibleText(item.title ?? 'Untitled session')}
        </Link>
      </td>
    </DataRow>
  )
}
