import { byteSize } from '../../shared/byte-size.ts'
import { percentOf } from '../../shared/percent.ts'
import { projectFolder } from '../../shared/project-name.ts'
import { columnUsd, LEAST_USD, usdDecimals } from '../../shared/usd.ts'
import { visibleText } from '../../shared/visible-text.ts'
import { viewerDate, viewerFixed, viewerNumber } from './viewer-locale.ts'
import { DAY_MS } from '../../shared/time-units.ts'

/** Formats numbers and times for people. Every function accepts null for an unknown value. */

const UNKNOWN = '–'

/** Formats US dollars: cents from 10 cents, two digits of a smaller amount. */
export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return UNKNOWN
  if (usd === 0) return '$0'
  if (Math.abs(usd) < LEAST_USD) return `< ${dollars(LEAST_USD, 6)}`
  return dollars(usd, usdDecimals(usd))
}

/** Formats US dollars in cents, as the list of sessions: a figure that grows keeps its precision. */
export const formatCents = (usd: number | null | undefined): string =>
  usd === null || usd === undefined || usd === 0 ? formatCost(usd) : columnUsd([], dollars)(usd)

/** Formats US dollars with a fixed number of decimals. */
export const dollars = (usd: number, decimals: number): string =>
  `${usd < 0 ? '−' : ''}$${viewerFixed(Math.abs(usd), decimals)}`

/** Formats a count, shortened from 10,000 up: 9,999 · 12.3k · 4.5M. */
export function formatCount(count: number | null | undefined): string {
  if (count === null || count === undefined || !Number.isFinite(count)) return UNKNOWN
  if (count < 10_000) return viewerNumber(Math.round(count))
  for (const [size, letter] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    // 999,950 would round to "1000.0k", so it takes the next unit.
    if (count >= size * 0.99995) return `${upTo(count / size, count >= size * 100 ? 0 : 1)}${letter}`
  }
  return String(count)
}

/** Formats a number with at most this many decimals. */
const upTo = (value: number, decimals: number): string =>
  viewerNumber(value, { maximumFractionDigits: decimals, useGrouping: false })

/** Formats milliseconds: 420 ms · 3.2 s · 4 m 12 s · 2 h 5 m · 3 d 4 h. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 59.95) return `${upTo(seconds, 1)} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return pair(Math.floor(whole / 60), 'm', whole % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
  const hours = Math.round(seconds / 3600)
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const pair = (big: number, bigUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`

/** Formats bytes in units of 1,024. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return UNKNOWN
  return byteSize(bytes, upTo)
}

/** Formats a share of 1 as a percentage. */
export const formatShare = (share: number | null | undefined): string =>
  share === null || share === undefined || !Number.isFinite(share) ? UNKNOWN : `${upTo(percentOf(share), 1)}%`

/** Formats the time of day in the viewer's zone, with seconds. */
export const formatClock = (iso: string): string => viewerDate(new Date(iso), { timeStyle: 'medium' })

/** Formats a day and time as short as possible: `14:03`, `yesterday 14:03`, `Mon 14:03`, `12 Nov 14:03`, `12 Nov 2025`. */
export function formatMoment(iso: string | null | undefined, now: number = Date.now()): string {
  if (iso === null || iso === undefined) return UNKNOWN
  const date = new Date(iso)
  const time = viewerDate(date, { timeStyle: 'short' })
  const days = daysBetween(date, new Date(now))
  if (days === 0) return time
  if (days === 1) return `yesterday ${time}`
  if (days > 1 && days < 7) return `${viewerDate(date, { weekday: 'short' })} ${time}`
  if (date.getFullYear() !== new Date(now).getFullYear()) return formatDay(date, true)
  return `${formatDay(date)} ${time}`
}

/** Formats a span of time: whole days as `12 Nov` or `12 Nov to 14 Nov`. An open span ends now. */
export function formatSpan(from: string, to: string | undefined, now: number = Date.now()): string {
  const [start, end] = [new Date(from), new Date(to ?? now)]
  const isMidnight = (date: Date) => date.getHours() + date.getMinutes() + date.getSeconds() === 0
  if (to === undefined || !isMidnight(start) || !isMidnight(end))
    return `${formatMoment(from, now)} to ${to === undefined ? 'now' : formatMoment(to, now)}`
  const first = formatDay(start)
  return daysBetween(start, end) === 1 ? first : `${first} to ${formatDay(new Date(end.getTime() - 1))}`
}

/** Formats a day in the viewer's zone: `12 Nov`, `12 Nov 2025`. */
export const formatDay = (date: Date, withYear = false): string =>
  viewerDate(date, { day: 'numeric', month: 'short', ...(withYear ? { year: 'numeric' } : {}) })

/** Counts calendar days between two moments in the viewer's zone. Days of 23 or 25 hours count as one. */
function daysBetween(from: Date, to: Date): number {
  const day = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((day(to) - day(from)) / DAY_MS)
}

/** Formats the full date and time, for tooltips. */
export function formatExact(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return ''
  return viewerDate(new Date(iso), { dateStyle: 'full', timeStyle: 'long' })
}

/** Returns the name of a project from its path. */
export const projectName = (path: string | null | undefined): string => visibleText(projectFolder(path) ?? 'no project')

/** Formats a count with its noun: `1 prompt`, `2 prompts`. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
