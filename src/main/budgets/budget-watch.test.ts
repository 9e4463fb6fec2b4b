import { expect, test, vi } from 'vitest'
import type { BudgetStanding } from '../../shared/contract/budgets.ts'
import { standing } from '../../shared/fixtures/budget-standing.ts'
import { createBudgetWatch } from './budget-watch.ts'

function watch(keep: () => Promise<boolean>) {
  let now: BudgetStanding[] = []
  let looks = 0
  const told: BudgetStanding[] = []
  const under = createBudgetWatch({
    standings: async () => {
      looks += 1
      return now
    },
    keep,
    tell: (reached) => told.push(...reached),
    logger: { warn: vi.fn() },
    delayMs: 1,
  })
  return {
    told,
    async spent(standings: BudgetStanding[]) {
      now = standings
      const before = looks
      under.look()
      under.look()
      await expect.poll(() => looks).toBeGreaterThan(before)
      expect(looks).toBe(before + 1)
    },
  }
}

test('a mark is told once a period, the next mark and the next period again', async () => {
  const under = watch(async () => true)
  const marks = () => under.told.map(({ mark, since }) => [mark, since.slice(0, 10)])
  await under.spent([standing({ spent_usd: 7.9 })])
  await under.spent([standing({ spent_usd: 8, mark: 80 })])
  await under.spent([standing({ spent_usd: 9, mark: 80 })])
  await expect.poll(marks).toHaveLength(1)
  await under.spent([standing({ spent_usd: 10, mark: 100 })])
  await under.spent([standing({ spent_usd: 11, mark: 100 })])
  await under.spent([standing({ since: '2026-11-23T00:00:00.000Z', spent_usd: 12, mark: 100 })])
  await expect.poll(marks).toHaveLength(3)
  expect(marks()).toEqual([
    [80, '2026-11-22'],
    [100, '2026-11-22'],
    [100, '2026-11-23'],
  ])
})

test('what an earlier run has told is not told again; what cannot be kept is told all the same', async () => {
  const after = watch(async () => false)
  await after.spent([standing({ mark: 80 })])
  expect(after.told).toEqual([])
  const faulty = watch(() => Promise.reject(new Error('locked')))
  await faulty.spent([standing({ mark: 80 })])
  await expect.poll(() => faulty.told).toHaveLength(1)
})
