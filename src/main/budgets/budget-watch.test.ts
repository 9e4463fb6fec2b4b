import { expect, test, vi } from 'vitest'
import type { BudgetStanding } from '../../shared/contract/budgets.ts'
import { standing } from '../../shared/fixtures/budget-standing.ts'
import { createBudgetWatch } from './budget-watch.ts'

function startWatch(store: () => Promise<boolean>) {
  let now: BudgetStanding[] = []
  let checks = 0
  const reported: BudgetStanding[] = []
  const watch = createBudgetWatch({
    standings: async () => {
      checks += 1
      return now
    },
    store,
    report: (reached) => reported.push(...reached),
    logger: { warn: vi.fn() },
    delayMs: 1,
  })
  return {
    reported,
    async spent(standings: BudgetStanding[]) {
      now = standings
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
  await watch.spent([standing({ spent_usd: 7.9 })])
  await watch.spent([standing({ spent_usd: 8, mark: 80 })])
  await watch.spent([standing({ spent_usd: 9, mark: 80 })])
  await expect.poll(marks).toHaveLength(1)
  await watch.spent([standing({ spent_usd: 10, mark: 100 })])
  await watch.spent([standing({ spent_usd: 11, mark: 100 })])
  await watch.spent([standing({ since: '2026-11-23T00:00:00.000Z', spent_usd: 12, mark: 100 })])
  await expect.poll(marks).toHaveLength(3)
  expect(marks()).toEqual([
    [80, '2026-11-22'],
    [100, '2026-11-22'],
    [100, '2026-11-23'],
  ])
})

test('a mark reported by an earlier run is not repeated; a mark that cannot be stored is still reported', async () => {
  const restarted = startWatch(async () => false)
  await restarted.spent([standing({ mark: 80 })])
  expect(restarted.reported).toEqual([])
  const faulty = startWatch(() => Promise.reject(new Error('locked')))
  await faulty.spent([standing({ mark: 80 })])
  await expect.poll(() => faulty.reported).toHaveLength(1)
})
