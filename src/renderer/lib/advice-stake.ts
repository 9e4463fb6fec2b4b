import type { Advice } from '../../shared/contract/advice.ts'
import { formatCost, plural } from './format.ts'
import { MONTH_DAYS } from '../../shared/time-units.ts'

/** True if the amounts of a suggestion are those of a month, not sums of a shorter record. */
export const isMonthly = ({ recorded_days: days }: Advice): boolean => days >= MONTH_DAYS

/** Writes what a suggestion is about, money or else minutes, in a month or in the days that are recorded. */
export function adviceStake(item: Advice): string {
  const { recorded_days: days, usd_per_month: usd, minutes_per_month: minutes } = item
  const time = isMonthly(item) ? '/month' : ` in ${plural(Math.max(1, Math.ceil(days)), 'day')}`
  return `${usd > 0 ? formatCost(usd) : `${Math.round(minutes)} min`}${time}`
}
