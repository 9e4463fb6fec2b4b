import { modelCostsTable } from '../../../shared/columns/costs.ts'
import { Badge } from '../../components/badge.tsx'
import { Table } from '../../components/table.tsx'
import { formatShare, plural } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import { modelColor } from '../../lib/model-color.ts'
import type { CostTotals } from './cost-buckets.ts'

interface ModelTableProps {
  readonly models: readonly { readonly model: string; readonly totals: CostTotals }[]
  readonly total: number
}

/** Tokens and cost of each model. */
export function ModelTable({ models, total }: ModelTableProps) {
  return (
    <Table
      columns={modelCostsTable}
      rows={models.map(({ model, totals }) => ({ model, ...totals, share: total === 0 ? null : totals.cost / total }))}
      keyOf={(row) => row.model}
      minWidth="min-w-[46rem]"
      cells={{
        model: (row) => <ModelName model={row.model} totals={row} />,
        share: (row) => <ShareBar share={row.share} color={modelColor(row.model)} />,
      }}
    />
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
        <Badge tone="warn" title={`${plural(totals.unpricedCalls, 'request')}: this model is not in the price table`}>
          unpriced
        </Badge>
      )}
      {totals.lowerBoundCalls > 0 && (
        <Badge
          title={`${plural(totals.lowerBoundCalls, 'request')} known from transcripts only; the actual cost is at least this`}
        >
          lower bound
        </Badge>
      )}
    </span>
  )
}

function ShareBar({ share, color }: { share: number | null; color: string }) {
  return (
    <span className="flex h-5 min-w-28 items-center gap-2.5 pl-2" role="img" aria-label={`Share ${formatShare(share)}`}>
      <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover" aria-hidden>
        <span className="block h-full rounded-full" style={{ width: `${(share ?? 0) * 100}%`, background: color }} />
      </span>
      <span className="w-12 text-right">{formatShare(share)}</span>
    </span>
  )
}
