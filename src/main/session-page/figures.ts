import { counted } from '../../shared/counted.ts'
import { formatUsd } from '../../shared/usd.ts'

/** Formats US dollars. */
export const dollars = (cost: number | null): string => (cost === null ? '-' : formatUsd(cost))

/** Formats a count with separators. */
export const count = (n: number | null): string => (n === null ? '-' : n.toLocaleString('en-US'))

/** Formats milliseconds. */
export function duration(ms: number | null): string {
  if (ms === null) return '-'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 600) return `${Math.floor(seconds / 60)} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`
  const minutes = Math.round(ms / 60_000)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats the size of a text: `1 line`, `34 lines · 2.1 kB`. */
export function textSize(text: string): string {
  const lines = text.replace(/\n+$/, '').split('\n').length
  const bytes = Buffer.byteLength(text)
  const size = bytes < 1000 ? '' : ` · ${byteSize(bytes)}`
  return text.trim() === '' ? 'no output' : `${counted(lines, 'line')}${size}`
}

/** Formats a size: `10 bytes`, `2.1 kB`. */
export const byteSize = (bytes: number): string =>
  bytes < 1000 ? counted(bytes, 'byte') : `${(bytes / 1000).toFixed(bytes < 100_000 ? 1 : 0)} kB`
