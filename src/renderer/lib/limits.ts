import type { LimitUse } from '../../shared/columns/limits.ts'
import type { OperationOutput } from '../../shared/contract/index.ts'
import { formatMoment } from './format.ts'

export type LimitWindow = OperationOutput<'limits.now'>['windows'][number]

type LatestLimits = OperationOutput<'limits.latest'>

/** Returns the limits whose window has not ended. An ended window is empty, and its last report is out of date. */
export const limitsInForce = (limits: LatestLimits | undefined, now: number): LatestLimits['windows'] =>
  (limits?.windows ?? []).filter(({ resets_at: resets }) => resets === null || Date.parse(resets) > now)

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

/** An estimate within half and twice of what the cost says agrees with it: models and kinds of tokens weigh differently. */
const TIMES = 2

/** True if the estimated shares agree with the costs: in their order, and in what a dollar uses. */
export function followsCost(sessions: LimitWindow['by_session']): boolean {
  const priced = sessions.toSorted((one, other) => other.cost_usd - one.cost_usd)
  const cost = sumOf(sessions, 'cost_usd')
  const ofDollar = cost === 0 ? 0 : sumOf(sessions, 'used') / cost
  let least = Number.POSITIVE_INFINITY
  return priced.every(({ used, cost_usd: usd }) => {
    const follows = used <= least + ROUNDING
    least = Math.min(least, used)
    const [low, high] = [(usd * ofDollar) / TIMES - 2 * ROUNDING, usd * ofDollar * TIMES + 2 * ROUNDING]
    return follows && used >= low && used <= high
  })
}

const sumOf = (sessions: LimitWindow['by_session'], field: 'used' | 'cost_usd'): number =>
  sessions.reduce((sum, session) => sum + session[field], 0)

/** What used a limit: a session, or several together. */
export type LimitUser = LimitUse & { readonly session_id: string | null }

/** Less than this is nothing. */
const NOTHING = 0.0005

/**
 * Lists the sessions that used most of a limit, all others, and what is not recorded: together all that is used. Without
 * shares, sessions are in the order of their costs, and what is not recorded has none.
 */
export function limitUsers(
  { by_session: sessions, attributed, elsewhere }: LimitWindow,
  count: number,
): readonly LimitUser[] {
  const hasShares = followsCost(sessions)
  const inOrder = hasShares ? sessions : sessions.toSorted((one, other) => other.cost_usd - one.cost_usd)
  const [shown, rest] = [inOrder.slice(0, count), inOrder.slice(count)]
  // Long lists end before all sessions are named.
  const isWhole = attributed - sumOf(sessions, 'used') < NOTHING
  const others = { used: attributed - sumOf(shown, 'used'), cost_usd: isWhole ? sumOf(rest, 'cost_usd') : null }
  return [
    ...shown.map(({ session_id, title, used, cost_usd }) => ({
      session_id,
      title: title ?? 'Untitled session',
      used,
      cost_usd,
    })),
    ...(rest.length === 0 ? [] : [{ session_id: null, title: 'Other sessions', ...others }]),
    ...(elsewhere > NOTHING && hasShares
      ? [{ session_id: null, title: 'Not recorded here', used: elsewhere, cost_usd: null }]
      : []),
  ]
}
