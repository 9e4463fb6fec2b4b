import { Area, AreaChart, ReferenceLine, Tooltip, XAxis, YAxis } from 'recharts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import {
  ChartFrame,
  chartGrid,
  ChartNote,
  type ChartPointProps,
  pointOf,
  X_AXIS,
  Y_AXIS,
} from '../../../components/chart.tsx'
import { formatCount, formatMoment, formatShare, plural } from '../../../lib/format.ts'

type Usage = OperationOutput<'sessions.usage'>

const MARK_LABEL = { value: 'compacted', position: 'top', fontSize: '0.75rem', fill: 'var(--k-compaction)' } as const
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
  return `total input tokens of each main-agent call; peak ${peak}${compacted}`
}

/** Formats how full the context is; empty if the window is unknown. */
function shareOfWindow({ context_tokens: tokens, context_window: window }: Usage['context'][number]): string {
  return window === null ? '' : ` (${formatShare(tokens / window)} of ${formatCount(window)})`
}

/** Size of the main agent's context over a session, with a line at each compaction. */
export function ContextChart({ usage }: { usage: Usage }) {
  const points = usage.context.map((point, at) => ({ ...point, at }))
  const marks = usage.compactions.map((compaction) => {
    const after = points.findIndex((point) => point.timestamp >= compaction.timestamp)
    return { uuid: compaction.uuid, at: after < 0 ? points.length - 1 : after }
  })
  return (
    <ChartFrame height="h-64" label={`Context over the session: ${contextNote(usage)}`}>
      <AreaChart data={points} margin={{ top: 18, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
        {chartGrid}
        <XAxis
          {...X_AXIS}
          dataKey="at"
          type="number"
          domain={[0, Math.max(1, points.length - 1)]}
          tickFormatter={(at: number) => formatMoment(points[Math.round(at)]?.timestamp)}
          minTickGap={60}
        />
        <YAxis {...Y_AXIS} tickFormatter={(tokens: number) => formatCount(tokens)} width={56} />
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

function PointNote(props: ChartPointProps<Usage['context'][number]>) {
  const point = pointOf(props)
  return (
    point && (
      <ChartNote>
        <p className="font-medium">
          {formatCount(point.context_tokens)} tokens{shareOfWindow(point)}
        </p>
        <p className="text-soft">
          turn {point.turn_id}, {formatMoment(point.timestamp)}
        </p>
      </ChartNote>
    )
  )
}
