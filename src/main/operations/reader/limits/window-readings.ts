import { DAY_MS, HOUR_MS } from '../../../../shared/time-units.ts'

/** The used share of one limit (0 to 1, more if the API reports more) at a time. */
export interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly used: number
  readonly resetsAt: number | null
  readonly requestId: string | null
}

/** The readings between two resets of a window, oldest first. `used` never falls in it. */
export interface Instance {
  readonly readings: readonly Reading[]
  readonly resetsAt: number | null
}

/** Bounds the windows that hostile headers can name. */
const MAX_WINDOWS = 12
/** Reset times that differ by less belong to the same instance: they may be rounded. */
const SAME_RESET_MS = 600_000
const NAME = /^unified-([a-z0-9_.-]{1,40})-utilization$/

/** Returns the readings of every window in reports of the API (`anthropic-ratelimit-unified-<window>-utilization`). */
export function readingsByWindow(
  reports: readonly { readonly timestamp: string; readonly request_id: string | null; readonly payload: string }[],
): Map<string, Reading[]> {
  const windows = new Map<string, Reading[]>()
  for (const { timestamp, request_id: requestId, payload } of reports) {
    const at = Date.parse(timestamp)
    const { limits } = JSON.parse(payload) as { readonly limits?: { readonly [name: string]: unknown } }
    if (Number.isNaN(at) || limits === undefined) continue
    for (const [header, value] of Object.entries(limits)) {
      const name = NAME.exec(header)?.[1]
      if (name === undefined || typeof value !== 'number' || value < 0) continue
      let readings = windows.get(name)
      if (readings === undefined) {
        if (windows.size >= MAX_WINDOWS) continue
        windows.set(name, (readings = []))
      }
      readings.push({ at, used: value, resetsAt: momentOf(limits[`unified-${name}-reset`]), requestId })
    }
  }
  return windows
}

/** Splits readings at resets. A reading below an earlier one of its instance arrived late and is left out. */
export function instancesOf(readings: readonly Reading[]): Instance[] {
  const instances: { readings: Reading[]; resetsAt: number | null }[] = []
  for (const reading of readings) {
    const current = instances.at(-1)
    const last = current?.readings.at(-1)
    if (current === undefined || last === undefined || isReset(current.resetsAt, last, reading)) {
      // A late reading of the previous instance must not restart it.
      const before = current?.resetsAt ?? null
      if (before !== null && reading.resetsAt !== null && reading.resetsAt < before - SAME_RESET_MS) continue
      instances.push({ readings: [reading], resetsAt: reading.resetsAt })
    } else if (reading.used >= last.used) current.readings.push(reading)
  }
  return instances
}

function isReset(resetsAt: number | null, last: Reading, next: Reading): boolean {
  if (resetsAt !== null && next.resetsAt !== null) return Math.abs(next.resetsAt - resetsAt) > SAME_RESET_MS
  return next.used < last.used / 2
}

/** Returns the length of a window in ms by its name (`5h`, `7d`, `7d_opus`); null if the name has none. */
export function lengthOf(window: string): number | null {
  const [, count, unit] = /^(\d{1,3})([hd])(?![a-z0-9])/.exec(window) ?? []
  return count === undefined ? null : Number(count) * (unit === 'h' ? HOUR_MS : DAY_MS)
}

/** Parses a time of the API, seconds since 1970 or ISO 8601, to ms. */
function momentOf(value: unknown): number | null {
  const time = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) <= 8.64e15 ? time : null
}
