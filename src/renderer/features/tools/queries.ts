import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { type Range, rangeStart, viewerZone } from '../../lib/time-range.ts'

/** Totals by tool in a range. */
export function toolTotalsQuery(range: Range) {
  return queryOptions({
    queryKey: ['stats.summary', 'tools', range],
    queryFn: async ({ signal }) => {
      const since = rangeStart(range, Date.now(), viewerZone())
      const summary = await call(
        'stats.summary',
        since === null ? {} : { since: new Date(since).toISOString() },
        signal,
      )
      return [...summary.by_tool].sort((one, other) => other.calls - one.calls)
    },
    placeholderData: keepPreviousData,
  })
}

/** Calls, newest first, of one tool or all. */
export function callsQuery(tool: string | undefined) {
  return infiniteQueryOptions({
    queryKey: ['tools.list', tool],
    queryFn: ({ signal, pageParam }) =>
      call(
        'tools.list',
        {
          limit: 50,
          ...(tool === undefined ? {} : { tool_name: tool }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
