import { queryOptions } from '@tanstack/react-query'
import type { BudgetPeriod, BudgetStanding } from '../../shared/contract/budgets.ts'
import { call } from './client.ts'
import { formatCost, formatShare, projectName } from './format.ts'

/** How the budgets stand; asked anew when one reaches a mark, and now and then. */
export const budgetsQuery = queryOptions({
  queryKey: ['budgets.status'],
  queryFn: ({ signal }) => call('budgets.status', {}, signal),
  refetchInterval: 10_000,
})

export const PERIOD_NAMES: Readonly<Record<BudgetPeriod, string>> = {
  day: 'Today',
  week: 'This week',
  month: 'This month',
}

/** Dollars with their cents: a budget of $10 is no estimate. */
export const formatBudget = (usd: number): string => (usd >= 0.01 || usd === 0 ? `$${usd.toFixed(2)}` : formatCost(usd))

/** In one sentence, that a mark was reached. */
export function budgetNews({ project, period, spent_usd: spent, limit_usd: limit }: BudgetStanding): string {
  const name = `${PERIOD_NAMES[period]}’s budget${project === null ? '' : ` for ${projectName(project)}`}`
  const sums = `${formatBudget(spent)} of ${formatBudget(limit)}`
  if (spent >= limit) return `${name} is spent: ${sums}`
  return `${formatShare(spent / limit)} of ${name.charAt(0).toLowerCase()}${name.slice(1)} is spent: ${sums}`
}

/** The budget nearest its end, or furthest past it, of those that have reached a mark; null: none has. */
export function tightest(standings: readonly BudgetStanding[]): BudgetStanding | null {
  const reached = standings.filter(({ mark }) => mark !== null)
  const share = ({ spent_usd: spent, limit_usd: limit }: BudgetStanding) => spent / limit
  return reached.toSorted((one, other) => share(other) - share(one))[0] ?? null
}
