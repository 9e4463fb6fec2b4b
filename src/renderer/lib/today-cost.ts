import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'
import { startedIn, viewerZone } from './time-range.ts'

/** Deletions and midnight change the figure without an event. */
const REFETCH_MS = 20_000

/**
 * The cost of today. `seenUsd` is what the live feed has counted: the figure is read again whenever that changes, so that it
 * never lags behind the cards of Live, which count the same events.
 */
export function todayCostQuery(seenUsd: number) {
  return queryOptions({
    queryKey: ['stats.summary', 'today', seenUsd],
    queryFn: ({ signal }) => call('stats.summary', startedIn('today', Date.now(), viewerZone()), signal),
    select: ({ total_cost_usd: cost }) => cost,
    placeholderData: keepPreviousData,
    refetchInterval: REFETCH_MS,
    gcTime: REFETCH_MS,
  })
}
