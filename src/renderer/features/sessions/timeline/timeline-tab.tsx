import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useMemo } from 'react'
import type { AnyEvent } from '../../../../shared/event.ts'
import { formatFailures } from '../../../../shared/failures.ts'
import { Button } from '../../../components/button.tsx'
import { CacheMissBadge } from '../../../components/cache-miss-badge.tsx'
import { KIND_LOOKS, KindIcon } from '../../../components/event-kind.tsx'
import { Failed, LoadingRows } from '../../../components/states.tsx'
import { VirtualList } from '../../../components/virtual-list.tsx'
import { formatCost, formatCount, formatDuration, formatExact, plural } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { TURN_EVENTS, turnQuery, usageQuery } from '../queries.ts'
import { useCacheMisses } from '../use-cache-misses.ts'
import { type TimelineItem, type TimelineLane, timelineLanes } from './timeline-lanes.ts'

interface TimelineTabProps {
  readonly sessionId: string
  readonly turn: number
  /** Numbers of the session's turns, in order. */
  readonly turns: readonly number[]
  readonly selected: string | undefined
  readonly onTurn: (turn: number) => void
  readonly onOpen: (uuid: string) => void
}

type Row =
  | { readonly type: 'lane'; readonly lane: TimelineLane; readonly key: string }
  | { readonly type: 'item'; readonly item: TimelineItem; readonly key: string }

/** One turn as a waterfall, with a lane for each agent. */
export function TimelineTab({ sessionId, turn, turns, selected, onTurn, onOpen }: TimelineTabProps) {
  const query = useQuery(turnQuery(sessionId, turn))
  const usage = useQuery(usageQuery(sessionId)).data?.turns.find((one) => one.turn_id === turn)
  const lanes = useMemo(
    () => timelineLanes((query.data?.items ?? []) as readonly unknown[] as readonly AnyEvent[]),
    [query.data],
  )
  const misses = useCacheMisses(sessionId).ofTurn(turn)
  const rows = useMemo<Row[]>(
    () =>
      lanes.flatMap((lane): Row[] => [
        { type: 'lane', lane, key: `lane-${lane.agentId}` },
        ...lane.items.map((item): Row => ({ type: 'item', item, key: item.uuid })),
      ]),
    [lanes],
  )
  const start = Math.min(...lanes.map((lane) => lane.start))
  const end = Math.max(...lanes.map((lane) => lane.end))
  const [first, last] = [turns[0] ?? 1, turns.at(-1) ?? 1]
  const step = (by: number) => {
    const next = by < 0 ? turns.findLast((one) => one < turn) : turns.find((one) => one > turn)
    if (next !== undefined) onTurn(next)
  }
  useHotkeys({ '[': () => step(-1), ']': () => step(1) })
  return (
    <section aria-label="Timeline" className="flex min-w-0 flex-1 flex-col">
      <div className="flex h-11 shrink-0 items-center gap-3 border-b px-5 text-small">
        <Button
          look="ghost"
          size="icon"
          aria-label="Previous turn ([)"
          disabled={turn <= first}
          onClick={() => step(-1)}
        >
          <ChevronLeft className="size-4" aria-hidden />
        </Button>
        <h2 className="font-semibold">
          Turn {turn} <span className="font-normal text-faint">of {last}</span>
        </h2>
        <Button look="ghost" size="icon" aria-label="Next turn (])" disabled={turn >= last} onClick={() => step(1)}>
          <ChevronRight className="size-4" aria-hidden />
        </Button>
        {rows.length > 0 && <span className="text-soft">{formatDuration(end - start)}</span>}
        {usage && (
          <span className="text-soft">
            {formatCount(usage.tokens)} tokens · {formatCost(usage.cost_usd)}
          </span>
        )}
        {usage && usage.api_errors + usage.failed_tools > 0 && (
          <span className="text-bad" title="API errors and failed tool calls of this turn">
            failed: {formatFailures(usage)}
          </span>
        )}
        <CacheMissBadge misses={misses} />
        {lanes.length > 1 && <span className="text-soft">{plural(lanes.length - 1, 'subagent')}</span>}
        {query.data && query.data.next !== null && (
          <span className="text-warn">first {formatCount(TURN_EVENTS)} events only</span>
        )}
      </div>
      {query.error ? (
        <Failed error={query.error} onRetry={() => void query.refetch()} />
      ) : !query.data ? (
        <LoadingRows rows={10} label="Loading the timeline" />
      ) : rows.length === 0 ? (
        <p className="pt-20 text-center text-soft">No timed events in this turn.</p>
      ) : (
        <Waterfall rows={rows} start={start} end={end} selected={selected} onOpen={onOpen} />
      )}
    </section>
  )
}

