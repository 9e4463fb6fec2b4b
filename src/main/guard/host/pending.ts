import type { HeldRequest, OverCap } from '../../../shared/contract/guard.ts'
import type { GuardedRequest } from '../guard-protocol.ts'
import type { Visit } from './visit.ts'

/** A reservation outlives its response until the cost is stored, and at most this long. */
export const SETTLE_MS = 30_000

/** Changes to the waiting requests are collected for this long before they are reported. */
const REPORT_MS = 20

/** A request whose verdict is known or pending. */
export interface Pending {
  readonly visit: Visit
  /** Decides by `fail_open` if the thread does not answer in time, and ends the wait. */
  timer?: NodeJS.Timeout
  hold: Hold | null
  /** It was forwarded: its reservation counts until the cost is stored. */
  isSent: boolean
}

/** The wait of a request. Times are in ms since the epoch. */
export interface Hold {
  readonly over: OverCap
  readonly request: GuardedRequest
  readonly since: number
  readonly until: number
}

/** Lists the requests that wait, the one that waits longest first. */
export function heldOf(pending: ReadonlyMap<string, Pending>): HeldRequest[] {
  return [...pending].flatMap(([id, { hold }]) =>
    hold === null
      ? []
      : [{ id, ...hold.request, over: hold.over, held_since: iso(hold.since), refused_at: iso(hold.until) }],
  )
}

/** Returns the waiting requests whose wait matches. */
export const heldWith = (all: ReadonlyMap<string, Pending>, matches: (hold: Hold) => boolean): readonly Pending[] =>
  [...all.values()].filter(({ hold }) => hold !== null && matches(hold))

/** Returns a waiting request and all that wait of its session. */
export function heldTogether(all: ReadonlyMap<string, Pending>, one: Hold): readonly Pending[] {
  const session = one.request.session_id
  return heldWith(all, (hold) => hold === one || (session !== null && hold.request.session_id === session))
}

/** Counts the requests whose cost is not stored yet. */
export const inFlight = (pending: ReadonlyMap<string, Pending>): number =>
  [...pending.values()].filter(({ isSent }) => isSent).length

/** Combines many changes into one report: fifty agents may reach a cap together. */
export function reportingTogether(report: () => void): () => void {
  let timer: NodeJS.Timeout | null = null
  return () => {
    timer ??= setTimeout(() => {
      timer = null
      report()
    }, REPORT_MS).unref()
  }
}

const iso = (ms: number): string => new Date(ms).toISOString()
