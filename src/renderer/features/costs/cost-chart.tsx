import { Bar, ComposedChart, Line, Tooltip, XAxis, YAxis } from 'recharts'
import {
  ChartFrame,
  chartGrid,
  ChartNote,
  type ChartPointProps,
  pointOf,
  X_AXIS,
  valueAxis,
} from '../../components/chart.tsx'
import { axisDollars, columnDollars, valueTicks } from '../../lib/axis.ts'
import { formatCost, formatCount } from '../../lib/format.ts'
import { modelName } from '../../../shared/vendors.ts'
import { modelColor } from '../../lib/model-color.ts'
import { bucketLabel } from './bucket-label.ts'
import type { BucketUnit, CostColumn } from './cost-buckets.ts'

/** Models that the legend names. */
const NAMED = 6

interface CostChartProps {
  readonly columns: readonly CostColumn[]
  /** Most expensive first; the order of the stack. */
  readonly models: readonly string[]
  readonly unit: BucketUnit
  /** Columns are cut off here; null: none. */
  readonly clip: number | null
  readonly onBucket: (bucket: string) => void
}

/** Cost over time, with one column per bucket, stacked by model. A click on a column leads to its sessions. */
export function CostChart({ columns, models, unit, clip, onBucket }: CostChartProps) {
  const highest = Math.max(0, ...columns.map(({ total, before }) => Math.max(total, before ?? 0)))
  const ticks = valueTicks(clip ?? highest)
  const format = axisDollars(ticks)
  return (
    <ChartFrame height="h-[clamp(15rem,34vh,28rem)]" label={describeChart(columns, unit)}>
      <ComposedChart
        data={[...columns]}
        margin={{ top: 8, right: 0, bottom: 0, left: 0 }}
        barCategoryGap="18%"
        accessibilityLayer={false}
        className="cursor-pointer"
        onClick={({ activeLabel }) => typeof activeLabel === 'string' && onBucket(activeLabel)}
      >
        {chartGrid}
        <XAxis
          {...X_AXIS}
          dataKey="bucket"
          tickFormatter={(bucket: string) => bucketLabel(bucket, unit)}
          minTickGap={28}
          interval="equidistantPreserveStart"
        />
        <YAxis {...valueAxis(ticks, format)} allowDataOverflow />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          isAnimationActive={false}
          content={<ColumnNote models={models} unit={unit} />}
        />
        {models.map((model) => (
          <Bar
            key={model}
            dataKey={(column: CostColumn) => column.cost[model] ?? 0}
            name={model}
            stackId="cost"
            fill={modelColor(model)}
            maxBarSize={44}
            isAnimationActive={false}
            // The chart's own click handler identifies a column only some frames after the pointer reached it.
            onClick={(_, index, event) => {
              event.stopPropagation()
              onBucket(columns[index]?.bucket ?? '')
            }}
          />
        ))}
        {columns.some(({ before }) => before !== null) && (
          <Line
            dataKey="before"
            type="monotone"
            stroke="var(--soft)"
            strokeWidth={1.5}
            strokeDasharray="4 4"
            dot={false}
            isAnimationActive={false}
          />
        )}
      </ComposedChart>
    </ChartFrame>
  )
}

/** Names the color of each model; models beyond the sixth share its entry. */
export function ModelLegend({ models }: { models: readonly string[] }) {
  const others = models.length - NAMED
  return (
    <ul aria-label="Models" className="flex flex-wrap gap-x-4 gap-y-1 text-meta text-soft">
      {models.slice(0, NAMED).map((model, rank) => (
        <li key={model} className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-[0.2rem]" style={{ background: modelColor(model) }} aria-hidden />
          {modelName(model)}
          {rank === NAMED - 1 && others > 0 && ` and ${others} more`}
        </li>
      ))}
    </ul>
  )
}

interface ColumnNoteProps extends ChartPointProps<CostColumn> {
  readonly models: readonly string[]
  readonly unit: BucketUnit
}

function ColumnNote({ models, unit, ...pointer }: ColumnNoteProps) {
  const column = pointOf(pointer)
  if (column === null) return null
  const dollars = columnDollars([...Object.values(column.cost), column.total, column.before])
  return (
    <ChartNote>
      <p className="mb-1 min-w-42 font-medium">{bucketLabel(column.bucket, unit, true)}</p>
      {models.map((model) => {
        const cost = column.cost[model]
        return (
          cost !== undefined && (
            <p key={model} className="flex items-center gap-2 text-soft">
              <span className="size-2.5 rounded-[0.2rem]" style={{ background: modelColor(model) }} />
              {modelName(model)}
              <span className="ml-auto pl-4 text-ink">{dollars(cost)}</span>
            </p>
          )
        )
      })}
      <p className="mt-1 flex justify-between gap-4 border-t pt-1">
        <span className="text-soft">{formatCount(column.tokens)} tokens</span>
        <span className="font-semibold">{dollars(column.total)}</span>
      </p>
      {column.before !== null && (
        <p className="flex justify-between gap-4 text-soft">
          <span>Period before</span>
          <span>{dollars(column.before)}</span>
        </p>
      )}
      <p className="text-faint">Click to see its sessions</p>
    </ChartNote>
  )
}

function describeChart(columns: readonly CostColumn[], unit: BucketUnit): string {
  const top = columns.reduce<CostColumn | null>(
    (best, column) => (best === null || column.total > best.total ? column : best),
    null,
  )
  return top === null
    ? 'No costs'
    : `Cost by ${unit}; the highest is ${bucketLabel(top.bucket, unit, true)} at ${formatCost(top.total)}`
}
