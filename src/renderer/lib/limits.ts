import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatMoment } from './format.ts'

export type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

type LatestLimits = OperationOutput<'limits.latest'>

/** Returns the limits whose window has not ended. An ended window is empty, and its last report is out of date. */
export function limitsInForce(limits: LatestLimits | undefined, now: number): LatestLimits['windows'] {
  return (limits?.windows ?? []).filter(({ resets_at: resets }) => resets === null || Date.parse(resets) > now)
}

const UNITS: Readonly<Record<string, string>> = { h: 'hours', d: 'days' }

/** Names a window: `5h` → 5 hours; `7d_opus` → 7 days, opus. */
export function limitName(window: string): string {
  const match = /^(\d+)([hd])(?:_(.+))?$/.exec(window)
  if (match === null) return window
  const [, count = '', unit = '', model] = match
  return `${count} ${UNITS[unit] ?? unit}${model === undefined ? '' : `, ${model.replaceAll('_', ' ')}`}`
}

/** Describes when a limit is exhausted; empty if it is not before its reset. */
export function exhaustion({ forecast }: Pick<LimitWindow, 'forecast'>): readonly string[] {
  if (!forecast) return []
  const { exhausted_at: at, exhausted_earliest: earliest } = forecast
  if (at !== null) return [`Exhausted ${formatMoment(at)} at this rate.`]
  return earliest === null ? [] : [`If use rises, it could run out from ${formatMoment(earliest)} on.`]
}

/** Less of a limit is within the rounding of its reports. */
const ROUNDING = 0.005

/** True if no session that cost less used more of a limit: then the estimated shares say as much as the cost. */
export function followsCost(sessions: LimitWindow['by_session']): boolean {
  const priced = sessions.toSorted((one, other) => other.cost_usd - one.cost_usd)
  let least = Number.POSITIVE_INFINITY
  return priced.every(({ used }) => {
    const follows = used <= least + ROUNDING
    least = Math.min(least, used)
    return follows
  })
}

/** Returns sessions in the order of what is shown of them: their shares, or else their cost. */
export const mostFirst = (sessions: LimitWindow['by_session']): LimitWindow['by_session'] =>
  followsCost(sessions) ? sessions : sessions.toSorted((one, other) => other.cost_usd - one.cost_usd)
