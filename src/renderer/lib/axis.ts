import { dollars } from './format.ts'
import { offsetMinutes, startOfDay, viewerZone } from './time-range.ts'
import { viewerDate } from './viewer-locale.ts'
import { DAY_MS, MINUTE_MS } from '../../shared/time-units.ts'
import { columnUsd } from '../../shared/usd.ts'

/** Returns the smallest of 1, 2, 5, 10, 20, 50 … that is at least a value. */
export function niceStep(least: number): number {
  const size = 10 ** Math.floor(Math.log10(least))
  // 0.30000000000000004 and the like would take the next step.
  const factor = [1, 2, 5].find((step) => step >= (least / size) * 0.999_999)
  return Number(((factor ?? 10) * size).toPrecision(12))
}

/** Returns ticks from 0 in steps of 1, 2 or 5, the last at or above the highest value; at most `count` + 2 of them. */
export function valueTicks(highest: number, count = 4): number[] {
  if (!(highest > 0) || !Number.isFinite(highest)) return [0, 1]
  const step = niceStep(highest / count)
  const steps = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: steps + 1 }, (_, at) => Number((at * step).toPrecision(12)))
}

/** Returns a formatter of dollars with one precision for a whole axis: enough for its step. */
export function axisDollars(ticks: readonly number[]): (usd: number) => string {
  const step = Math.abs((ticks[1] ?? 1) - (ticks[0] ?? 0))
  const decimals = step >= 1 ? 0 : Math.max(2, -Math.floor(Math.log10(step) + 1e-9))
  return (usd) => (usd === 0 ? '$0' : dollars(usd, decimals))
}

/** Returns a formatter of dollars with one precision for a whole column. */
export function columnDollars(amounts: readonly (number | null | undefined)[]): (usd: number | null) => string {
  const write = columnUsd(amounts, dollars)
  return (usd) => (usd === null ? '–' : write(usd))
}

/** Steps of a clock or a calendar. */
const TIME_STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720].map((minutes) => minutes * MINUTE_MS)
const DAY_STEPS = [1, 2, 7, 14, 28, 56, 84, 182, 364]

export interface TimeAxis {
  /** Times in ms since 1970. */
  readonly ticks: readonly number[]
  readonly format: (time: number) => string
}

/** Returns at most `count` ticks on whole minutes, hours or days of the viewer's zone, and their format. */
export function timeAxis(from: number, to: number, count = 6, zone: string = viewerZone()): TimeAxis {
  const span = Math.max(1, to - from)
  const step = TIME_STEPS.find((size) => span / size <= count)
  if (step !== undefined) {
    const offset = offsetMinutes(from, zone) * MINUTE_MS
    const first = Math.ceil((from + offset) / step) * step - offset
    const ticks = Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, at) => first + at * step)
    return { ticks, format: (time) => clockOrDay(time, zone) }
  }
  const days = DAY_STEPS.find((size) => span / (size * DAY_MS) <= count) ?? Math.ceil(span / DAY_MS / count)
  const ticks: number[] = []
  for (let back = 0; ticks.length <= count; back += days) {
    const time = startOfDay(to, zone, back)
    if (time < from) break
    ticks.unshift(time)
  }
  return { ticks, format: (time) => viewerDate(time, { day: 'numeric', month: 'short', timeZone: zone }) }
}

/** Midnight is written as its day. */
function clockOrDay(time: number, zone: string): string {
  return startOfDay(time, zone) === time
    ? viewerDate(time, { day: 'numeric', month: 'short', timeZone: zone })
    : viewerDate(time, { timeStyle: 'short', timeZone: zone })
}

/** Width of a value axis in px that cuts none of its labels. */
export const axisWidth = (labels: readonly string[]): number =>
  Math.max(32, 14 + 8.6 * Math.max(0, ...labels.map(({ length }) => length)))
