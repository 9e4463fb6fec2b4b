import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/client.ts'
import { type Range, rangeStart, viewerZone } from '../../lib/time-range.ts'

/** Totals by tool in a range. */
export function toolTotalsQuery(range: Range) {
  return queryOptions({
    queryKey: ['stats.summary', 'tools', range],
    queryFn: async ({ signal }) => {
      const summary = await call('stats.summary', sinceOf(range), signal)
      return [...summary.by_tool].sort((one, other) => other.calls - one.calls)
    },
    placeholderData: keepPreviousData,
  })
}

/** How long each tool takes, and how often it fails or is refused. */
export function paceQuery(range: Range) {
  return queryOptions({
    queryKey: ['tools.pace', range],
    queryFn: async ({ signal }) => {
      const { items } = await call('tools.pace', sinceOf(range), signal)
      return new Map(items.map((item) => [item.tool, item]))
    },
    placeholderData: keepPreviousData,
  })
}

/** The calls that took longest. */
export function slowestQuery(range: Range) {
  return queryOptions({
    queryKey: ['stats.slowest', range],
    queryFn: ({ signal }) => call('stats.slowest', { by: 'tool', limit: 12, ...sinceOf(range) }, signal),
    placeholderData: keepPreviousData,
  })
}

function sinceOf(range: Range): { since?: string } {
  const since = rangeStart(range, Date.now(), viewerZone())
  return since === null ? {} : { since: new Date(since).toISOString() }
}

/** Calls, newest first, of one tool or all. */
export function callsQuery(tool: string | undefined, failed: boolean) {
  return infiniteQueryOptions({
    queryKey: ['tools.list', tool, failed],
    queryFn: ({ signal, pageParam }) =>
      call(
        'tools.list',
        {
          limit: 50,
          ...(tool === undefined ? {} : { tool_name: tool }),
          ...(failed ? { failed } : {}),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  })
}
