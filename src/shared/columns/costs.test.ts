import { expect, test } from 'vitest'
import { valueOf } from './column.ts'
import { modelCostsTable } from './costs.ts'

test('cache writes of an API that reports only reads are unknown, not 0', () => {
  const totals = { model: 'm', calls: 1, input: 1, output: 1, cost: 1, unpricedCalls: 0, share: 1 }
  const written = (cacheCreation: number, cacheRead: number) =>
    valueOf({ key: 'cacheCreation', ...modelCostsTable.columns.cacheCreation }, { ...totals, cacheCreation, cacheRead })
  expect([written(0, 5000), written(0, 0), written(7, 5000)]).toEqual([null, 0, 7])
})
