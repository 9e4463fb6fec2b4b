import { Bot, ChevronRight } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { visibleText } from '../../../../shared/visible-text.ts'
import { KIND_LOOKS, KindIcon, lookOf } from '../../../components/event-kind.tsx'
import { VirtualList, type VirtualListHandle } from '../../../components/virtual-list.tsx'
import { formatCost, formatDuration, formatExact } from '../../../lib/format.ts'
import { Bar } from './bar.tsx'
import type { CriticalPath } from './critical-path.ts'
import type { TimeWindow } from './time-window.ts'
import { type Agent, agentKey, type TimelineRow, turnKey, type TurnUsage } from './timeline-rows.ts'

interface WaterfallProps {
  readonly rows: readonly TimelineRow[]
  readonly window: TimeWindow
  /** Facts about each turn by number. */
  readonly usage: ReadonlyMap<number, TurnUsage>
  readonly prompts: ReadonlyMap<number, string>
  /** The turn whose row is scrolled to. */
  readonly turn: number
  /** The parts of each row that are on the critical path of the turn, by the row's key. */
  readonly path: CriticalPath['spans']
  readonly selected: string | undefined
  readonly onToggle: (key: string) => void
  readonly onOpen: (uuid: string) => void
}

/** Columns of the axis and of all rows. */
export const GRID =
  'grid grid-cols-[minmax(8rem,30%)_minmax(0,1fr)_4.5rem] items-center gap-x-3 max-[700px]:grid-cols-[minmax(0,50%)_minmax(0,1fr)_4rem] max-[700px]:gap-x-2'
const INDENT_REM = 0.9

/** Turns, agents and their steps, as bars on one time axis. */
export function Waterfall({ rows, window, usage, prompts, turn, path, selected, onToggle, onOpen }: WaterfallProps) {
  const list = useRef<VirtualListHandle>(null)
  const at = rows.findIndex((row) => row.type === 'turn' && row.turn === turn)
  const hasSteps = rows[at + 1]?.type === 'item'
  /** The turn that was brought to the top. Opening and closing lanes must not scroll. */
  const settled = useRef<number | null>(null)
  useEffect(() => {
    if (at < 0 || settled.current === turn) return
    if (at > 0) list.current?.scrollTo(at, 'start')
    // Before the steps are loaded, the list may be too short for that.
    if (hasSteps) settled.current = turn
  }, [turn, at, hasSteps])
  return (
    <VirtualList
      ref={list}
      label="Waterfall"
      items={rows}
      keyOf={(row) => row.key}
      estimate={(row) => (row.type === 'turn' ? 38 : 28)}
      isFixed
      overscan={10}
      className="min-h-0 flex-1 px-5 pb-8 max-[700px]:px-3"
    >
      {(row) => {
        switch (row.type) {
          case 'turn':
            return (
              <Lane
                name={`Turn ${row.turn}`}
                note={visibleText(prompts.get(row.turn) ?? '')}
                isOpen={row.isOpen}
                span={spanOfTurn(usage.get(row.turn))}
                cost={usage.get(row.turn)?.cost_usd ?? null}
                failed={(usage.get(row.turn)?.failed_tools ?? 0) + (usage.get(row.turn)?.api_errors ?? 0) > 0}
                window={window}
                onToggle={() => onToggle(turnKey(row.turn))}
                isTurn
                depth={0}
              />
            )
          case 'agent':
            return (
              <Lane
                name={row.agent.description ?? row.agent.agent_type ?? 'agent'}
                note={[row.agent.agent_type, row.agent.cost_usd === null ? null : formatCost(row.agent.cost_usd)]
                  .filter((part) => part !== null)
                  .join(' · ')}
                isOpen={row.isOpen}
                span={spanOfAgent(row.agent)}
                cost={row.agent.cost_usd}
                failed={row.agent.success === false}
                window={window}
                onPath={path.get(row.key)}
                onToggle={() => onToggle(agentKey(row.agent.agent_id))}
                depth={row.depth}
              />
            )
          case 'note':
            return (
              <p
                className="text-meta leading-7 text-faint"
                style={{ paddingLeft: `${(row.depth + 1) * INDENT_REM}rem` }}
              >
                {row.text}
              </p>
            )
          case 'item':
            return (
              <ItemRow
                row={row}
                window={window}
                onPath={path.get(row.key)}
                isSelected={selected === row.item.uuid}
                onOpen={onOpen}
              />
            )
        }
      }}
    </VirtualList>
  )
}

const spanOfTurn = (usage: TurnUsage | undefined): TimeWindow | null =>
  usage === undefined ? null : { from: Date.parse(usage.began_at), to: Date.parse(usage.ended_at) }

