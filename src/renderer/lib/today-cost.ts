import { useOperation } from './operation.ts'
import { startedIn, viewerZone } from './time-range.ts'

/** Deletions and midnight change the figure without an event. */
const REFETCH_MS = 20_000

/**
 * Returns the cost of today. `seenUsd`: the cost counted from the live feed: the figure is read again whenever that
 * changes, so that it never lags behind the cards of Live, which count the same events.
 */
export function useTodayCost(seenUsd: number): number | undefined {
  const moving = { of: ['today', seenUsd], fields: () => startedIn('today', Date.now(), viewerZone()) }
  const kept = { refetchMs: REFETCH_MS, keptMs: REFETCH_MS, keepsPrevious: true }
  return useOperation('stats.summary', {}, { moving, ...kept }).data?.total_cost_usd
}
