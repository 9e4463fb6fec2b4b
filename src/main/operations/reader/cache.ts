import type { ReaderHandler } from '../../dispatch/handlers.ts'
import { agrees } from '../../ledger/agreement.ts'
import { missSums, NO_REQUESTS } from '../../ledger/miss-sums.ts'
import { cacheMisses, cacheTotals, missGroups } from '../../store/read/cache.ts'

export { requestDiff } from './request-diff.ts'

export const cacheList: ReaderHandler<'cache.list'> = cacheMisses

export const cacheSummary: ReaderHandler<'cache.summary'> = (reader, range) => {
  const misses = missGroups(reader, range)
  let [compared, agreed] = [0, 0]
  for (const { cause, vendor_type: type, requests } of misses) {
    const same = type === null ? null : agrees(cause, type)
    if (same === null) continue
    compared += requests
    if (same) agreed += requests
  }
  return { ...(cacheTotals(reader, range) ?? NO_REQUESTS), ...missSums(misses), vendor: { compared, agreed } }
}
