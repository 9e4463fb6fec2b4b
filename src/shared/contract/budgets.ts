import { z } from 'zod'
import { operation } from './operation.ts'

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** Shares of a budget, in percent, that are reported when reached. */
export const BUDGET_MARKS = [80, 100] as const
export type BudgetMark = (typeof BUDGET_MARKS)[number]

const budgetStatus = z.object({
  /** Working directory that the budget applies to; null: all projects together. */
  project: z.string().nullable(),
  period: z.enum(BUDGET_PERIODS),
  limit_usd: z.number(),
  spent_usd: z.number(),
  /** Calls to models without a price: their cost is not in `spent_usd`. */
  unpriced_calls: z.number(),
  /** The current period, in the time zone of this machine. A week begins on Monday. */
  since: z.string(),
  until: z.string(),
  /** The highest mark reached; null if none. */
  mark: z.literal(BUDGET_MARKS).nullable(),
})
/** The current state of a budget. */
export type BudgetStatus = z.infer<typeof budgetStatus>

export const budgetsStatus = operation({
  name: 'budgets.status',
  summary: 'The budgets of the current day, week and month: spending and limit.',
  place: 'main',
  input: z.object({}),
  output: z.object({ items: z.array(budgetStatus) }),
})

/** Kept by the recorder so that a mark is reported once a period. */
export const reportedBudget = z.object({
  /** sha256 of project and period, so that the table contains no path. */
  budget: z.string(),
  since: z.string(),
  mark: z.number().int(),
})
export type ReportedBudget = z.infer<typeof reportedBudget>
