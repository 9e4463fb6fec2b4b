import { counted } from './counted.ts'

/** Says how long something lasted: `40 seconds`, `3 minutes`, `2 hours`. */
export function lasted(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1000))
  if (seconds < 120) return counted(seconds, 'second')
  if (seconds < 7200) return counted(Math.round(seconds / 60), 'minute')
  return counted(Math.round(seconds / 3600), 'hour')
}
