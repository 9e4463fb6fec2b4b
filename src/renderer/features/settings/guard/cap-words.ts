import type { OperationOutput } from '../../../../shared/contract/index.ts'
import { formatBudget } from '../../../lib/budgets.ts'
import { formatCount, formatDuration, plural, projectName } from '../../../lib/format.ts'
import { capName as nameOfCap } from '../../../../shared/guard-action-text.ts'

export type GuardStatus = OperationOutput<'guard.get'>
/** A cap with what is used of it; `project` null: it applies to all projects. */
export type CapUse = GuardStatus['caps'][number] & { readonly project: string | null }

/** All caps that are set, those of all projects first. */
export const capsOf = ({ caps, project_caps }: GuardStatus): CapUse[] => [
  ...caps.map((cap) => ({ ...cap, project: null })),
  ...project_caps,
]

/** Formats a limit of a cap, or what is used of it: dollars, or a count. */
export const capAmount = (cap: string, amount: number): string =>
  cap.endsWith('_usd') ? formatBudget(amount) : formatCount(Math.round(amount))

/** Says when a cap of an hour or a day was used, or by which session one of a session. */
export const usedSpan = ({ cap }: CapUse): string =>
  cap.startsWith('day')
    ? 'today'
    : cap.startsWith('hour')
      ? 'this hour'
      : 'by the most expensive session of the last 24 hours'

const ACTIONS: Readonly<Record<GuardStatus['action'], (hold: string) => string>> = {
  hold: (hold) => `waits ${hold} for your decision, and is then refused`,
  notify: () => 'is sent all the same, and reported once',
  refuse: () => 'is refused',
}

/** Says whether any cap is set, what happens at one, and which is fullest. `holdSeconds`: how long a request waits. */
export function guardSentences(status: GuardStatus, holdSeconds: number): string[] {
  const { action, counts } = status
  const uses = capsOf(status)
  if (uses.length === 0)
    return [
      'No cap is set, so nothing is stopped. Set one below: it applies at once, also to sessions that run. For a start, $20 per session and $100 per day seldom stop ordinary work.',
    ]
  const stopped = `A request that would exceed a cap ${ACTIONS[action](formatDuration(holdSeconds * 1000))}.`
  const full = fullest(uses)
  return [stopped, ...(full === null ? [] : [fullestSentence(full)]), ...outcomes(counts)]
}

/** Share of a cap that is used; null if it is not summed up. */
export const usedShare = ({ used, limit }: CapUse): number | null => (used === null ? null : used / limit)

/** Returns the cap of which most is used; null if none is summed up. */
export const fullest = (uses: readonly CapUse[]): CapUse | null =>
  uses
    .filter(({ used }) => used !== null)
    .toSorted((one, other) => (usedShare(other) ?? 0) - (usedShare(one) ?? 0))[0] ?? null

/** Share of a cap from which it is marked. */
export const NEARLY = 0.8

/** Returns the fullest cap if it is nearly or wholly used; else null. */
export function nearlyFull(uses: readonly CapUse[]): CapUse | null {
  const full = fullest(uses)
  return full !== null && (usedShare(full) ?? 0) >= NEARLY ? full : null
}

/** Names a cap within a sentence: `cap per day of shop`. */
export function capName({ project, cap }: CapUse): string {
  const of = project === null ? '' : ` of ${projectName(project)}`
  return `${nameOfCap(cap)}${of}`
}

/** Says how much of a cap is used. */
export function fullestSentence(use: CapUse): string {
  const { cap, limit, used } = use
  const name = capName(use)
  const share = `${capAmount(cap, used ?? 0)} of ${capAmount(cap, limit)}`
  return (used ?? 0) > limit
    ? `The ${name} is exceeded: ${share}, because you let requests pass, or it was set later.`
    : `Closest to its limit is the ${name}: ${share}.`
}

function outcomes({ checked, unpriced, held, refused }: GuardStatus['counts']): string[] {
  const all = checked + unpriced
  if (all === 0) return []
  const stops =
    held + refused === 0 ? 'none of them waited' : `${formatCount(held)} waited, ${formatCount(refused)} refused`
  return [`Since Aspy started, ${plural(all, 'request')} ${all === 1 ? 'was' : 'were'} checked; ${stops}.`]
}
