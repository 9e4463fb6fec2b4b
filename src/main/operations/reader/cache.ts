import type { CacheMiss } from '../../../shared/contract/cache.ts'
import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { agrees } from '../../ledger/agreement.ts'
import { missSums, NO_REQUESTS } from '../../ledger/miss-sums.ts'
import { cacheMisses, cacheTotals, missGroups, type CacheRow } from '../../store/read/cache.ts'
import { given } from './given.ts'

export { requestDiff } from './request-diff.ts'

export const cacheList: ReaderHandler<'cache.list'> = (reader, input) => cacheMisses(reader, given(input), itemOf)

function itemOf(row: CacheRow): CacheMiss {
  return {
    exchange: row.request_uuid,
    session_id: row.session_id,
    turn_id: row.turn_id,
    agent_id: row.agent_id,
    ts_wall: row.timestamp,
    model: row.model,
    could_read: row.could_read,
    read: row.read_tokens,
    missed_tokens: row.missed_tokens,
    waste_usd: row.waste_usd,
    cause: { kind: row.kind, where: row.place, detail: row.detail },
    vendor: row.vendor_type === null ? null : { type: row.vendor_type, tokens: row.vendor_tokens },
  }
}

export const cacheSummary: ReaderHandler<'cache.summary'> = (reader, input) => {
  const range = given(input)
  const misses = missGroups(reader, range)
  let [compared, agreed] = [0, 0]
  for (const { cause, vendor_type: type, requests } of misses) {
    const same = type === null ? null : agrees(cause, type)
    if (same === null) continue
    compared += requests
    if (same) agreed += requests
  }
  return {
    ...(cacheTotals(reader, range) ?? NO_REQUESTS),
    ...missSums(misses),
    vendor: { compared, agreed },
  }
}
