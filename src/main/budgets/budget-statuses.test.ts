import { expect, test } from 'vitest'
import { configSchema, type ConfigInput } from '../../shared/config.ts'
import { budgetStatuses } from './budget-statuses.ts'

const NOW = new Date('2026-11-22T12:00:00.000Z')

/** Returns the budgets' status if each period has cost this much. */
const statuses = (budgets: ConfigInput['budgets'], ...costs: readonly number[]) =>
  budgetStatuses(
    configSchema.parse({ budgets }),
    async ({ spans }) => ({ items: spans.map((_, at) => ({ cost_usd: costs[at] ?? 0, unpriced_calls: 0 })) }),
    NOW,
  )
const mark = async (limit: number, cost: number) => (await statuses({ daily_usd: limit }, cost))[0]?.mark

test.each([
  [10, 0, null],
  [10, 7.999999, null],
  [10, 8, 80],
  [10, 9.999999, 80],
  [10, 10, 100],
  [10, 250, 100],
  [2.5, 2, 80],
  [2.5, 2.5, 100],
  [0.5, 0.4, 80],
  [1, 0.8, 80],
])('of a budget of %d USD, %d spent reach the mark %o: at the mark, not past it', async (limit, cost, reached) => {
  expect(await mark(limit, cost)).toBe(reached)
})

test('each budget stands at its own mark, those of all projects first; 0 sets none', async () => {
  const found = await statuses(
    { daily_usd: 10, weekly_usd: 0, monthly_usd: 100, projects: [{ project: '/work/app', weekly_usd: 20 }] },
    8,
    100,
    15.99,
  )
  expect(
    found.map(({ project, period, limit_usd, spent_usd, mark: reached }) => [
      project,
      period,
      limit_usd,
      spent_usd,
      reached,
    ]),
  ).toEqual([
    [null, 'day', 10, 8, 80],
    [null, 'month', 100, 100, 100],
    ['/work/app', 'week', 20, 15.99, null],
  ])
  expect(await statuses({})).toEqual([])
})

test('each budget is compared with what its own project spent in its own period', async () => {
  const asked: unknown[] = []
  const now = new Date(2026, 10, 22, 12)
  const budgets = { daily_usd: 10, projects: [{ project: '/work/app', weekly_usd: 20 }] }
  await budgetStatuses(
    configSchema.parse({ budgets }),
    async ({ spans }) => {
      asked.push(...spans)
      return { items: [] }
    },
    now,
  )
  const midnight = (day: number) => new Date(2026, 10, day).toISOString()
  expect(asked).toEqual([
    { since: midnight(22), until: midnight(23) },
    { since: midnight(16), until: midnight(23), project: '/work/app' },
  ])
})
