import { causeNote } from '../cache-causes.ts'
import type { CacheMiss } from '../contract/cache.ts'
import type { CarryGroup } from '../contract/carry.ts'
import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

type CauseSums = OperationOutput<'cache.summary'>['by_cause'][number]

/** Cost of cache misses by cause, each with its share of all. */
export const cacheCausesTable = tableOf<CauseSums & { readonly share: number | null }>()({
  columns: {
    cause: { name: 'Cause' },
    waste_usd: { name: 'Waste', format: 'money' },
    share: { name: 'Share', format: 'share' },
    requests: { name: 'Requests', format: 'count' },
    missed_tokens: { name: 'Missed tokens', format: 'count' },
  },
})

/** Requests that missed the cache. */
export const cacheMissesTable = tableOf<CacheMiss>()({
  columns: {
    ts_wall: { name: 'Time', format: 'moment', tone: 'soft' },
    note: { name: 'What happened', of: ({ cause }) => causeNote(cause) || null, fit: 'wrap' },
    model: { name: 'Model', format: 'model' },
    read: { name: 'Cache read', format: 'count' },
    missed_tokens: { name: 'Missed', format: 'count' },
    waste_usd: { name: 'Waste', format: 'money' },
    turn_id: { name: 'Session', of: (row) => `turn ${row.turn_id}`, align: 'right' },
  },
})

/** What requests carried, each with its share of the cost. */
export const carryTable = tableOf<CarryGroup & { readonly share: number | null }>()({
  columns: {
    what: { name: 'What', of: (row) => row.label ?? row.key, fit: 'cut' },
    usd: { name: 'Cost', format: 'money' },
    share: { name: 'Share', format: 'share' },
    read_tokens: { name: 'Cache read', format: 'count' },
    written_tokens: { name: 'Cache write', format: 'count' },
    uncached_tokens: { name: 'Input', format: 'count' },
  },
})
