import { viewerDate } from './viewer-locale.ts'

/** Weeks whose same weekday says what is usual. */
export const USUAL_WEEKS = 8
/** Fewer others do not say what is usual. */
const LEAST_OTHERS = 3

/** Returns what is usual: the median of the others that were above zero, at least three of them. null: not known. */
export function usualOf(others: readonly number[]): number | null {
  const known = others.filter((value) => value > 0).toSorted((one, other) => one - other)
  if (known.length < LEAST_OTHERS) return null
  const [low = 0, high = 0] = [known[(known.length - 1) >> 1], known[known.length >> 1]]
  return (low + high) / 2
}

/** Compares a value with the usual one, in words that precede it: "twice your usual". `less`: "fewer" for countable things. */
export function comparedWith(usual: number, value: number, less: 'less' | 'fewer' = 'less'): string {
  const ratio = value / usual
  if (ratio >= 2.75) return `${Math.round(ratio)} times your usual`
  if (ratio >= 1.75) return 'twice your usual'
  if (ratio >= 1.15) return 'more than your usual'
  if (ratio > 0.85) return 'about your usual'
  return ratio > 0.6 ? `${less} than your usual` : `far ${less} than your usual`
}

/** Names what the usual of a day is the median of: "on a Saturday". */
export const onWeekday = (day: number, timeZone: string): string =>
  `on a ${viewerDate(day, { weekday: 'long', timeZone })}`
