import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { bucketCostsTable } from '../../../shared/columns/costs.ts'
import { Toggle } from '../../components/button.tsx'
import { Card } from '../../components/page.tsx'
import { Table } from '../../components/table.tsx'
import { formatCost } from '../../lib/format.ts'
import { history } from '../../lib/history.ts'
import { bucketLabel } from './bucket-label.ts'
import { bucketBounds, type BucketUnit, clipHeight, type CostColumn, costColumns, withBefore } from './cost-buckets.ts'
import { CostChart, ModelLegend } from './cost-chart.tsx'
import { COST_FILTERS, COSTS_PRESET } from './costs-search.ts'
import { type Costs, costsBeforeQuery, costsZone } from './queries.ts'

const route = getRouteApi('/costs')

interface CostCardProps {
  readonly costs: Costs
  readonly models: readonly string[]
}

/** Cost over time as a chart or a table. Each column leads to the sessions that were active then. */
export function CostCard({ costs: { items, keys, unit }, models }: CostCardProps) {
  const search = route.useSearch()
  const { range = COSTS_PRESET, project, clip, compare, table } = search
  const navigate = route.useNavigate()
  const canCompare = range !== 'all'
  const before = useQuery({
    ...costsBeforeQuery(range, COST_FILTERS.of(search)),
    enabled: canCompare && compare === 'yes',
  }).data
  const columns = useMemo(() => {
    const own = costColumns(items, keys, unit)
    return before === undefined || compare === undefined
      ? own
      : withBefore(own, costColumns(before.items, before.keys, before.unit))
  }, [items, keys, unit, before, compare])
  const cut = clipHeight(columns)
  const above = cut === null || clip === undefined ? [] : columns.filter(({ total }) => total > cut)
  const toggle = (name: 'clip' | 'compare' | 'table') =>
    void navigate({
      search: (now) => ({ ...now, [name]: now[name] === 'yes' ? undefined : 'yes' }),
      replace: true,
      resetScroll: false,
    })
  return (
    <Card
      title={`Cost by ${unit}`}
      {...(history === 'team' ? { note: 'Days are those of UTC' } : {})}
      actions={
        <div className="flex flex-wrap items-center gap-2">
          <ModelLegend models={models} />
          <span className="flex gap-1.5">
            {cut !== null && (
              <Toggle on={clip === 'yes'} title="Cut off columns far above the others" onClick={() => toggle('clip')}>
                Clip outliers
              </Toggle>
            )}
            {canCompare && (
              <Toggle
                on={compare === 'yes'}
                title="Show the previous period as a line"
                onClick={() => toggle('compare')}
              >
                Compare
              </Toggle>
            )}
            <Toggle on={table === 'yes'} onClick={() => toggle('table')}>
              Table
            </Toggle>
          </span>
        </div>
      }
    >
      {table === 'yes' ? (
        <BucketTable columns={columns} unit={unit} project={project} />
      ) : (
        <CostChart
          columns={columns}
          models={models}
          unit={unit}
          clip={clip === 'yes' ? cut : null}
          onBucket={(bucket) => void navigate({ to: '/sessions', search: sessionsOf(bucket, unit, project) })}
        />
      )}
      {above.length > 0 && table === undefined && (
        <p className="px-5 pb-3 text-meta text-faint">
          Cut off: {above.map(({ bucket, total }) => `${bucketLabel(bucket, unit)} ${formatCost(total)}`).join(', ')}
        </p>
      )}
    </Card>
  )
}

/** The address of the sessions that were active in a bucket, most expensive first. */
function sessionsOf(bucket: string, unit: BucketUnit, project: string | undefined) {
  const { from, to } = bucketBounds(bucket, unit, costsZone())
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString(), project, sort: 'cost' as const }
}

interface BucketTableProps {
  readonly columns: readonly CostColumn[]
  readonly unit: BucketUnit
  readonly project: string | undefined
}

const UNITS: Readonly<Record<BucketUnit, string>> = { hour: 'Hour', day: 'Day', month: 'Month' }

function BucketTable({ columns, unit, project }: BucketTableProps) {
  const rows = columns
    .filter(({ total, tokens, before }) => total > 0 || tokens > 0 || (before ?? 0) > 0)
    .map((column) => ({ ...column, name: bucketLabel(column.bucket, unit, true) }))
    .toReversed()
  return (
    <Table
      columns={bucketCostsTable}
      heads={{ name: UNITS[unit] }}
      rows={rows}
      keyOf={(row) => row.bucket}
      isLink
      cells={{
        name: (row, text) => (
          <Link
            to="/sessions"
            search={sessionsOf(row.bucket, unit, project)}
            title="See the sessions"
            className="font-medium after:absolute after:inset-0"
          >
            {text}
          </Link>
        ),
      }}
    />
  )
}
