import { z } from 'zod'
import { operation } from './operation.ts'

export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** The shares of a budget, in percent, at which one is told. */
export const BUDGET_MARKS = [80, 100] as const
export type BudgetMark = (typeof BUDGET_MARKS)[number]

const standing = z.object({
  /** The working directory that it holds for; null: all projects together. */
  project: z.string().nullable(),
  period: z.enum(BUDGET_PERIODS),
  limit_usd: z.number(),
  spent_usd: z.number(),
  /** Calls of models without a price: what they cost is not in `spent_usd`. */
  unpriced_calls: z.number(),
  /** The period that runs now, in the time zone of this machine; a week begins on Monday. */
  since: z.string(),
  until: z.string(),
  /** The highest mark that was reached; null: none. */
  mark: z.literal(BUDGET_MARKS).nullable(),
})
/** How a budget stands now. */
export type BudgetStanding = z.infer<typeof standing>

export const budgetsStatus = operation({
  name: 'budgets.status',
  summary: 'How the budgets stand: what was spent this day, week and month, of how much.',
  place: 'main',
  input: z.object({}),
  output: z.object({ items: z.array(standing) }),
})

/** Kept by the recorder so that a mark is reported once a period. */
export const budgetTold = z.object({
  /** sha256 of project and period, so that the table contains no path. */
  budget: z.string(),
  since: z.string(),
  mark: z.number().int(),
})
export type ReportedBudget = z.infer<typeof budgetTold>
