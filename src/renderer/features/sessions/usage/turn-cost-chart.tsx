import { Bar, BarChart, Tooltip, XAxis, YAxis } from 'recharts'
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
import { axisDollars, niceStep, valueTicks } from '../../../lib/axis.ts'
import { formatCost, formatCount, plural } from '../../../lib/format.ts'
import { type TurnBar, turnBars } from './turn-bars.ts'

const MAX_LABELS = 16

/** Cost of each turn, or of groups of turns in a long session. */
export function TurnCostChart({ turns }: { turns: OperationOutput<'sessions.usage'>['turns'] }) {
  const bars = turnBars(turns)
  const ticks = valueTicks(Math.max(...bars.map(({ cost_usd: cost }) => cost)))
  const format = axisDollars(ticks)
  const every = niceStep(Math.max(1, bars.length / MAX_LABELS))
  const shown = bars.filter((_, at) => at % every === 0).map(({ first }) => first)
  const top = turns.reduce((best, turn) => ((turn.cost_usd ?? 0) > (best.cost_usd ?? 0) ? turn : best))
  return (
    <ChartFrame
      height="h-56"
      label={`Cost by turn; the most expensive is turn ${top.turn_id} at ${formatCost(top.cost_usd)}`}
    >
      <BarChart data={[...bars]} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
        {chartGrid}
        <XAxis {...X_AXIS} dataKey="first" ticks={shown} tickFormatter={String} interval={0} />
        <YAxis {...valueAxis(ticks, format)} />
        <Tooltip cursor={{ fill: 'var(--hover)' }} isAnimationActive={false} content={<TurnNote />} />
        <Bar dataKey="cost_usd" fill="var(--chart-1)" maxBarSize={40} isAnimationActive={false} />
      </BarChart>
    </ChartFrame>
  )
}

function TurnNote(props: ChartPointProps<TurnBar>) {
  const bar = pointOf(props)
  return (
    bar && (
      <ChartNote>
        <p className="font-medium">
          {bar.turns === 1 ? 'Turn' : 'Turns'} {bar.name}: {formatCost(bar.cost_usd)}
        </p>
        <p className="text-soft">
          {formatCount(bar.tokens)} tokens in {plural(bar.calls, 'request')}
        </p>
      </ChartNote>
    )
  )
}
