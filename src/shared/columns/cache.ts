import { causeLabel, causeNote } from '../cache-causes.ts'
import type { CacheMiss } from '../contract/cache.ts'
import type { CarryGroup } from '../contract/carry.ts'
import type { OperationOutput } from '../contract/index.ts'
import { tableOf } from './column.ts'

/** A group of cache misses, such as those of a cause or of a project. */
export interface CacheSums extends Pick<OperationOutput<'cache.summary'>, 'requests' | 'missed_tokens' | 'waste_usd'> {
  readonly name: string | null
  readonly share?: number | null
}

/** Cost of groups of cache misses, each with its share of all. */
export const cacheSumsTable = tableOf<CacheSums>()({
  columns: {
    name: { name: 'Cause' },
    waste_usd: { name: 'Waste', format: 'money' },
    share: { name: 'Share', format: 'share' },
    requests: { name: 'Requests', format: 'count' },
    missed_tokens: { name: 'Missed tokens', format: 'count', from: 560 },
  },
  terminal: ['name', 'requests', 'missed_tokens', 'waste_usd'],
})

/** Returns a figure of a miss; null if nobody knows what it could have read: then all figures but `read` say nothing. */
const knownOf = (name: 'could_read' | 'missed_tokens' | 'waste_usd') => (row: CacheMiss) =>
  row.cause.kind === 'unknown' && row.could_read === row.read ? null : row[name]

/** Requests that missed the cache. */
export const cacheMissesTable = tableOf<CacheMiss>()({
  columns: {
    ts_wall: { name: 'Time', format: 'moment', tone: 'soft' },
    exchange: { name: 'Request', only: 'terminal' },
    note: { name: 'What happened', of: ({ cause }) => causeNote(cause) || null, fit: 'wrap', only: 'window' },
    model: { name: 'Model', format: 'model' },
    could_read: { name: 'Could read', of: knownOf('could_read'), format: 'count', only: 'terminal', from: 1000 },
    read: { name: 'Cache read', format: 'count' },
    missed_tokens: { name: 'Missed', of: knownOf('missed_tokens'), format: 'count', only: 'window' },
    waste_usd: { name: 'Waste', of: knownOf('waste_usd'), format: 'money' },
    kind: { name: 'Cause', of: ({ cause }) => causeLabel(cause.kind), only: 'terminal' },
    where: { name: 'Where', of: ({ cause }) => cause.where, only: 'terminal', from: 1000 },
    detail: { name: 'Detail', of: ({ cause }) => cause.detail, only: 'terminal', from: 1000 },
    vendor_type: { name: 'API says', of: ({ vendor }) => vendor?.type, only: 'terminal', from: 1000 },
    turn_id: { name: 'Session', of: (row) => `turn ${row.turn_id}`, align: 'right', only: 'window' },
  },
  terminal: [
    'ts_wall',
    'kind',
    'waste_usd',
    'exchange',
    'model',
    'read',
    'could_read',
    'where',
    'detail',
    'vendor_type',
  ],
})

/** Groups of carried blocks, each with its share of the cost. */
export const carryTable = tableOf<CarryGroup & { readonly share?: number | null }>()({
  columns: {
    what: { name: 'What', of: (row) => row.label ?? row.key, fit: 'cut' },
    blocks: { name: 'Blocks', format: 'count', only: 'terminal' },
    requests: { name: 'Times carried', format: 'count', only: 'terminal' },
    usd: { name: 'Cost', format: 'money' },
    share: { name: 'Share', format: 'share' },
    read_tokens: { name: 'Cache read', format: 'count', from: 560 },
    written_tokens: { name: 'Cache write', format: 'count', from: 560 },
    uncached_tokens: { name: 'Input', format: 'count', from: 560 },
  },
  terminal: ['what', 'blocks', 'requests', 'read_tokens', 'written_tokens', 'uncached_tokens', 'usd'],
})
