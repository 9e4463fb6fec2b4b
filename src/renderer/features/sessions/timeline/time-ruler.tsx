import { useEffect, useRef, useState } from 'react'
import { timeAxis } from '../../../lib/axis.ts'
import { formatDuration } from '../../../lib/format.ts'
import { elapsedTicks, type TimeWindow } from './time-window.ts'
import { GRID } from './waterfall.tsx'

/** Minimum distance between two ticks in px. */
const TICK_PX = 76
/** Room for the label of a tick. Nearer to the end, it would be cut off. */
const LABEL_PX = 52

interface TimeRulerProps {
  readonly window: TimeWindow
  /** Ticks show the time since this moment; null: the time of day. */
  readonly origin: number | null
}

/** The axis above the bars, at round times that never overlap. */
export function TimeRuler({ window, origin }: TimeRulerProps) {
  const ruler = useRef<HTMLSpanElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    if (ruler.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(ruler.current)
    return () => observer.disconnect()
  }, [])
  const count = Math.max(1, Math.floor(width / TICK_PX))
  const axis = timeAxis(window.from, window.to, count)
  const ticks = origin === null ? axis.ticks : elapsedTicks(window, origin, count)
  const labelOf = (time: number) =>
    origin === null
      ? axis.format(time)
      : time === origin
        ? '0'
        : `${time < origin ? '−' : ''}${formatDuration(Math.abs(time - origin))}`
  const span = Math.max(1, window.to - window.from)
  const fits = (time: number) => (1 - (time - window.from) / span) * width >= LABEL_PX
  // The only tick has its label on the other side instead.
  const shown = ticks.length === 1 ? ticks : ticks.filter(fits)
  return (
    <div className={`${GRID} h-8 shrink-0 border-b px-5 text-micro text-faint`} aria-hidden>
      <span />
      <span ref={ruler} className="relative h-full overflow-hidden">
        {shown.map((time) => (
          <span
            key={time}
            data-tick
            className={`absolute top-2 border-line-strong px-1 whitespace-nowrap ${fits(time) ? 'border-l' : '-translate-x-full border-r'}`}
            style={{ left: `${((time - window.from) / span) * 100}%` }}
          >
            {labelOf(time)}
          </span>
        ))}
      </span>
      <span className="text-right">duration</span>
    </div>
  )
}
