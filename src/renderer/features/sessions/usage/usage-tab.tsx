import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Hash } from 'lucide-react'
import {
  Area,
  AreaChart,
  Bar,
  BarChart,
  CartesianGrid,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { Card, PageBody } from '../../../components/page.tsx'
import { Empty, Failed, LoadingRows } from '../../../components/states.tsx'
import { formatCost, formatCount, formatMoment, plural } from '../../../lib/format.ts'
import { usageQuery } from '../queries.ts'
import { ReconcileCard } from './reconcile-card.tsx'
import { WorkCards } from './work-cards.tsx'
import { type TurnBar, turnBars } from './turn-bars.ts'

type Usage = OperationOutput<'sessions.usage'>

interface NumbersTabProps {
  readonly sessionId: string
  readonly onTurn: (turn: number) => void
}

const MARK_WORD = { value: 'compacted', position: 'top', fontSize: '0.75rem', fill: 'var(--k-compaction)' } as const
/** More of them would write over each other; the line's color and the note above say what they are. */
const MAX_MARK_WORDS = 8
const MAX_LINKS = 12

const AXIS = { fontSize: '0.8rem', fill: 'var(--faint)' }

/** What each turn cost, how full the context was, who worked, who saw what: all asked at once, each shown as it comes. */
export function NumbersTab({ sessionId, onTurn }: NumbersTabProps) {
  return (
    <section aria-label="Numbers" className="flex min-w-0 flex-1 flex-col pt-5">
      <PageBody>
        <UsageCards sessionId={sessionId} onTurn={onTurn} />
        <WorkCards sessionId={sessionId} />
        <ReconcileCard sessionId={sessionId} />
      </PageBody>
    </section>
  )
}

function UsageCards({ sessionId, onTurn }: NumbersTabProps) {
  const { data, error, refetch } = useQuery(usageQuery(sessionId))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  if (!data) return <LoadingRows rows={10} label="Loading the numbers" />
  if (data.turns.length === 0) {
    return (
      <Empty icon={Hash} title="No usage of this session is known">
        <p>Tokens and cost come with each answer of the API.</p>
      </Empty>
    )
  }
  return (
    <>
      <Card title="Context" note={contextNote(data)}>
        <ContextCurve usage={data} />
        {data.compactions.length > 0 && (
          <p className="flex flex-wrap items-center gap-x-2 gap-y-1 px-5 pb-4 text-small text-soft">
            Compacted:
            {data.compactions.slice(-MAX_LINKS).map(({ uuid, timestamp }) => (
              <Link
                key={uuid}
                to="/sessions/$sessionId"
                params={{ sessionId }}
                search={{ event: uuid }}
                className="text-accent hover:underline"
              >
                {formatMoment(timestamp)}, what was dropped
              </Link>
            ))}
          </p>
        )}
      </Card>
      <Card title="Cost by turn" note="API list price; choose a turn below to see its timeline">
        <TurnCosts turns={data.turns} />
      </Card>
      <Card title="Turns">
        <TurnTable turns={data.turns} onTurn={onTurn} />
      </Card>
    </>
  )
}

function contextNote({ context, compactions }: Usage): string {
  const most = Math.max(0, ...context.map((point) => point.context_tokens))
  const compacted = compactions.length === 0 ? '' : `, ${plural(compactions.length, 'compaction')}`
  return `tokens sent with each call of the main agent; at most ${formatCount(most)}${compacted}`
}

function ContextCurve({ usage }: { usage: Usage }) {
  const points = usage.context.map((point, at) => ({ ...point, at }))
  const marks = usage.compactions.map((compaction) => {
    const after = points.findIndex((point) => point.timestamp >= compaction.timestamp)
    return { uuid: compaction.uuid, at: after < 0 ? points.length - 1 : after }
  })
  return (
    <div className="h-64 pr-5 pb-3 pl-2" role="img" aria-label={`Context over the session: ${contextNote(usage)}`}>
      <ResponsiveContainer width="100%" height="100%">
        <AreaChart data={points} margin={{ top: 18, right: 8, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="at"
            type="number"
            domain={[0, Math.max(1, points.length - 1)]}
            tickFormatter={(at: number) => formatMoment(points[Math.round(at)]?.timestamp)}
            tick={AXIS}
            tickLine={false}
            axisLine={{ stroke: 'var(--line-strong)' }}
            minTickGap={60}
            tickMargin={6}
          />
          <YAxis
            tickFormatter={(tokens: number) => formatCount(tokens)}
            tick={AXIS}
            tickLine={false}
            axisLine={false}
            width={56}
          />
          <Tooltip isAnimationActive={false} content={<PointNote />} />
          {marks.map((mark) => (
            <ReferenceLine
              key={mark.uuid}
              x={mark.at}
              stroke="var(--k-compaction)"
              strokeDasharray="4 3"
              {...(marks.length > MAX_MARK_WORDS ? {} : { label: MARK_WORD })}
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
      </ResponsiveContainer>
    </div>
  )
}

interface NoteProps<Point> {
  /** Given by the chart: whether it points at something, and at what. */
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: Point }[]
}

const NOTE = 'rounded-small border border-line-strong bg-surface px-3 py-2 text-meta shadow-float'

function PointNote({ active, payload }: NoteProps<Usage['context'][number]>) {
  const point = payload?.[0]?.payload
  if (active !== true || !point) return null
  return (
    <div className={NOTE}>
      <p className="font-medium">{formatCount(point.context_tokens)} tokens</p>
      <p className="text-soft">
        turn {point.turn_id}, {formatMoment(point.timestamp)}
      </p>
    </div>
  )
}

function TurnCosts({ turns }: { turns: Usage['turns'] }) {
  const bars = turnBars(turns)
  const dearest = turns.reduce((best, turn) => ((turn.cost_usd ?? 0) > (best.cost_usd ?? 0) ? turn : best))
  return (
    <div
      className="h-56 pr-5 pb-3 pl-2"
      role="img"
      aria-label={`Cost by turn; the dearest is turn ${dearest.turn_id} with ${formatCost(dearest.cost_usd)}`}
    >
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={[...bars]} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="name"
            tick={AXIS}
            tickLine={false}
            axisLine={{ stroke: 'var(--line-strong)' }}
            minTickGap={16}
            tickMargin={6}
          />
          <YAxis
            tickFormatter={(cost: number) => formatCost(cost)}
            tick={AXIS}
            tickLine={false}
            axisLine={false}
            width={62}
          />
          <Tooltip cursor={{ fill: 'var(--hover)' }} isAnimationActive={false} content={<TurnNote />} />
          <Bar dataKey="cost_usd" fill="var(--chart-1)" maxBarSize={40} isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  )
}

function TurnNote({ active, payload }: NoteProps<TurnBar>) {
  const turn = payload?.[0]?.payload
  if (active !== true || !turn) return null
  return (
    <div className={NOTE}>
      <p className="font-medium">
        {turn.turns === 1 ? 'Turn' : 'Turns'} {turn.name}: {formatCost(turn.cost_usd)}
      </p>
      <p className="text-soft">
        {formatCount(turn.tokens)} tokens in {plural(turn.calls, 'call')}
      </p>
    </div>
  )
}

const HEADS = ['Calls', 'Tokens', 'Written', 'Cost'] as const

function TurnTable({ turns, onTurn }: { turns: Usage['turns'] } & Pick<NumbersTabProps, 'onTurn'>) {
  const byCost = [...turns].sort((one, other) => (other.cost_usd ?? 0) - (one.cost_usd ?? 0)).slice(0, 50)
  return (
    <div className="px-5 pb-3">
      <table className="w-full text-small">
        <thead>
          <tr className="label border-b text-left">
            <th className="py-2 font-medium">Turn, the dearest first</th>
            <th className="py-2 pl-4 font-medium">Began</th>
            {HEADS.map((head) => (
              <th key={head} className="py-2 pl-4 text-right font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {byCost.map((turn) => (
            <tr key={turn.turn_id} className="relative border-b last:border-0 hover:bg-hover">
              <td className="py-2">
                <button
                  type="button"
                  onClick={() => onTurn(turn.turn_id)}
                  className="font-medium after:absolute after:inset-0"
                >
                  Turn {turn.turn_id}
                </button>
              </td>
              <td className="py-2 pl-4 text-soft">{formatMoment(turn.started_at)}</td>
              <td className="py-2 pl-4 text-right text-soft">{formatCount(turn.calls)}</td>
              <td className="py-2 pl-4 text-right text-soft">{formatCount(turn.tokens)}</td>
              <td className="py-2 pl-4 text-right text-soft">{formatCount(turn.output_tokens)}</td>
              <td className="py-2 pl-4 text-right font-semibold">
                {formatCost(turn.cost_usd)}
                {turn.unpriced_calls > 0 && turn.cost_usd !== null && <span className="text-warn"> +?</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {turns.length > byCost.length && (
        <p className="pt-2 text-meta text-faint">
          The {byCost.length} dearest of {formatCount(turns.length)} turns.
        </p>
      )}
    </div>
  )
}
