import { expect, test } from 'vitest'
import { cacheMissesTable } from './cache.ts'
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

test('what a request could have read is unknown, not 0 or what it read, if nobody knows what was left for it', () => {
  const miss = { exchange: null, session_id: 's', user_id: null, turn_id: 1, agent_id: null, ts_wall: '', model: 'm' }
  const of = (kind: 'unknown' | 'first_request', could_read: number, read: number) =>
    (['could_read', 'missed_tokens', 'waste_usd'] as const).map((key) =>
      valueOf(
        { key, ...cacheMissesTable.columns[key] },
        {
          ...miss,
          could_read,
          read,
          missed_tokens: could_read - read,
          waste_usd: 0,
          cause: { kind, where: null, detail: null },
          vendor: null,
        },
      ),
    )
  expect(of('unknown', 5, 5)).toEqual([null, null, null])
  expect(of('unknown', 7, 5)).toEqual([7, 2, 0])
  expect(of('first_request', 0, 0)).toEqual([0, 0, 0])
})
