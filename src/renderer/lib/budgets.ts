import type { BudgetPeriod, BudgetStatus } from '../../shared/contract/budgets.ts'
import { formatCost, formatShare, projectName } from './format.ts'

export const PERIOD_NAMES: Readonly<Record<BudgetPeriod, string>> = {
  day: 'Today',
  week: 'This week',
  month: 'This month',
}

/** Formats a budget with cents, because it is an exact amount. */
export const formatBudget = (usd: number): string => (usd >= 0.01 || usd === 0 ? `$${usd.toFixed(2)}` : formatCost(usd))

/** Says in one sentence that a budget reached a mark. */
export function budgetNews({ project, period, spent_usd: spent, limit_usd: limit }: BudgetStatus): string {
  const name = `${PERIOD_NAMES[period]}’s budget${project === null ? '' : ` for ${projectName(project)}`}`
  const sums = `${formatBudget(spent)} of ${formatBudget(limit)}`
  if (spent >= limit) return `${name} is spent: ${sums}`
  return `${formatShare(spent / limit)} of ${name.charAt(0).toLowerCase()}${name.slice(1)} is spent: ${sums}`
}

/** Returns the budget with the highest share spent, of those that have reached a mark, or null. */
export function tightest(statuses: readonly BudgetStatus[]): BudgetStatus | null {
  const reached = statuses.filter(({ mark }) => mark !== null)
  const share = ({ spent_usd: spent, limit_usd: limit }: BudgetStatus) => spent / limit
  return reached.toSorted((one, other) => share(other) - share(one))[0] ?? null
}
