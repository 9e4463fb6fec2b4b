import { type PointerEvent, useEffect, useRef } from 'react'
import { Bar } from './bar.tsx'
import { type TimeWindow, zoomed } from './time-window.ts'
import type { Agent, TurnUsage } from './timeline-rows.ts'

interface MinimapProps {
  readonly bounds: TimeWindow
  readonly window: TimeWindow
  readonly turns: readonly TurnUsage[]
  readonly agents: readonly Agent[]
  readonly onWindow: (window: TimeWindow) => void
}

const ZOOM_STEP = 1.25
/** A shorter drag is a click, which moves the window there. */
const MIN_DRAG = 0.005

/** The whole session: turns above, agents below. Drag to choose a span, click to go there, turn the wheel to zoom. */
export function Minimap({ bounds, window, turns, agents, onWindow }: MinimapProps) {
  const map = useRef<HTMLDivElement>(null)
  const dragFrom = useRef<number | null>(null)
  const latest = useRef({ bounds, window, onWindow })
  useEffect(() => {
    latest.current = { bounds, window, onWindow }
  })
  useEffect(() => {
    const element = map.current
    if (element === null) return
    // React's own wheel listeners cannot keep the page from scrolling.
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { bounds: all, window: now, onWindow: set } = latest.current
      const at = momentAt(event.clientX, element, all)
      set(zoomed(now, event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, at, all))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [])
  const drag = (event: PointerEvent<HTMLDivElement>) => {
    if (dragFrom.current === null) return
    const at = momentAt(event.clientX, event.currentTarget, bounds)
    const [from, to] = [Math.min(dragFrom.current, at), Math.max(dragFrom.current, at)]
    if (to - from > (bounds.to - bounds.from) * MIN_DRAG) onWindow({ from, to })
    else if (event.type === 'pointerup') onWindow(zoomed(centered(window, at), 1, at, bounds))
  }
  const span = Math.max(1, bounds.to - bounds.from)
  return (
    <div
      ref={map}
      aria-hidden
      data-minimap
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        dragFrom.current = momentAt(event.clientX, event.currentTarget, bounds)
      }}
      onPointerMove={drag}
      onPointerUp={(event) => {
        drag(event)
        dragFrom.current = null
      }}
      className="relative mx-5 my-2 h-9 shrink-0 cursor-crosshair touch-none overflow-hidden rounded-small border bg-sunken"
    >
      <span className="absolute inset-x-0 top-1 h-3.5">
        {turns.map((turn) => (
          <Bar
            key={turn.turn_id}
            from={Date.parse(turn.began_at)}
            to={Date.parse(turn.ended_at)}
            window={bounds}
            className={turn.api_errors + turn.failed_tools > 0 ? 'bg-bad' : 'bg-accent'}
          />
        ))}
      </span>
      <span className="absolute inset-x-0 bottom-1 h-2">
        {agents.map(({ agent_id: id, started_at: started, ended_at: ended }) =>
          started === null ? null : (
            <Bar
              key={id}
              from={Date.parse(started)}
              to={Date.parse(ended ?? started)}
              window={bounds}
              className="bg-k-agent opacity-60"
            />
          ),
        )}
      </span>
      <span
        className="absolute inset-y-0 border-x-2 border-ink bg-ink/10"
        style={{
          left: `${((window.from - bounds.from) / span) * 100}%`,
          width: `max(4px, ${((window.to - window.from) / span) * 100}%)`,
        }}
      />
    </div>
  )
}

const centered = ({ from, to }: TimeWindow, at: number): TimeWindow => ({
  from: at - (to - from) / 2,
  to: at + (to - from) / 2,
})

function momentAt(x: number, element: HTMLElement, { from, to }: TimeWindow): number {
  const { left, width } = element.getBoundingClientRect()
  return from + (Math.min(Math.max(0, x - left), width) / Math.max(1, width)) * (to - from)
}
