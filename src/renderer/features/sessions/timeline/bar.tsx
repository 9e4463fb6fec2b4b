import type { TimeWindow } from './time-window.ts'

interface BarProps extends TimeWindow {
  readonly window: TimeWindow
  readonly className: string
}

/** A bar from one moment to another, cut at the edges of the window. */
export function Bar({ from, to, window, className }: BarProps) {
  if (to < window.from || from > window.to) return null
  const span = Math.max(1, window.to - window.from)
  const [start, end] = [Math.max(0, (from - window.from) / span), Math.min(1, (to - window.from) / span)]
  return (
    <span
      aria-hidden
      className={`absolute inset-y-0 min-w-[3px] rounded-[3px] ${className}`}
      style={{ left: `min(calc(100% - 3px), ${start * 100}%)`, width: `${(end - start) * 100}%` }}
    />
  )
}
