import type { LimitReport } from '../../../store/read/limit-readings.ts'
import { accountsOf } from './accounts.ts'
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

/** The readings of one limit of one account, oldest first. */
export interface WindowReadings {
  /** Null: not known, as in imported history. */
  readonly account: string | null
  readonly window: string
  readonly readings: readonly Reading[]
  /** The clients whose answers reported it. */
  readonly clients: ReadonlySet<string | null>
}

/** Bounds the windows that hostile headers can name, for each account. */
const MAX_WINDOWS = 12
/** Reset times that differ by less belong to the same instance: they may be rounded. */
const SAME_RESET_MS = 600_000
const NAME = /^unified-([a-z0-9_.-]{1,40})-utilization$/

/** Returns the readings of every window in reports of the API (`anthropic-ratelimit-unified-<window>-utilization`). */
export function readingsByWindow(reports: readonly LimitReport[]): WindowReadings[] {
  const accounts = new Map<string | null, Map<string, { readings: Reading[]; clients: Set<string | null> }>>()
  const ownersOf = new Map<string, Set<string>>()
  const accountOf = accountsOf(reports)
  const parsed = reports.flatMap((report) => readingsIn(report, accountOf(report)))
  for (const { account, window } of parsed)
    if (account !== null) ownersOf.set(window, (ownersOf.get(window) ?? new Set()).add(account))
  for (const { account: told, window, client, ...reading } of parsed) {
    // What names no account belongs to the only one that has this limit.
    const owners = ownersOf.get(window)
    const account = told ?? (owners?.size === 1 ? ([...owners][0] ?? null) : null)
    const windows = accounts.get(account) ?? new Map()
    accounts.set(account, windows)
    if (windows.size >= MAX_WINDOWS && !windows.has(window)) continue
    const found = windows.get(window) ?? { readings: [], clients: new Set() }
    windows.set(window, found)
    found.readings.push(reading)
    found.clients.add(client)
  }
  return [...accounts].flatMap(([account, windows]) =>
    [...windows].map(([window, found]) => ({ account, window, ...found })),
  )
}

function readingsIn(report: LimitReport, account: string | null) {
  const at = Date.parse(report.timestamp)
  const { limits } = JSON.parse(report.payload) as { readonly limits?: { readonly [name: string]: unknown } }
  if (Number.isNaN(at) || limits === undefined) return []
  return Object.entries(limits).flatMap(([header, used]) => {
    const window = NAME.exec(header)?.[1]
    if (window === undefined || typeof used !== 'number' || used < 0) return []
    const resetsAt = momentOf(limits[`unified-${window}-reset`])
    const { request_id: requestId, client } = report
    return [{ account, client, window, at, used, resetsAt, requestId }]
  })
}

/** Leaves out accounts whose windows have all ended, except the one that reported last. */
export function inUse(windows: readonly WindowReadings[], now: number): WindowReadings[] {
  const newest = Math.max(...windows.map(({ readings }) => readings.at(-1)?.at ?? 0))
  const used = new Set(
    windows
      .filter(({ readings, window }) => {
        const last = readings.at(-1)
        return last?.at === newest || (last?.resetsAt ?? (last?.at ?? 0) + (lengthOf(window) ?? DAY_MS)) > now
      })
      .map(({ account }) => account),
  )
  return windows.filter(({ account }) => used.has(account))
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
