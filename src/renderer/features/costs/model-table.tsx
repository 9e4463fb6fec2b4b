import { Badge } from '../../components/badge.tsx'
import { formatCost, formatCount, formatShare, modelName } from '../../lib/format.ts'
import type { CostTotals } from './cost-buckets.ts'
import { modelColor } from './cost-chart.tsx'

interface ModelTableProps {
  readonly models: readonly { readonly model: string; readonly totals: CostTotals }[]
  readonly total: number
}

const HEADS = ['Calls', 'Sent', 'Cache written', 'Cache read', 'Written'] as const

/** What each model cost, and of what. */
export function ModelTable({ models, total }: ModelTableProps) {
  return (
    <div className="overflow-x-auto px-5 pb-3">
      <table className="w-full min-w-[46rem] text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Model</th>
            {HEADS.map((head) => (
              <th key={head} className="py-2 pl-4 text-right font-medium">
                {head}
              </th>
            ))}
            <th className="py-2 pl-4 text-right font-medium">Cost</th>
            <th className="w-[22%] py-2 pl-6 font-medium">Share</th>
          </tr>
        </thead>
        <tbody>
          {models.map(({ model, totals }, index) => (
            <tr key={model} className="border-b last:border-0">
              <td className="py-2.5">
                <span className="flex items-center gap-2.5">
                  <span
                    className="size-3 shrink-0 rounded-[0.25rem]"
                    style={{ background: modelColor(index) }}
                    aria-hidden
                  />
                  <span className="font-medium" title={model}>
                    {modelName(model)}
                  </span>
                  {totals.unpricedCalls > 0 && (
                    <Badge tone="warn" title={`${totals.unpricedCalls} calls: this model is not in the price table`}>
                      unpriced
                    </Badge>
                  )}
                  {totals.lowerBoundCalls > 0 && (
                    <Badge
                      title={`${totals.lowerBoundCalls} calls known from transcripts only: they cost at least this`}
                    >
                      lower bound
                    </Badge>
                  )}
                </span>
              </td>
              {[totals.calls, totals.input, totals.cacheCreation, totals.cacheRead, totals.output].map(
                (count, column) => (
                  <td key={HEADS[column]} className="py-2.5 pl-4 text-right text-soft">
                    {formatCount(count)}
                  </td>
                ),
              )}
              <td className="py-2.5 pl-4 text-right font-semibold">
                {totals.unpricedCalls === totals.calls ? '–' : formatCost(totals.cost)}
              </td>
              <td className="py-2.5 pl-6" aria-label={`Share ${formatShare(total === 0 ? null : totals.cost / total)}`}>
                <span className="flex items-center gap-2.5">
                  <span className="h-1.5 flex-1 overflow-hidden rounded-full bg-hover" aria-hidden>
                    <span
                      className="block h-full rounded-full"
                      style={{
                        width: `${total === 0 ? 0 : (totals.cost / total) * 100}%`,
                        background: modelColor(index),
                      }}
                    />
                  </span>
                  <span className="w-12 text-right text-soft">
                    {formatShare(total === 0 ? null : totals.cost / total)}
                  </span>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
