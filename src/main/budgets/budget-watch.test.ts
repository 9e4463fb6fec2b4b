import { expect, test, vi } from 'vitest'
import type { BudgetStatus } from '../../shared/contract/budgets.ts'
import { budgetStatus } from '../../shared/fixtures/budget-status.ts'
import { createBudgetWatch } from './budget-watch.ts'

function startWatch(store: () => Promise<boolean>) {
  let now: BudgetStatus[] = []
  let checks = 0
  const reported: BudgetStatus[] = []
  let reports = 0
  const watch = createBudgetWatch({
    statuses: async () => {
      checks += 1
      return now
    },
    store,
    report: (reached) => {
      reports += 1
      reported.push(...reached)
    },
    logger: { warn: vi.fn() },
    delayMs: 1,
  })
  return {
    reported,
    reports: () => reports,
    async spent(statuses: BudgetStatus[]) {
      now = statuses
      const before = checks
      watch.check()
      watch.check()
      await expect.poll(() => checks).toBeGreaterThan(before)
      expect(checks).toBe(before + 1)
    },
  }
}

test('each mark is reported once per period', async () => {
  const watch = startWatch(async () => true)
  const marks = () => watch.reported.map(({ mark, since }) => [mark, since.slice(0, 10)])
  await watch.spent([budgetStatus({ spent_usd: 7.9 })])
  await watch.spent([budgetStatus({ spent_usd: 8, mark: 80 })])
  await watch.spent([budgetStatus({ spent_usd: 9, mark: 80 })])
  await expect.poll(marks).toHaveLength(1)
  await watch.spent([budgetStatus({ spent_usd: 10, mark: 100 })])
  await watch.spent([budgetStatus({ spent_usd: 11, mark: 100 })])
  await watch.spent([budgetStatus({ since: '2026-11-23T00:00:00.000Z', spent_usd: 12, mark: 100 })])
  await expect.poll(marks).toHaveLength(3)
  expect(marks()).toEqual([
    [80, '2026-11-22'],
    [100, '2026-11-22'],
    [100, '2026-11-23'],
  ])
})

test('a mark reported by an earlier run is not repeated; a mark that cannot be stored is still reported', async () => {
  const restarted = startWatch(async () => false)
  await restarted.spent([budgetStatus({ mark: 80 })])
  expect(restarted.reported).toEqual([])
  await restarted.spent([])
  expect(restarted.reports()).toBe(0)
  const faulty = startWatch(() => Promise.reject(new Error('locked')))
  await faulty.spent([budgetStatus({ mark: 80 })])
  await expect.poll(() => faulty.reported).toHaveLength(1)
})
