import { Badge } from '../../components/badge.tsx'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { columnDollars } from '../../lib/axis.ts'
import { formatCacheWrites, formatCount, formatShare, plural } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import { modelColor } from '../../lib/model-color.ts'
import type { CostTotals } from './cost-buckets.ts'

const COLUMNS: readonly DataColumn[] = [
  { name: 'Model' },
  { name: 'Calls', isNumber: true },
  { name: 'Input', isNumber: true, head: <span title="Uncached input tokens">Input</span> },
  { name: 'Cache read', isNumber: true },
  { name: 'Cache write', isNumber: true },
  { name: 'Output', isNumber: true },
  { name: 'Cost', isNumber: true },
  { name: 'Share', className: 'w-[22%] pl-6' },
]

interface ModelTableProps {
  readonly models: readonly { readonly model: string; readonly totals: CostTotals }[]
  readonly total: number
}

/** Tokens and cost of each model. */
export function ModelTable({ models, total }: ModelTableProps) {
  const cost = columnDollars(models.map(({ totals }) => totals.cost))
  return (
    <DataTable columns={COLUMNS} minWidth="min-w-[46rem]">
      {models.map(({ model, totals }) => (
        <DataRow key={model}>
          <td className="py-2">
            <ModelName model={model} totals={totals} />
          </td>
          <NumberCell>{formatCount(totals.calls)}</NumberCell>
          <NumberCell>{formatCount(totals.input)}</NumberCell>
          <NumberCell>{formatCount(totals.cacheRead)}</NumberCell>
          <NumberCell>{formatCacheWrites(totals.cacheCreation, totals.cacheRead)}</NumberCell>
          <NumberCell>{formatCount(totals.output)}</NumberCell>
          <NumberCell tone="strong">{totals.unpricedCalls === totals.calls ? '–' : cost(totals.cost)}</NumberCell>
          <ShareCell share={total === 0 ? null : totals.cost / total} color={modelColor(model)} />
        </DataRow>
      ))}
    </DataTable>
  )
}

function ModelName({ model, totals }: { model: string; totals: CostTotals }) {
  return (
    <span className="flex items-center gap-2.5">
      <span className="size-3 shrink-0 rounded-[0.25rem]" style={{ background: modelColor(model) }} aria-hidden />
      <span className="font-medium" title={model}>
        {modelName(model)}
      </span>
      {totals.unpricedCalls > 0 && (
        <Badge tone="warn" title={`${plural(totals.unpricedCalls, 'call')}: this model is not in the price table`}>
          unpriced
        </Badge>
      )}
      {totals.lowerBoundCalls > 0 && (
        <Badge
          title={`${plural(totals.lowerBoundCalls, 'call')} known from transcripts only; the actual cost is at least this`}
        >
          lower bound
        </Badge>
      )}
    </span>
  )
}

function ShareCell({ share, color }: { share: number | null; color: string }) {
  return (
    <td className="py-2 pl-6" aria-label={`Share ${formatShare(share)}`}>
      <span className="flex h-5 items-center gap-2.5">
        <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover" aria-hidden>
          <span className="block h-full rounded-full" style={{ width: `${(share ?? 0) * 100}%`, background: color }} />
        </span>
        <span className="w-12 text-right text-soft">{formatShare(share)}</span>
      </span>
    </td>
  )
}
