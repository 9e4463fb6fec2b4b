import { z } from 'zod'
import { lastMoment, project, tz } from './fields.ts'
import { operation } from './operation.ts'
import { unpriced } from './spend.ts'

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
  ...unpriced,
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
  output: z.object({ items: z.array(budgetStatus) }),
})

/** Periods whose spending is forecast. A day is too short for a history of days. */
export const FORECAST_PERIODS = ['week', 'month'] as const
export type ForecastPeriod = (typeof FORECAST_PERIODS)[number]

export const budgetsForecast = operation({
  name: 'budgets.forecast',
  summary: 'Cost of this month or week so far, its forecast, and a comparison with the previous one.',
  place: 'main',
  http: { method: 'GET', path: '/api/lifestats/budget' },
  input: z.object({
    period: z.enum(FORECAST_PERIODS).default('month').describe('Period (default: month)'),
    project,
    /** The time to use as now. */
    until: lastMoment.optional(),
    tz,
  }),
  output: z.object({
    period: z.enum(FORECAST_PERIODS),
    project: z.string().nullable(),
    /** The current period, in the time zone of this machine. A week begins on Monday. */
    since: z.string(),
    until: z.string(),
    now: z.string(),
    spent_usd: z.number(),
    ...unpriced,
    /** The configured budget of the period; null: none. */
    limit_usd: z.number().nullable(),
    previous: z.object({
      since: z.string(),
      until: z.string(),
      spent_usd: z.number(),
      /** Spent up to the same point of that period. */
      same_point_usd: z.number(),
    }),
    /** Spending compared with the same point of the previous period: 0.2 is 20 % more; null: nothing was spent then. */
    change_share: z.number().nullable(),
    /** Spending at the end of the period; null: there is too little history. */
    forecast: z
      .object({
        usd: z.number(),
        low: z.number(),
        high: z.number(),
        confidence: z.number(),
        /** When the budget will be spent at the expected rate; null: not in this period, or there is no budget. */
        limit_reached_at: z.string().nullable(),
      })
      .nullable(),
    /** Forecasts of past periods, made with the data available then. */
    forecast_checks: z.object({
      checks: z.number(),
      /** Number of bands that held the actual amount. */
      hits: z.number(),
      /** Median of |forecast - amount| / amount; null: none was checked. */
      typical_error: z.number().nullable(),
    }),
    /** Spending of each day of the current period up to now. */
    days: z.array(z.object({ day: z.string(), usd: z.number() })),
    /** Limitations of the answer, as sentences. */
    gaps: z.array(z.string()),
  }),
})

/** Kept by the recorder so that a mark is reported once a period. */
export interface ReportedBudget {
  /** sha256 of project and period, so that the table contains no path. */
  readonly budget: string
  readonly since: string
  readonly mark: number
}
