import { Area, ComposedChart, Line, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts'
import { timeAxis, valueTicks } from '../lib/axis.ts'
import { formatMoment } from '../lib/format.ts'
import { ChartFrame, chartGrid, ChartNote, type ChartPointProps, pointOf, valueAxis, X_AXIS } from './chart.tsx'

/** A point of the past or of the forecast. */
export interface ForecastPoint {
  /** ms since 1970. */
  readonly at: number
  /** Measured; null in the future. */
  readonly value: number | null
  /** Forecast; null in the past. */
  readonly expected: number | null
  readonly band: readonly [number, number] | null
}

/** Joins a measured curve with the forecast that follows it. */
export function forecastPoints(
  curve: readonly { readonly at: number; readonly value: number }[],
  end: { readonly at: number; readonly value: number; readonly low: number; readonly high: number } | null,
  now: number,
): readonly ForecastPoint[] {
  const past = curve.map(({ at, value }): ForecastPoint => ({ at, value, expected: null, band: null }))
  const last = curve.at(-1)
  if (end === null || last === undefined || end.at <= now) return past
  const { value } = last
  return [
    ...past,
    { at: Math.max(now, last.at), value, expected: value, band: [value, value] },
    { at: end.at, value: null, expected: end.value, band: [end.low, end.high] },
  ]
}

interface ForecastChartProps {
  /** Describes the chart to people who cannot see it. */
  readonly label: string
  readonly points: readonly ForecastPoint[]
  /** The limit, drawn as a line; null: none. */
  readonly limit: number | null
  /** The value stays until the next point, as readings do. */
  readonly isStepped?: boolean
  readonly format: (value: number) => string
  /** Returns the formatter of an axis with these ticks. Default: `format`. */
  readonly axisFormat?: (ticks: readonly number[]) => (value: number) => string
}

/** A curve up to now, followed by a dashed forecast in its band. */
export function ForecastChart({ label, points, limit, isStepped = false, format, axisFormat }: ForecastChartProps) {
  const [from, to] = [points[0]?.at ?? 0, points.at(-1)?.at ?? 1]
  const times = timeAxis(from, to)
  const values = points.flatMap(({ value, band }) => [value ?? 0, band?.[1] ?? 0])
  const ticks = valueTicks(Math.max(limit ?? 0, ...values))
  const formatTick = axisFormat?.(ticks) ?? format
  return (
    <ChartFrame label={label} height="h-44">
      <ComposedChart data={[...points]} margin={{ top: 8, right: 28, bottom: 0, left: 0 }} accessibilityLayer={false}>
        {chartGrid}
        <XAxis
          {...X_AXIS}
          dataKey="at"
          type="number"
          scale="time"
          domain={[from, to]}
          ticks={[...times.ticks]}
          tickFormatter={times.format}
          minTickGap={16}
        />
        <YAxis {...valueAxis(ticks, formatTick)} />
        <Tooltip isAnimationActive={false} content={<PointNote format={format} />} />
        {limit !== null && <ReferenceLine y={limit} stroke="var(--bad)" strokeDasharray="2 4" />}
        <Area dataKey="band" stroke="none" fill="var(--accent)" fillOpacity={0.16} isAnimationActive={false} />
        <Line
          dataKey="value"
          type={isStepped ? 'stepAfter' : 'linear'}
          stroke="var(--accent)"
          strokeWidth={2}
          dot={false}
          isAnimationActive={false}
        />
        <Line
          dataKey="expected"
          stroke="var(--accent)"
          strokeWidth={2}
          strokeDasharray="5 4"
          dot={false}
          isAnimationActive={false}
        />
      </ComposedChart>
    </ChartFrame>
  )
}

function PointNote({ format, ...pointer }: ChartPointProps<ForecastPoint> & { format: (value: number) => string }) {
  const point = pointOf(pointer)
  if (point === null) return null
  const { at, value, expected, band } = point
  return (
    <ChartNote>
      <p className="text-soft">{formatMoment(new Date(at).toISOString())}</p>
      <p className="font-medium">{value === null ? `${format(expected ?? 0)} expected` : format(value)}</p>
      {value === null && band !== null && (
        <p className="text-faint">
          {format(band[0])} to {format(band[1])}
        </p>
      )}
    </ChartNote>
  )
}