const spanOfAgent = ({ started_at: started, ended_at: ended }: Agent): TimeWindow | null =>
  started === null ? null : { from: Date.parse(started), to: Date.parse(ended ?? started) }

/** A line below the part of a bar that is on the critical path. */
function PathLine({ span, window }: { readonly span: TimeWindow | undefined; readonly window: TimeWindow }) {
  if (span === undefined) return null
  return (
    <span className="absolute inset-x-0 -bottom-1 h-0.5" data-path>
      <Bar {...span} window={window} className="bg-ink" />
    </span>
  )
}

interface LaneProps {
  readonly name: string
  readonly note: string
  readonly isOpen: boolean
  readonly span: TimeWindow | null
  readonly cost: number | null
  readonly failed: boolean
  readonly window: TimeWindow
  readonly onPath?: TimeWindow | undefined
  readonly onToggle: () => void
  readonly isTurn?: boolean
  readonly depth: number
}

/** One line for a turn or an agent, which opens to its steps. */
function Lane(props: LaneProps) {
  const { name, note, isOpen, span, cost, failed, window, onPath, onToggle, isTurn = false, depth } = props
  const took = span === null ? null : span.to - span.from
  return (
    <button
      type="button"
      aria-expanded={isOpen}
      onClick={onToggle}
      title={[name, note, formatDuration(took), cost === null ? '' : formatCost(cost)].filter(Boolean).join(' · ')}
      className={`${GRID} h-full w-full text-left text-meta hover:bg-hover ${isTurn ? 'border-t' : 'rounded-small'}`}
    >
      <span
        className="flex min-w-0 items-center gap-1.5 overflow-hidden"
        style={{ paddingLeft: `${depth * INDENT_REM}rem` }}
      >
        <ChevronRight className={`size-3.5 shrink-0 text-faint ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
        {!isTurn && <Bot className="size-3.5 shrink-0 text-k-agent" aria-hidden />}
        <span className={`shrink-0 ${isTurn ? 'font-semibold' : 'max-w-full truncate font-medium'}`}>{name}</span>
        <span className="min-w-0 truncate text-faint">{note}</span>
      </span>
      <span className={`relative ${isTurn ? 'h-1.5' : 'h-2.5'}`}>
        {span !== null && (
          <Bar {...span} window={window} className={failed ? 'bg-bad' : isTurn ? 'bg-line-strong' : 'bg-k-agent'} />
        )}
        <PathLine span={onPath} window={window} />
      </span>
      <span className="text-right whitespace-nowrap text-faint">
        {formatDuration(took)}
        {failed && <span className="sr-only"> with failures</span>}
        {onPath !== undefined && <OnPath />}
      </span>
    </button>
  )
}

interface ItemRowProps {
  readonly row: Extract<TimelineRow, { type: 'item' }>
  readonly window: TimeWindow
  readonly onPath: TimeWindow | undefined
  readonly isSelected: boolean
  readonly onOpen: (uuid: string) => void
}

function ItemRow({ row: { item, depth }, window, onPath, isSelected, onOpen }: ItemRowProps) {
  const took = item.end - item.start
  return (
    <button
      type="button"
      onClick={() => onOpen(item.uuid)}
      aria-current={isSelected ? 'true' : undefined}
      title={`${KIND_LOOKS[item.kind].label}, ${formatExact(new Date(item.start).toISOString())}`}
      className={`${GRID} h-full w-full rounded-small text-left text-meta hover:bg-hover ${isSelected ? 'bg-accent-soft' : ''}`}
    >
      <span className="flex min-w-0 items-center gap-2" style={{ paddingLeft: `${(depth + 1) * INDENT_REM}rem` }}>
        <KindIcon kind={item.kind} action={item.action} className="size-3.5" />
        <span
          className={`min-w-0 truncate ${item.failed ? 'text-bad' : ''} ${onPath === undefined ? '' : 'font-semibold'}`}
        >
          {visibleText(item.label)}
        </span>
      </span>
      <span className={`relative h-3.5 ${item.failed ? 'text-bad' : lookOf(item.kind, item.action).color}`}>
        <Bar from={item.start} to={item.end} window={window} className="bg-current" />
        <PathLine span={onPath} window={window} />
      </span>
      <span className={`text-right whitespace-nowrap ${item.failed ? 'text-bad' : 'text-faint'}`}>
        {took > 0 ? formatDuration(took) : ''}
        {item.failed && <span className="sr-only"> failed</span>}
        {onPath !== undefined && <OnPath />}
      </span>
    </button>
  )
}

const OnPath = () => <span className="sr-only"> on the critical path</span>
