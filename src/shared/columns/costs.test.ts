import { expect, test } from 'vitest'
import { valueOf } from './column.ts'
import { withoutPrice } from '../spend.ts'
import { modelCostsTable, sessionCostsTable } from './costs.ts'

test('cache writes of an API that reports only reads are unknown, not 0', () => {
  const totals = { model: 'm', calls: 1, input: 1, output: 1, cost: 1, unpricedCalls: 0, share: 1 }
  const written = (cacheCreation: number, cacheRead: number) =>
    valueOf({ key: 'cacheCreation', ...modelCostsTable.columns.cacheCreation }, { ...totals, cacheCreation, cacheRead })
  expect([written(0, 5000), written(0, 0), written(7, 5000)]).toEqual([null, 0, 7])
})

test('what a session cost is unknown if no call has a price, not 0', () => {
  const row = { session_id: 's', title: null, project: null, started_at: '', tokens: 9, calls: 3 }
  const column = { key: 'cost_usd', ...sessionCostsTable.columns.cost_usd }
  const of = (cost_usd: number, calls: number) => valueOf(column, { ...row, cost_usd, ...withoutPrice(calls) })
  expect([of(0, 3), of(2, 1), of(0, 0)]).toEqual([null, 2, 0])
})
