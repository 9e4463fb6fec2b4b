import type { Advice } from '../../shared/contract/advice.ts'
import { formatCost } from './format.ts'

/** Writes what a suggestion is about in a month: money, or else minutes. */
export const adviceStake = ({ usd_per_month: usd, minutes_per_month: minutes }: Advice): string =>
  usd > 0 ? `${formatCost(usd)}/month` : `${Math.round(minutes)} min/month`
