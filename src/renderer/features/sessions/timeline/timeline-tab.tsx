import { ChevronLeft, ChevronRight, Minus, Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatFailures } from '../../../../shared/failures.ts'
import { Button } from '../../../components/button.tsx'
import { CacheMissBadge } from '../../../components/cache-miss-badge.tsx'
import { Failed } from '../../../components/states.tsx'
import { formatCost, formatCount, formatDuration, plural } from '../../../lib/format.ts'
import { useHotkeys } from '../../../lib/hotkeys.ts'
import { snippetText } from '../../../lib/snippet.ts'
import { useOperation } from '../../../lib/operation.ts'
import { useCacheMisses } from '../../../lib/use-cache-misses.ts'
import type { CriticalPath } from './critical-path.ts'
import { Minimap } from './minimap.tsx'
import { PathFigures } from './path-figures.tsx'
import { TimeRuler } from './time-ruler.tsx'
import { panned, type TimeWindow, zoomed } from './time-window.ts'
import { type Agent, agentKey, onlyPath, timelineRows, turnKey, type TurnUsage } from './timeline-rows.ts'
import { useCriticalPath } from './use-critical-path.ts'
import { useLanes } from './use-lanes.ts'
import { Waterfall } from './waterfall.tsx'

interface TimelineTabProps {
  readonly sessionId: string
  readonly turn: number
  /** Numbers of the session's turns, in order. */
  readonly turns: readonly number[]
  readonly selected: string | undefined
  readonly onTurn: (turn: number) => void
  readonly onOpen: (uuid: string) => void
}

const ZOOM_STEP = 1.6
const PAN_STEP = 0.25
const NOTHING = { from: 0, to: 1 }
const NO_AGENTS: readonly Agent[] = []
const NO_PATH: CriticalPath['spans'] = new Map()

/** The whole session on one axis: turns that open to their steps, agents below their calls, and a map to zoom by. */
export function TimelineTab({ sessionId, turn, turns, selected, onTurn, onOpen }: TimelineTabProps) {
  const turnUsage = useOperation('sessions.usage', { session_id: sessionId }).data?.turns
  const agents = useOperation('agents.list', { session_id: sessionId }).data?.items
  const prompts = useOperation('prompts.search', { session_id: sessionId }).data?.items
  const misses = useCacheMisses(sessionId).ofTurn(turn)
  // The lanes that were opened or closed by hand, and the span that was chosen, each for the turn on screen.
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [chosen, setChosen] = useState<{ readonly turn: number; readonly window: TimeWindow } | null>(null)
  const [isPathOnly, setPathOnly] = useState(false)
  const open = useMemo(() => {
    const keys = new Set(toggled)
    // Toggling the lane of the turn on screen closes it.
    if (!keys.delete(turnKey(turn))) keys.add(turnKey(turn))
    return keys
  }, [toggled, turn])
  const { items, error } = useLanes(sessionId, turns, agents ?? NO_AGENTS, open)
  const usage = useMemo(() => new Map((turnUsage ?? []).map((one) => [one.turn_id, one])), [turnUsage])
  const { path, isCut, items: loaded } = useCriticalPath(sessionId, turn, agents ?? NO_AGENTS, items)
  const rows = useMemo(() => {
    const all = agents ?? NO_AGENTS
    if (!isPathOnly || path === null) return timelineRows({ turns, agents: all, open, items })
    // Toggling an agent on the path closes it.
    const shown = new Set(open)
    for (const id of path.agents) if (!shown.delete(agentKey(id))) shown.add(agentKey(id))
    return onlyPath(timelineRows({ turns, agents: all, open: shown, items: loaded }), turn, path.spans)
  }, [turns, agents, open, items, loaded, isPathOnly, path, turn])
  const own = (items.get(turnKey(turn))?.items ?? []).filter(({ isAside }) => !isAside)
  const span = spanOf(usage.get(turn), own)
  const bounds = boundsOf([...usage.values()].map((one) => spanOf(one, [])).concat(span))
  const window = chosen?.turn === turn ? chosen.window : (span ?? bounds)
  const setWindow = (next: TimeWindow) => setChosen({ turn, window: next })
  const zoom = (factor: number) => setWindow(zoomed(window, factor, (window.from + window.to) / 2, bounds))
  const step = (by: 1 | -1) => {
    const next = by < 0 ? turns.findLast((one) => one < turn) : turns.find((one) => one > turn)
    if (next !== undefined) onTurn(next)
  }
  useHotkeys({
    '[': () => step(-1),
    ']': () => step(1),
    '+': () => zoom(1 / ZOOM_STEP),
    '-': () => zoom(ZOOM_STEP),
    '0': () => setWindow(bounds),
    p: () => setPathOnly((now) => !now),
    ArrowLeft: () => setWindow(panned(window, -PAN_STEP, bounds)),
    ArrowRight: () => setWindow(panned(window, PAN_STEP, bounds)),
  })
  const started = (agents ?? []).filter(({ turn_id: of }) => of === turn).length
  return (
    <section aria-label="Timeline" className="flex min-w-0 flex-1 flex-col">
      <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b px-5 py-1 text-small">
        <TurnSteps turn={turn} turns={turns} onStep={step} />
        {span !== null && <span className="text-soft">{formatDuration(span.to - span.from)}</span>}
        <TurnFigures usage={usage.get(turn)} />
        <CacheMissBadge misses={misses} />
        {started > 0 && <span className="text-soft">{plural(started, 'subagent')}</span>}
        {path !== null && <PathFigures path={path} isCut={isCut} isAlone={isPathOnly} onAlone={setPathOnly} />}
        <ZoomButtons onZoom={zoom} onAll={() => setWindow(bounds)} />
      </div>
      {error ? (
        <Failed error={error} />
      ) : (
        <>
          <Minimap bounds={bounds} window={window} turns={turnUsage ?? []} agents={agents ?? []} onWindow={setWindow} />
          <TimeRuler window={window} origin={originOf(window, span, bounds)} />
          <Waterfall
            rows={rows}
            window={window}
            usage={usage}
            prompts={new Map((prompts ?? []).map(({ turn_id: of, content }) => [of, snippetText(content)]))}
            turn={turn}
            path={path?.spans ?? NO_PATH}
            selected={selected}
            onToggle={(key) => {
              const next = new Set(toggled)
              if (!next.delete(key)) next.add(key)
              setToggled(next)
            }}
            onOpen={onOpen}
          />
        </>
      )}
    </section>
  )
}

