import { Area, AreaChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import {
  ChartFrame,
  chartGrid,
  ChartNote,
  type ChartPointProps,
  pointOf,
  X_AXIS,
  valueAxis,
} from '../../../components/chart.tsx'
import { valueTicks } from '../../../lib/axis.ts'
import { callAfter } from './turn-bars.ts'
import { formatCount, formatMoment, formatShare, plural } from '../../../lib/format.ts'

type Usage = OperationOutput<'sessions.usage'>

const MARK_LABEL = { value: 'compacted', position: 'top', fontSize: '0.75rem', fill: 'var(--k-compaction)' } as const
const WINDOW_LABEL = { position: 'insideTopRight', fontSize: '0.75rem', fill: 'var(--bad)' } as const
/** The window is drawn if the fullest call took at least this share of it: a fifth. */
const WINDOW_SHOWN = 5
/** With more marks the labels overlap; the line's color and the card's note still identify them. */
const MAX_MARK_LABELS = 8

/** Describes the curve: its unit, its peak and its compactions. */
export function contextNote({ context, compactions }: Usage): string {
  const fullest = context.reduce<Usage['context'][number] | null>(
    (most, point) => (point.context_tokens > (most?.context_tokens ?? -1) ? point : most),
    null,
  )
  const peak = `${formatCount(fullest?.context_tokens ?? 0)}${fullest === null ? '' : shareOfWindow(fullest)}`
  const compacted = compactions.length === 0 ? '' : `, ${plural(compactions.length, 'compaction')}`
  return `total input tokens of each request of the main agent; peak ${peak}${compacted}`
}

/** Formats how full the context is; empty if the window is unknown. */
const shareOfWindow = ({ context_tokens: tokens, context_window: window }: Usage['context'][number]): string =>
  window === null ? '' : ` (${formatShare(tokens / window)} of ${formatCount(window)})`

/** Size of the main agent's context over a session, with a line at each compaction. */
export function ContextChart({ usage }: { usage: Usage }) {
  const points = usage.context.map((point, at) => ({ ...point, at: at + 1 }))
  const marks = usage.compactions.map(({ uuid, timestamp }) => ({ uuid, at: callAfter(points, timestamp) }))
  const fullest = Math.max(0, ...points.map(({ context_tokens: tokens }) => tokens))
  // A window many times as large would flatten the curve.
  const windows = [...new Set(points.flatMap(({ context_window: size }) => size ?? []))].filter(
    (size) => size <= fullest * WINDOW_SHOWN,
  )
  const ticks = valueTicks(Math.max(fullest, ...windows))
  return (
    <ChartFrame height="h-64" label={`Context over the session: ${contextNote(usage)}`}>
      <AreaChart
        data={points}
        margin={{ top: 18, right: marks.length === 0 ? 8 : 30, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        {chartGrid}
        <XAxis
          {...X_AXIS}
          dataKey="at"
          type="number"
          domain={[1, Math.max(2, points.length)]}
          ticks={[1, ...valueTicks(points.length, 8).slice(1, -1)]}
          tickFormatter={(call: number) => `request ${formatCount(call)}`}
          minTickGap={24}
        />
        <YAxis {...valueAxis(ticks, formatCount)} />
        {windows.map((size) => (
          <ReferenceLine
            key={size}
            y={size}
            stroke="var(--bad)"
            strokeDasharray="2 4"
            label={{ ...WINDOW_LABEL, value: `window ${formatCount(size)}` }}
          />
        ))}
        <Tooltip isAnimationActive={false} content={<PointNote />} />
        {marks.map((mark) => (
          <ReferenceLine
            key={mark.uuid}
            x={mark.at}
            stroke="var(--k-compaction)"
            strokeDasharray="4 3"
            {...(marks.length > MAX_MARK_LABELS ? {} : { label: MARK_LABEL })}
          />
        ))}
        <Area
          dataKey="context_tokens"
          type="stepAfter"
          stroke="var(--chart-1)"
          fill="var(--chart-1)"
          fillOpacity={0.18}
          isAnimationActive={false}
        />
      </AreaChart>
    </ChartFrame>
  )
}

function PointNote(props: ChartPointProps<Usage['context'][number] & { readonly at: number }>) {
  const point = pointOf(props)
  return (
    point && (
      <ChartNote>
        <p className="font-medium">
          {formatCount(point.context_tokens)} tokens{shareOfWindow(point)}
        </p>
        <p className="text-soft">
          request {formatCount(point.at)} in turn {point.turn_id}, {formatMoment(point.timestamp)}
        </p>
      </ChartNote>
    )
  )
}
