import { visibleText } from '../../shared/visible-text.ts'

/** Formats numbers and times for people. Every function accepts null for an unknown value. */

const UNKNOWN = '–'

/** Formats US dollars: two decimals from $1, more for smaller amounts. */
export function formatCost(usd: number | null | undefined): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return UNKNOWN
  if (usd === 0) return '$0'
  if (usd < 0.0001) return '< $0.0001'
  if (usd < 0.01) return `$${usd.toFixed(4)}`
  if (usd < 1) return `$${usd.toFixed(3)}`
  if (usd < 1000) return `$${usd.toFixed(2)}`
  return `$${Math.round(usd).toLocaleString('en-US')}`
}

/** Formats a count, shortened from 10,000 up: 9,999 · 12.3k · 4.5M. */
export function formatCount(count: number | null | undefined): string {
  if (count === null || count === undefined || !Number.isFinite(count)) return UNKNOWN
  if (count < 10_000) return Math.round(count).toLocaleString('en-US')
  for (const [size, letter] of [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    // 999,950 would round to "1000.0k", so it takes the next unit.
    if (count >= size * 0.99995) return `${trimZero((count / size).toFixed(count >= size * 100 ? 0 : 1))}${letter}`
  }
  return String(count)
}

function trimZero(text: string): string {
  return text.replace(/\.0$/, '')
}

/** Formats milliseconds: 420 ms · 3.2 s · 4 m 12 s · 2 h 5 m · 3 d 4 h. */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined || !Number.isFinite(ms)) return UNKNOWN
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 59.95) return `${trimZero(seconds.toFixed(1))} s`
  const whole = Math.round(seconds)
  if (whole < 3600) return pair(Math.floor(whole / 60), 'm', whole % 60, 's')
  const minutes = Math.round(seconds / 60)
  if (minutes < 1440) return pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
  const hours = Math.round(seconds / 3600)
  return pair(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`
}

/** Formats bytes in units of 1,024. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined || !Number.isFinite(bytes)) return UNKNOWN
  if (bytes < 1024) return `${bytes} B`
  let value = bytes
  let unit = 'B'
  for (const next of ['KB', 'MB', 'GB', 'TB']) {
    if (value < 1023.95) break
    value /= 1024
    unit = next
  }
  return `${trimZero(value.toFixed(value >= 100 ? 0 : 1))} ${unit}`
}

/** Formats a share of 1 as a percentage. 99.9% never rounds to 100%, nor 0.1% to 0%. */
export function formatShare(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN
  const percent = share * 100
  if (percent > 99 && percent < 100) return `${Math.min(99.9, Number(percent.toFixed(1)))}%`
  if (percent > 0 && percent < 1) return `${Math.max(0.1, Number(percent.toFixed(1)))}%`
  return `${Math.round(percent)}%`
}

/** Formats the time of day in the viewer's zone, with seconds. */
export function formatClock(iso: string): string {
  return new Date(iso).toLocaleTimeString('en-GB')
}

/** Formats a day and time as short as possible: `14:03`, `yesterday 14:03`, `Mon 14:03`, `12 Nov 14:03`, `12 Nov 2025`. */
export function formatMoment(iso: string | null | undefined, now: number = Date.now()): string {
  if (iso === null || iso === undefined) return UNKNOWN
  const date = new Date(iso)
  const time = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
  const days = daysBetween(date, new Date(now))
  if (days === 0) return time
  if (days === 1) return `yesterday ${time}`
  if (days > 1 && days < 7) return `${date.toLocaleDateString('en-GB', { weekday: 'short' })} ${time}`
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return date.getFullYear() === new Date(now).getFullYear() ? `${day} ${time}` : `${day} ${date.getFullYear()}`
}

/** Counts calendar days between two moments in the viewer's zone. Days of 23 or 25 hours count as one. */
function daysBetween(from: Date, to: Date): number {
  const day = (date: Date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((day(to) - day(from)) / 86_400_000)
}

/** Formats the full date and time, for tooltips. */
export function formatExact(iso: string | null | undefined): string {
  if (iso === null || iso === undefined) return ''
  return new Date(iso).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long' })
}

/** Returns the last part of a project's path. */
export function projectName(path: string | null | undefined): string {
  if (path === null || path === undefined || path === '') return 'no project'
  return visibleText(
    path
      .split(/[/\\]/)
      .filter((part) => part !== '')
      .at(-1) ?? path,
  )
}

/** Formats a count with its noun: `1 prompt`, `2 prompts`. */
export function plural(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** Shortens a model's name: `claude-haiku-4-5-20251001` → `haiku-4-5`. */
export function modelName(model: string): string {
  return model.replace(/^claude-/, '').replace(/-\d{8}$/, '')
}