interface TurnStepsProps {
  readonly turn: number
  readonly turns: readonly number[]
  readonly onStep: (by: 1 | -1) => void
}

function TurnSteps({ turn, turns, onStep }: TurnStepsProps) {
  return (
    <>
      <Button
        look="ghost"
        size="icon"
        aria-label="Previous turn ([)"
        disabled={turn <= (turns[0] ?? 1)}
        onClick={() => onStep(-1)}
      >
        <ChevronLeft className="size-4" aria-hidden />
      </Button>
      <h2 className="font-semibold">
        Turn {turn} <span className="font-normal text-faint">of {turns.at(-1) ?? 1}</span>
      </h2>
      <Button
        look="ghost"
        size="icon"
        aria-label="Next turn (])"
        disabled={turn >= (turns.at(-1) ?? 1)}
        onClick={() => onStep(1)}
      >
        <ChevronRight className="size-4" aria-hidden />
      </Button>
    </>
  )
}

function ZoomButtons({ onZoom, onAll }: { onZoom: (factor: number) => void; onAll: () => void }) {
  return (
    <span role="group" aria-label="Zoom" className="ml-auto flex items-center gap-1">
      <Button look="ghost" size="icon" aria-label="Zoom out (-)" onClick={() => onZoom(ZOOM_STEP)}>
        <Minus className="size-4" aria-hidden />
      </Button>
      <Button look="ghost" size="icon" aria-label="Zoom in (+)" onClick={() => onZoom(1 / ZOOM_STEP)}>
        <Plus className="size-4" aria-hidden />
      </Button>
      <Button size="small" title="0" onClick={onAll}>
        Whole session
      </Button>
    </span>
  )
}

function TurnFigures({ usage }: { usage: TurnUsage | undefined }) {
  if (usage === undefined) return null
  return (
    <>
      <span className="text-soft">
        {formatCount(usage.tokens)} tokens · {formatCost(usage.cost_usd)}
      </span>
      {usage.api_errors + usage.failed_tools > 0 && (
        <span className="text-bad" title="API errors and failed tool calls of this turn">
          {formatFailures(usage)}
        </span>
      )}
    </>
  )
}

/** The time of a turn, from its items if they are loaded: a bar may begin before the first event. */
function spanOf(usage: TurnUsage | undefined, items: readonly { start: number; end: number }[]): TimeWindow | null {
  const starts = [...(usage === undefined ? [] : [Date.parse(usage.began_at)]), ...items.map(({ start }) => start)]
  const ends = [...(usage === undefined ? [] : [Date.parse(usage.ended_at)]), ...items.map(({ end }) => end)]
  return starts.length === 0 ? null : { from: Math.min(...starts), to: Math.max(...ends, Math.min(...starts) + 1) }
}

function boundsOf(spans: readonly (TimeWindow | null)[]): TimeWindow {
  const known = spans.filter((span) => span !== null)
  if (known.length === 0) return NOTHING
  return { from: Math.min(...known.map(({ from }) => from)), to: Math.max(...known.map(({ to }) => to)) }
}

/** Longer spans show the time of day. */
const ELAPSED_MS = 5 * 60_000

/**
 * The moment that ticks count from: the turn's beginning if nothing else is on screen, else the beginning of a short
 * session.
 */
function originOf(window: TimeWindow, span: TimeWindow | null, bounds: TimeWindow): number | null {
  if (span !== null && window.from >= span.from - 1 && window.to <= span.to + 1) return span.from
  return window.to - window.from < ELAPSED_MS ? bounds.from : null
}