interface WaterfallProps {
  readonly rows: readonly Row[]
  readonly start: number
  readonly end: number
  readonly selected: string | undefined
  readonly onOpen: (uuid: string) => void
}

const TICKS = 5
const GRID = 'grid grid-cols-[minmax(11rem,26%)_minmax(0,1fr)_4.5rem] items-center gap-x-3'

function Waterfall({ rows, start, end, selected, onOpen }: WaterfallProps) {
  const span = Math.max(1, end - start)
  return (
    <>
      <TimeAxis span={span} />
      <VirtualList
        label="Waterfall"
        items={rows}
        keyOf={(row) => row.key}
        estimate={(row) => (row.type === 'lane' ? 38 : 28)}
        isFixed
        overscan={10}
        className="min-h-0 flex-1 px-5 pb-8"
      >
        {(row) =>
          row.type === 'lane' ? (
            <LaneRow lane={row.lane} start={start} span={span} />
          ) : (
            <ItemRow item={row.item} start={start} span={span} selected={selected === row.item.uuid} onOpen={onOpen} />
          )
        }
      </VirtualList>
    </>
  )
}

function TimeAxis({ span }: { span: number }) {
  return (
    <div className={`${GRID} h-8 shrink-0 border-b px-5 text-micro text-faint`} aria-hidden>
      <span />
      <span className="relative h-full">
        {Array.from({ length: TICKS }, (_, tick) => (
          <span
            key={tick}
            className={`absolute top-2 whitespace-nowrap ${tick === TICKS - 1 ? '-translate-x-full' : tick === 0 ? '' : '-translate-x-1/2'}`}
            style={{ left: `${(tick / (TICKS - 1)) * 100}%` }}
          >
            {formatDuration((span * tick) / (TICKS - 1))}
          </span>
        ))}
      </span>
      <span className="text-right">duration</span>
    </div>
  )
}

function LaneRow({ lane, start, span }: { lane: TimelineLane; start: number; span: number }) {
  return (
    <div className={`${GRID} h-full border-b pt-2`}>
      <h3 className="truncate text-small font-semibold">
        {lane.name}
        <span className="ml-2 font-normal text-faint">{plural(lane.items.length, 'step')}</span>
      </h3>
      <span className="relative h-1.5">
        <Bar from={lane.start - start} to={lane.end - start} span={span} className="bg-line-strong" />
      </span>
      <span className="text-right text-meta text-faint">{formatDuration(lane.end - lane.start)}</span>
    </div>
  )
}

interface ItemRowProps {
  readonly item: TimelineItem
  readonly start: number
  readonly span: number
  readonly selected: boolean
  readonly onOpen: (uuid: string) => void
}

function ItemRow({ item, start, span, selected, onOpen }: ItemRowProps) {
  const took = item.end - item.start
  return (
    <button
      type="button"
      onClick={() => onOpen(item.uuid)}
      aria-current={selected ? 'true' : undefined}
      title={`${KIND_LOOKS[item.kind].label}, ${formatExact(new Date(item.start).toISOString())}`}
      className={`${GRID} h-full w-full rounded-small text-left text-meta hover:bg-hover ${selected ? 'bg-accent-soft' : ''}`}
    >
      <span className="flex min-w-0 items-center gap-2 pl-2">
        <KindIcon kind={item.kind} className="size-3.5" />
        <span className={`min-w-0 truncate ${item.failed ? 'text-bad' : ''}`}>{item.label}</span>
      </span>
      <span className={`relative h-3.5 ${item.failed ? 'text-bad' : KIND_LOOKS[item.kind].color}`}>
        <Bar from={item.start - start} to={item.end - start} span={span} className="bg-current" />
      </span>
      <span className={`text-right ${item.failed ? 'text-bad' : 'text-faint'}`}>
        {took > 0 ? formatDuration(took) : ''}
        {item.failed && <span className="sr-only"> failed</span>}
      </span>
    </button>
  )
}

function Bar({ from, to, span, className }: { from: number; to: number; span: number; className: string }) {
  return (
    <span
      aria-hidden
      className={`absolute inset-y-0 min-w-[3px] rounded-[3px] ${className}`}
      style={{ left: `min(calc(100% - 3px), ${(from / span) * 100}%)`, width: `${((to - from) / span) * 100}%` }}
    />
  )
}
