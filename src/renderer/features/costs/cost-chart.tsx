import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis, ResponsiveContainer } from 'recharts'
import { formatCost, formatCount, modelName } from '../../lib/format.ts'
import type { BucketUnit, CostColumn } from './cost-buckets.ts'

const SERIES = 6

/** The colour of the n-th dearest model; those past the fifth share the last. */
export function modelColor(index: number): string {
  return `var(--chart-${Math.min(index, SERIES - 1) + 1})`
}

interface CostChartProps {
  readonly columns: readonly CostColumn[]
  /** Dearest first: the order of the stack, and of the colours. */
  readonly models: readonly string[]
  readonly unit: BucketUnit
}

/** Cost over time, a column a bucket, stacked by model. */
export function CostChart({ columns, models, unit }: CostChartProps) {
  const axis = { fontSize: '0.8rem', fill: 'var(--faint)' }
  return (
    <div className="h-[clamp(15rem,34vh,28rem)] pr-5 pb-3 pl-2" role="img" aria-label={described(columns, unit)}>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart
          data={[...columns]}
          margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
          barCategoryGap="18%"
          accessibilityLayer={false}
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="bucket"
            tickFormatter={(bucket: string) => bucketLabel(bucket, unit)}
            tick={axis}
            tickLine={false}
            axisLine={{ stroke: 'var(--line-strong)' }}
            minTickGap={28}
            tickMargin={6}
          />
          <YAxis
            tickFormatter={(cost: number) => axisCost(cost)}
            tick={axis}
            tickLine={false}
            axisLine={false}
            width={56}
          />
          <Tooltip
            cursor={{ fill: 'var(--hover)' }}
            isAnimationActive={false}
            content={<ColumnNote models={models} unit={unit} />}
          />
          {models.map((model, index) => (
            <Bar
              key={model}
              dataKey={(column: CostColumn) => column.cost[model] ?? 0}
              name={model}
              stackId="cost"
              fill={modelColor(index)}
              maxBarSize={44}
              isAnimationActive={false}
            />
          ))}
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

/** Which colour is which model; those past the fifth share one. */
export function ModelLegend({ models }: { models: readonly string[] }) {
  const others = models.length - SERIES
  return (
    <ul aria-label="Models" className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-soft">
      {models.slice(0, SERIES).map((model, index) => (
        <li key={model} className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-[0.2rem]" style={{ background: modelColor(index) }} aria-hidden />
          {modelName(model)}
          {index === SERIES - 1 && others > 0 && ` and ${others} more`}
        </li>
      ))}
    </ul>
  )
}

interface ColumnNoteProps {
  readonly models: readonly string[]
  readonly unit: BucketUnit
  /** Given by the chart: whether it points at a column, and which. */
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: CostColumn }[]
}

function ColumnNote({ models, unit, active, payload }: ColumnNoteProps) {
  const column = payload?.[0]?.payload
  if (active !== true || !column) return null
  return (
    <div className="min-w-48 rounded-small border border-line-strong bg-surface px-3 py-2 text-meta shadow-float">
      <p className="mb-1 font-medium">{bucketLabel(column.bucket, unit, true)}</p>
      {models.map((model, index) => {
        const cost = column.cost[model]
        return (
          cost !== undefined && (
            <p key={model} className="flex items-center gap-2 text-soft">
              <span className="size-2.5 rounded-[0.2rem]" style={{ background: modelColor(index) }} />
              {modelName(model)}
              <span className="ml-auto pl-4 text-ink">{formatCost(cost)}</span>
            </p>
          )
        )
      })}
      <p className="mt-1 flex justify-between gap-4 border-t pt-1">
        <span className="text-soft">{formatCount(column.tokens)} tokens</span>
        <span className="font-semibold">{formatCost(column.total)}</span>
      </p>
    </div>
  )
}

/** A bucket as people say it; the date is the viewer's already, so it is read as UTC. */
function bucketLabel(bucket: string, unit: BucketUnit, long = false): string {
  if (unit === 'hour') return `${long ? `${bucket.slice(0, 10)} ` : ''}${bucket.slice(11, 13)}:00`
  const date = new Date(unit === 'month' ? `${bucket}-01T00:00:00Z` : `${bucket}T00:00:00Z`)
  const parts: Intl.DateTimeFormatOptions =
    unit === 'month'
      ? { month: long ? 'long' : 'short', year: 'numeric' }
      : { day: 'numeric', month: 'short', ...(long ? { weekday: 'long' } : {}) }
  return date.toLocaleDateString('en-GB', { ...parts, timeZone: 'UTC' })
}

function axisCost(cost: number): string {
  return cost === 0 ? '$0' : cost < 10 ? `$${Number(cost.toPrecision(2))}` : `$${formatCount(cost)}`
}

function described(columns: readonly CostColumn[], unit: BucketUnit): string {
  const dearest = columns.reduce<CostColumn | null>(
    (best, column) => (best === null || column.total > best.total ? column : best),
    null,
  )
  return dearest === null
    ? 'No costs'
    : `Cost by ${unit}; the dearest is ${bucketLabel(dearest.bucket, unit, true)} with ${formatCost(dearest.total)}`
}
