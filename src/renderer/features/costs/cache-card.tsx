import type { OperationOutput } from '../../../shared/contract/index.ts'
import { type DataColumn, DataRow, DataTable, NumberCell } from '../../components/data-table.tsx'
import { loaded } from '../../components/loaded.tsx'
import { Card } from '../../components/page.tsx'
import { causeLabel } from '../../lib/cache-causes.ts'
import { columnDollars } from '../../lib/axis.ts'
import { formatCost, formatCount, formatShare, plural } from '../../lib/format.ts'
import { sinceStartOf, useOperation } from '../../lib/operation.ts'
import type { Range } from '../../lib/time-range.ts'
import { CacheRequests } from './cache-requests.tsx'

type CacheSummary = OperationOutput<'cache.summary'>

const COLUMNS: readonly DataColumn[] = [
  { name: 'Cause' },
  { name: 'Waste', isNumber: true },
  { name: 'Share', isNumber: true },
  { name: 'Requests', isNumber: true },
  { name: 'Missed tokens', isNumber: true },
]

interface CacheCardProps {
  readonly range: Range
  readonly project: string | undefined
  /** The cause whose requests are listed. */
  readonly cause: string | undefined
  readonly onCause: (cause: string | undefined) => void
}

/** What cache misses cost, by cause. Each cause opens the list of its requests. */
export function CacheCard({ range, project, cause, onCause }: CacheCardProps) {
  const query = useOperation('cache.summary', { project }, { moving: sinceStartOf(range) })
  const { data } = query
  return (
    <Card title="Cache misses" note={data && data.requests > 0 ? summaryNote(data) : 'what they cost, and why'}>
      {loaded({ query, look: 'line' }, (data) => (
        <Causes summary={data} cause={cause} onCause={onCause} />
      ))}
      {cause !== undefined && data && <CacheRequests cause={cause} range={range} project={project} />}
    </Card>
  )
}

/** Says what the misses cost in all, and how much of the money the ledger could judge. */
function summaryNote({ waste_usd: waste, cost_usd: cost, judged_cost_usd: judged }: CacheSummary): string {
  return `${formatCost(waste)} wasted; covers ${formatCost(judged)} of ${formatCost(cost)} spent`
}

interface CausesProps extends Pick<CacheCardProps, 'cause' | 'onCause'> {
  readonly summary: CacheSummary
}

function Causes({ summary, cause, onCause }: CausesProps) {
  const rows = summary.by_cause.filter((row) => row.missed_tokens > 0 || row.waste_usd > 0)
  const cost = columnDollars(rows.map(({ waste_usd: usd }) => usd))
  const unknown = summary.requests - summary.judged
  if (rows.length === 0) return <p className="px-5 pb-4 text-small text-soft">{noMisses(summary)}</p>
  return (
    <>
      <DataTable columns={COLUMNS} minWidth="min-w-[30rem]">
        {rows.map((row) => (
          <DataRow key={row.cause} isLink isSelected={row.cause === cause}>
            <td className="py-2">
              <button
                type="button"
                aria-expanded={row.cause === cause}
                onClick={() => onCause(row.cause === cause ? undefined : row.cause)}
                className="text-left font-medium after:absolute after:inset-0"
              >
                {causeLabel(row.cause)}
              </button>
            </td>
            <NumberCell tone="strong">{cost(row.waste_usd)}</NumberCell>
            <NumberCell>{formatShare(summary.waste_usd === 0 ? null : row.waste_usd / summary.waste_usd)}</NumberCell>
            <NumberCell>{formatCount(row.requests)}</NumberCell>
            <NumberCell>{formatCount(row.missed_tokens)}</NumberCell>
          </DataRow>
        ))}
      </DataTable>
      {(unknown > 0 || summary.unpriced > 0) && (
        <p className="px-5 pb-4 text-meta text-faint">
          {[
            unknown > 0 ? `The cause of ${plural(unknown, 'request')} is unknown.` : '',
            summary.unpriced > 0 ? `${plural(summary.unpriced, 'request')} without a price: waste not counted.` : '',
          ]
            .filter((text) => text !== '')
            .join(' ')}
        </p>
      )}
    </>
  )
}

function noMisses({ requests, judged }: CacheSummary): string {
  if (requests === 0) return 'Cache misses appear after the first answer from the API.'
  if (judged === 0) return 'None of these requests can be judged yet: their request bodies were not recorded.'
  if (requests < 2) return 'Misses appear from the second request of a session on.'
  return 'No cache misses in this range. Every request read all it could.'
}
