import type { Advice } from '../../shared/contract/advice.ts'
import { formatCost, plural } from './format.ts'
import { MONTH_DAYS } from '../../shared/time-units.ts'

/** Groups of suggestions, in the order in which they are shown. */
export const ADVICE_GROUPS = ['open', 'applied', 'dismissed'] as const

/** Returns the group of a suggestion. */
export const adviceGroup = ({ state }: Pick<Advice, 'state'>): (typeof ADVICE_GROUPS)[number] =>
  state === 'open' || state === 'undone' ? 'open' : state === 'dismissed' ? 'dismissed' : 'applied'

/** True if the amounts of a suggestion are those of a month, not sums of a shorter record. */
export const isMonthly = ({ recorded_days: days }: Advice): boolean => days >= MONTH_DAYS

/** Writes what a suggestion is about, money or else minutes, in a month or in the days that are recorded. */
export function adviceStake(item: Advice): string {
  const { recorded_days: days, usd_per_month: usd, minutes_per_month: minutes } = item
  const time = isMonthly(item) ? '/month' : ` in ${plural(Math.max(1, Math.ceil(days)), 'day')}`
  return `${usd > 0 ? formatCost(usd) : `${Math.round(minutes)} min`}${time}`
}
