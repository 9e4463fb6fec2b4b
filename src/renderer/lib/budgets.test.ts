import { expect, test } from 'vitest'
import { budgetStatus } from '../../shared/fixtures/budget-status.ts'
import { budgetNews, tightest } from './budgets.ts'

test('a budget notice names the budget, the amount and the limit', () => {
  expect(budgetNews(budgetStatus({ spent_usd: 8.2, mark: 80 }))).toBe('82% of today’s budget is spent: $8.20 of $10.00')
  expect(budgetNews(budgetStatus({ spent_usd: 10, mark: 100 }))).toBe('Today’s budget is spent: $10.00 of $10.00')
  expect(budgetNews(budgetStatus({ period: 'week', project: '/home/ada/engine', spent_usd: 12, mark: 100 }))).toBe(
    'This week’s budget for engine is spent: $12.00 of $10.00',
  )
})

test('the budget closest to its limit is shown if it has reached a mark', () => {
  const month = budgetStatus({ period: 'month', limit_usd: 100, spent_usd: 95, mark: 80 })
  expect(tightest([budgetStatus({ spent_usd: 8.5, mark: 80 }), month, budgetStatus({})])).toBe(month)
  expect(tightest([budgetStatus({ spent_usd: 7 })])).toBeNull()
})
