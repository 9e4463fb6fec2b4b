import type { Config } from '../../shared/config.ts'
import {
  BUDGET_MARKS,
  BUDGET_PERIODS,
  type BudgetMark,
  type BudgetPeriod,
  type BudgetStatus,
} from '../../shared/contract/budgets.ts'
import type { OperationInput, OperationOutput } from '../../shared/contract/index.ts'
import { budgetPeriod } from './budget-period.ts'
import { NOTHING_SPENT } from '../../shared/spend.ts'

/** Sums the cost of each span. */
export type Spent = (input: OperationInput<'costs.spent'>) => Promise<OperationOutput<'costs.spent'>>

interface Budget {
  readonly project: string | null
  readonly period: BudgetPeriod
  readonly limit_usd: number
}

const KEYS = { day: 'daily_usd', week: 'weekly_usd', month: 'monthly_usd' } as const

/** Returns the configured budgets, overall ones first. A limit of 0 means no budget. */
function budgetsOf({ budgets }: Config): readonly Budget[] {
  const scopes = [{ project: null, ...budgets }, ...budgets.projects]
  return scopes.flatMap((scope) =>
    BUDGET_PERIODS.flatMap((period) => {
      const limit = scope[KEYS[period]] ?? 0
      return limit > 0 ? [{ project: scope.project, period, limit_usd: limit }] : []
    }),
  )
}

/** Returns the limit of a project, or of all projects together, in a period; null if none is set. */
export const budgetLimit = (config: Config, project: string | null, period: BudgetPeriod): number | null =>
  budgetsOf(config).find((one) => one.project === project && one.period === period)?.limit_usd ?? null

/** Returns the state of each budget in the period of `now`. Reads nothing if no budget is set. */
export async function budgetStatuses(config: Config, spent: Spent, now: Date): Promise<readonly BudgetStatus[]> {
  const budgets = budgetsOf(config).map((budget) => {
    const { since, until } = budgetPeriod(budget.period, now)
    return { ...budget, since: since.toISOString(), until: until.toISOString() }
  })
  if (budgets.length === 0) return []
  const { items } = await spent({
    spans: budgets.map(({ since, until, project }) => ({ since, until, ...(project === null ? {} : { project }) })),
  })
  return budgets.map((budget, index) => {
    const { cost_usd: cost, ...unpriced } = items[index] ?? NOTHING_SPENT
    return { ...budget, spent_usd: cost, ...unpriced, mark: markOf(cost, budget.limit_usd) }
  })
}

const markOf = (spentUsd: number, limitUsd: number): BudgetMark | null =>
  BUDGET_MARKS.findLast((mark) => spentUsd >= (limitUsd * mark) / 100) ?? null
