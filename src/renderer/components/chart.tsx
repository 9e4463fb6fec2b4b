import type { ReactElement, ReactNode } from 'react'
import { CartesianGrid, ResponsiveContainer } from 'recharts'
import { axisWidth } from '../lib/axis.ts'

const TICK = { fontSize: '0.8rem', fill: 'var(--faint)' }

/** Shared properties of category and time axes. Recharts reads axes as props, so these are spread into its elements. */
export const X_AXIS = {
  tick: TICK,
  tickLine: false,
  axisLine: { stroke: 'var(--line-strong)' },
  tickMargin: 6,
} as const

/** Properties of a value axis from 0 to the last tick. */
export const valueAxis = (ticks: readonly number[], format: (value: number) => string) => ({
  tick: TICK,
  tickLine: false,
  axisLine: false,
  ticks: [...ticks],
  domain: [0, ticks.at(-1) ?? 1],
  tickFormatter: format,
  width: axisWidth(ticks.map(format)),
})

export const chartGrid = <CartesianGrid vertical={false} stroke="var(--line)" />

interface ChartFrameProps {
  /** Describes the chart to people who cannot see it. */
  readonly label: string
  /** A Tailwind height class. */
  readonly height: string
  readonly children: ReactElement
}

/** Gives a chart its size and its description. */
export function ChartFrame({ label, height, children }: ChartFrameProps) {
  return (
    <div className={`${height} pr-5 pb-3 pl-2`} role="img" aria-label={label}>
      <ResponsiveContainer width="100%" height="100%">
        {children}
      </ResponsiveContainer>
    </div>
  )
}

/** Set by Recharts on a tooltip's content. */
export interface ChartPointProps<Point> {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: Point }[]
}

/** Returns the point under the pointer, or null. */
export function pointOf<Point>({ active, payload }: ChartPointProps<Point>): Point | null {
  return active === true ? (payload?.[0]?.payload ?? null) : null
}

/** The tooltip of a chart. */
export function ChartNote({ children }: { children: ReactNode }) {
  return (
    <div className="rounded-small border border-line-strong bg-surface px-3 py-2 text-meta shadow-float">
      {children}
    </div>
  )
}
